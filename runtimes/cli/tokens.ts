/**
 * `svc tokens`: creates, lists and revokes tokens of the installation or, with `--company`, those of a company.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { companyRights, installationRights } from "../../core/model/Right.ts"
import { tokenAccounts } from "../../core/model/Token.ts"
import { jsonFlag } from "./accounts.ts"
import { listAll, serverFlags, serverOf } from "./management.ts"
import { oneLine, print, printJson, table, UsageFailed } from "./output.ts"

const maxDays = 365

const companyFlag = Flag.String("company").pipe(
  Flag.optional,
  Flag.withDescription(
    "Id of a company, for the tokens of that company instead of the installation; see svc accounts list"
  ),
  Flag.withMetavar("id")
)

const create = Command.make(
  "create",
  {
    ...serverFlags,
    right: Flag.String("right").pipe(
      Flag.withDescription(
        `Comma-separated rights: ${installationRights.join(", ")}; for a token of a company, the rights in companies`
      ),
      Flag.withMetavar("list")
    ),
    name: Flag.String("name").pipe(Flag.withDescription("What the token is for")),
    expires: Flag.String("expires").pipe(
      Flag.withDescription(`Number of days after which the token expires: 1 to ${maxDays}, or never`),
      Flag.withMetavar("days")
    ),
    company: companyFlag,
    accounts: Flag.Literals("accounts", tokenAccounts).pipe(
      Flag.optional,
      Flag.withDescription("Accounts of the company that the token can access. Default: Both")
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (given) {
    const company = Option.getOrUndefined(given.company)
    const accounts = Option.getOrUndefined(given.accounts)
    if (company === undefined && accounts !== undefined) {
      return yield* UsageFailed.of("--accounts needs --company")
    }
    const known: ReadonlyArray<string> = company === undefined ? installationRights : companyRights
    const rights = given.right
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
    const days = /^\d{1,3}$/.test(given.expires) ? Number(given.expires) : 0
    if (given.expires !== "never" && (days < 1 || days > maxDays)) {
      return yield* UsageFailed.of(`--expires takes never, or 1 to ${maxDays}`)
    }
    if (rights.length === 0 || rights.some((one) => !known.includes(one))) {
      return yield* UsageFailed.of(`--right takes any of ${known.join(", ")}`)
    }
    const server = yield* serverOf(given)
    const expiresInDays = given.expires === "never" ? null : days
    const wanted = { name: given.name, rights, expiresInDays }
    const issued = yield* server.manage((client) =>
      company === undefined
        ? client.tokens.create(wanted)
        : client.companyTokens.create(company, accounts === undefined ? wanted : { ...wanted, accounts })
    )
    if (given.json) return yield* printJson(issued)
    return yield* print(
      [
        "Store the token now. It cannot be shown again.",
        `  Id       ${issued.id}`,
        `  Name     ${oneLine(issued.name)}`,
        `  Token    ${issued.token}`,
        `  Rights   ${issued.rights.join(", ")}`,
        `  Expires  ${issued.expiresAt ?? "never"}`
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Create a token of the installation or of a company and print it. It cannot be shown again"
  ),
  Command.withExamples([
    { command: "svc tokens create --right metrics:read --name prometheus --expires never" },
    {
      command:
        "svc tokens create --company 019b... --right contacts:read,stats:read --name reports --expires 90"
    }
  ])
)

const revoke = Command.make(
  "revoke",
  {
    ...serverFlags,
    id: Argument.String("token-id").pipe(Argument.withDescription("Id of the token; see svc tokens list")),
    company: companyFlag
  },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const id = given.id.trim().toLowerCase()
    yield* server.manage((client) =>
      Option.match(given.company, {
        onNone: () => client.tokens.revoke(id),
        onSome: (company) => client.companyTokens.revoke(company, id)
      })
    )
    return yield* print(`Revoked ${oneLine(id)}. No node accepts it any more`)
  })
).pipe(
  Command.withDescription("Revoke a token immediately and permanently"),
  Command.withExamples([{ command: "svc tokens revoke 019b..." }])
)

const list = Command.make(
  "list",
  { ...serverFlags, company: companyFlag, json: jsonFlag },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const tokens = yield* listAll(server, (client, query) =>
      Option.match(given.company, {
        onNone: () => client.tokens.list(query),
        onSome: (company) => client.companyTokens.list(company, query)
      })
    )
    if (given.json) return yield* printJson(tokens)
    return yield* print(
      table([
        ["ID", "TOKEN", "NAME", "EXPIRES", "LAST USED", "FROM", "REVOKED", "RIGHTS"],
        ...tokens.map((token) => [
          token.id,
          token.display,
          oneLine(token.name),
          token.expiresAt ?? "never",
          token.lastUsedAt ?? "never",
          token.lastUsedNetwork ?? "",
          token.revokedAt ?? "no",
          token.rights.join(",")
        ])
      ])
    )
  })
).pipe(
  Command.withDescription(
    "List the tokens of the installation or of a company. The secret parts are not shown"
  ),
  Command.withExamples([{ command: "svc tokens list" }])
)

/** `svc tokens`. */
export const tokens = Command.make("tokens").pipe(
  Command.withDescription(
    "Manage the tokens of programs, for the installation (such as Prometheus) or for a company"
  ),
  Command.withSubcommands([create, list, revoke])
)
