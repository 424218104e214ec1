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
        "Domain whose mail servers port 25 is tried with, where mail leaves without a relay"
      ),
      Flag.withMetavar("domain"),
      Flag.withDefault("gmail.com")
    ),
    blocklists: Flag.Boolean("blocklists").pipe(
      Flag.withDescription(
        "Also ask public block lists, which are third parties, for the addresses of the mail host"
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
      yield* print(`${count("ok")} ok, ${count("warn")} to look at, ${count("fail")} failed`)
    }
    return count("fail") === 0 ? undefined : yield* new BadNews()
  })
).pipe(
  Command.withDescription(
    "Check everything this installation needs and say how to fix what is wrong: configuration, data " +
      "directory, secret key, store and schema, ports, TLS certificate, the DNS of the mail host and of every sending " +
      "domain, the relays of the installation and of companies, and whether mail can leave. Where a running server has the " +
      "embedded store for itself, its domains and relays are asked of that server. It sends no email, prints no secret, and changes nothing but that it makes " +
      "the data directory where there is none. Exit code 1 if anything failed; warnings leave it at 0."
  ),
  Command.withShortDescription("Check the installation and say what to fix"),
  Command.withExamples([{ command: "svc doctor" }, { command: "svc doctor --json" }])
)
