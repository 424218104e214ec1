/**
 * `svc accounts`: lists the accounts.
 *
 * @module
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { listCompanies, serverFlags, serverOf } from "./management.ts"
import { oneLine, print, printJson, table } from "./output.ts"

/** The flag of commands that can print JSON. */
export const jsonFlag = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON instead of a table"),
  Flag.withDefault(false)
)

const list = Command.make(
  "list",
  { ...serverFlags, json: jsonFlag },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const companies = yield* listCompanies(server)
    const accounts = companies.flatMap(({ id: companyId, live, name, sandbox }) => [
      { id: live.accountId, mode: "Live", company: name, companyId },
      { id: sandbox.accountId, mode: "Sandbox", company: name, companyId }
    ])
    if (given.json) return yield* printJson(accounts)
    return yield* print(
      table([
        ["ACCOUNT", "MODE", "COMPANY", "COMPANY ID"],
        ...accounts.map(({ company, companyId, id, mode }) => [id, mode, oneLine(company), companyId])
      ])
    )
  })
).pipe(
  Command.withDescription("List the accounts of the installation, newest company first"),
  Command.withExamples([{ command: "svc accounts list" }])
)

/** `svc accounts`. */
export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Show the accounts of the installation"),
  Command.withSubcommands([list])
)
