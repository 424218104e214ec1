/**
 * `svc doctor`: checks the installation and says how to fix what is wrong.
 *
 * @module
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { jsonFlag } from "./accounts.ts"
import type { Finding } from "./checks/Finding.ts"
import { serverFlags } from "./management.ts"
import { BadNews, oneLine, print, printJson } from "./output.ts"

const lineOf = ({ check, detail, fix, verdict }: Finding): string =>
  oneLine(`${verdict.padEnd(4)} ${check}: ${detail}`).replace(/^ok /, "ok   ") +
  (fix === null ? "" : `\n     -> ${oneLine(fix)}`)

/** `svc doctor`. */
export const doctor = Command.make(
  "doctor",
  {
    ...serverFlags,
    json: jsonFlag,
    probe: Flag.String("probe").pipe(
      Flag.withDescription(
        "Domain whose mail servers are used to test outgoing connections to port 25. Not used if all mail leaves through a relay"
      ),
      Flag.withMetavar("domain"),
      Flag.withDefault("gmail.com")
    ),
    blocklists: Flag.Boolean("blocklists").pipe(
      Flag.withDescription(
        "Also look up the addresses of the mail host in public block lists, which are operated by third parties"
      ),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ blocklists, json, probe, ...choice }) {
    const { examine } = yield* Effect.promise(() => import("./examine.ts"))
    const findings = yield* examine(choice, probe, blocklists)
    const count = (verdict: Finding["verdict"]) => findings.filter((one) => one.verdict === verdict).length
    if (json) yield* printJson({ findings, ok: count("ok"), warn: count("warn"), fail: count("fail") })
    else {
      for (const finding of findings) yield* print(lineOf(finding))
      yield* print(`${count("ok")} ok, ${count("warn")} warnings, ${count("fail")} failed`)
    }
    return count("fail") === 0 ? undefined : yield* new BadNews()
  })
).pipe(
  Command.withDescription(
    "Check the installation and explain how to fix problems. The checks cover the configuration, data directory, secret " +
      "key, store and schema, ports, TLS certificate, DNS records of the mail host and of every sending domain, the relays " +
      "of the installation and of companies, and whether mail can leave. If a running server uses the embedded store, the " +
      "command asks that server for its domains and relays. It sends no email and prints no secret. It changes nothing, " +
      "except that it creates a missing data directory. Exit code 1 if a check failed; warnings do not change exit code 0."
  ),
  Command.withShortDescription("Check the installation and explain how to fix problems"),
  Command.withExamples([{ command: "svc doctor" }, { command: "svc doctor --json" }])
)
