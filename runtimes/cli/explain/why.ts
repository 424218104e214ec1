/**
 * `svc why`: explains why a person did or did not get an email, the emails of a flow, or a campaign.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiError } from "../../../client/index.ts"
import { jsonFlag } from "../accounts.ts"
import { accountFlag } from "../keys.ts"
import { listCompanies, type Server, serverFlags, serverOf } from "../management.ts"
import { CommandFailed, oneLine, print, printJson } from "../output.ts"

const kinds = ["email", "flow", "campaign"] as const

/** The reference to a person. An address stands for the person who has it. */
const referenceOf = (person: string): string =>
  person.includes("@") && !/^(?:email|ext):/.test(person) ? `email:${person}` : person

/** Errors that a search through accounts ignores. */
const elsewhere: ReadonlySet<string | null> = new Set(["common.not_found", "audience.contact_not_found"])

/** An account's explanation about an id; null if the account does not have the id or the person. */
const explanationIn = Effect.fnUntraced(function* (
  server: Server,
  accountId: string,
  contact: string,
  id: string
) {
  for (const kind of kinds) {
    const found = yield* server.manage((client) =>
      client.explain
        .get(accountId, { contact, [kind]: id })
        .catch((error: unknown) =>
          error instanceof ApiError && elsewhere.has(error.code) ? null : Promise.reject(error)
        )
    )
    if (found !== null) return found
  }
  return null
})

/** The accounts to search: the given one, or else all. */
const accountsOf = Effect.fnUntraced(function* (server: Server, given: Option.Option<string>) {
  if (Option.isSome(given)) return [given.value]
  const companies = yield* listCompanies(server)
  return companies.flatMap(({ live, sandbox }) => [live.accountId, sandbox.accountId])
})

/** `svc why`. */
export const why = Command.make(
  "why",
  {
    ...serverFlags,
    person: Argument.String("person").pipe(
      Argument.withDescription(
        "An email address, the id of a contact, or ext: followed by your own id of the user"
      )
    ),
    id: Argument.String("id").pipe(Argument.withDescription("Id of an email, a flow or a campaign")),
    account: Flag.optional(accountFlag),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const contact = referenceOf(given.person.trim())
    for (const account of yield* accountsOf(server, given.account)) {
      const found = yield* explanationIn(server, account, contact, given.id.trim().toLowerCase())
      if (found === null) continue
      if (given.json) return yield* printJson(found)
      return yield* print(
        [
          found.verdict,
          ...found.because.map(({ at, code, sentence }) => `  ${at ?? "-"}  ${oneLine(sentence)} (${code})`),
          ...found.next.map(({ action, sentence }) =>
            action === undefined
              ? `Next: ${oneLine(sentence)}`
              : `Next: ${oneLine(sentence)} ${action.method} ${action.path}`
          )
        ].join("\n")
      )
    }
    return yield* CommandFailed.of(
      `No account has both ${oneLine(given.person)} and an email, flow or campaign ${oneLine(given.id)}`
    )
  })
).pipe(
  Command.withDescription(
    "Explain why a person did or did not get an email, or the emails of a flow or a campaign"
  ),
  Command.withExamples([{ command: "svc why ada@example.org 019b..." }])
)
