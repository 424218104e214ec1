/**
 * `svc erasures`: after a restore, erases the people again who were erased since the backup.
 *
 * @module
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { serverFlags, serverOf } from "./management.ts"
import { codeOf, CommandFailed, oneLine, print } from "./output.ts"

/** The maximum number of contacts in a call. */
const maxErasures = 1_000

const accountOf = /\baccount=([0-9a-f-]{36})\b/
const contactOf = /\btarget=([0-9a-f-]{36})\b/

/** The erased contacts of each account, from the lines of a log. */
const readErasures = async (path: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const found = new Map<string, Set<string>>()
  const input = path === "-" ? process.stdin : createReadStream(path)
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (!line.includes("contact.erased")) continue
    const account = accountOf.exec(line)?.[1]
    const contact = contactOf.exec(line)?.[1]
    if (account === undefined || contact === undefined) continue
    const ids = found.get(account) ?? new Set()
    found.set(account, ids.add(contact))
  }
  return found
}

const apply = Command.make(
  "apply",
  {
    log: Argument.String("log").pipe(
      Argument.withDescription("File with the service's log since the backup, or - for standard input")
    ),
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ log, ...given }) {
    const server = yield* serverOf(given)
    const accounts = yield* Effect.tryPromise({
      try: () => readErasures(log),
      catch: (error) => new CommandFailed({ message: `${oneLine(log)} cannot be read: ${codeOf(error)}` })
    })
    let logged = 0
    let erased = 0
    for (const [accountId, contacts] of accounts) {
      const ids = [...contacts]
      logged += ids.length
      for (let from = 0; from < ids.length; from += maxErasures) {
        const contactIds = ids.slice(from, from + maxErasures)
        erased += (yield* server.manage((client) => client.people.erase(accountId, { contactIds }))).erased
      }
    }
    return yield* print(
      `${logged} erasures in the log: ${erased} erased again, ${logged - erased} already erased or unknown`
    )
  })
).pipe(
  Command.withDescription(
    "After a backup was restored, erase again the people who were erased since the backup. The service logs each erasure " +
      "in a line contact.erased, which contains the ids of the account and the contact but no personal data."
  ),
  Command.withExamples([{ command: "journalctl --unit svc --since 2026-11-20 | svc erasures apply -" }])
)

/** `svc erasures`. */
export const erasures = Command.make("erasures").pipe(
  Command.withDescription("Repeat the erasures of people after a restore"),
  Command.withSubcommands([apply])
)
