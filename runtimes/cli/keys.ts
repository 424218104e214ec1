/**
 * `svc keys`: creates, lists and revokes API keys of an account.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { permissions as known } from "../../core/model/Permission.ts"
import { jsonFlag } from "./accounts.ts"
import { listCompanies, type Server, serverFlags, serverOf } from "./management.ts"
import { CommandFailed, oneLine, print, printJson, table, UsageFailed } from "./output.ts"

/** The flag that names an account. */
export const accountFlag = Flag.String("account").pipe(
  Flag.withDescription("Id of the account; see svc accounts list"),
  Flag.withMetavar("id")
)

const lifetimes = ["30", "90", "365", "never"] as const

const create = Command.make(
  "create",
  {
    ...serverFlags,
    account: accountFlag,
    name: Flag.String("name").pipe(Flag.withDescription("What the key is for")),
    permissions: Flag.String("permissions").pipe(
      Flag.withDescription(`Comma-separated permissions: all, or any of ${known.join(", ")}`),
      Flag.withMetavar("list")
    ),
    expiresInDays: Flag.Literals("expires-in-days", lifetimes).pipe(
      Flag.withDescription("Number of days after which the key expires")
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (given) {
    const named = given.permissions
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
    const wanted = named.length === 1 && named[0] === "all" ? known : named
    const unknown = wanted.filter((one) => !(known as ReadonlyArray<string>).includes(one))
    if (wanted.length === 0 || unknown.length > 0) {
      return yield* UsageFailed.of(`--permissions takes all, or any of ${known.join(", ")}`)
    }
    const server = yield* serverOf(given)
    const expiresInDays = given.expiresInDays === "never" ? null : Number(given.expiresInDays)
    const issued = yield* server.manage((client) =>
      client.apiKeys.create(given.account, { name: given.name, permissions: wanted, expiresInDays })
    )
    if (given.json) return yield* printJson(issued)
    return yield* print(
      [
        "Store the key now. It cannot be shown again.",
        `  Id           ${issued.id}`,
        `  Name         ${oneLine(issued.name)}`,
        `  Key          ${issued.key}`,
        `  Permissions  ${issued.permissions.join(", ")}`,
        `  Expires      ${issued.expiresAt ?? "never"}`
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription("Create an API key and print it. It cannot be shown again"),
  Command.withExamples([
    {
      command:
        'svc keys create --account 019a... --name "Web shop" --permissions emails:send,emails:read --expires-in-days 90'
    }
  ])
)

/** The account to which a key belongs; null if there is none. */
const accountOfKey = Effect.fnUntraced(function* (server: Server, id: string) {
  const companies = yield* listCompanies(server)
  for (const accountId of companies.flatMap(({ live, sandbox }) => [live.accountId, sandbox.accountId])) {
    const found = yield* server.manage((client) => client.apiKeys.list(accountId))
    if (found.some((key) => key.id === id)) return accountId
  }
  return null
})

const revoke = Command.make(
  "revoke",
  {
    ...serverFlags,
    id: Argument.String("key-id").pipe(Argument.withDescription("Id of the key; see svc keys list")),
    account: Flag.optional(accountFlag)
  },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const id = given.id.trim().toLowerCase()
    const account = Option.getOrNull(given.account) ?? (yield* accountOfKey(server, id))
    if (account === null) return yield* CommandFailed.of(`No account has an API key ${oneLine(given.id)}`)
    yield* server.manage((client) => client.apiKeys.revoke(account, id))
    return yield* print(`Revoked ${id}. No node accepts it any more`)
  })
).pipe(
  Command.withDescription("Revoke an API key immediately and permanently"),
  Command.withExamples([{ command: "svc keys revoke 019b..." }])
)

const list = Command.make(
  "list",
  { ...serverFlags, account: accountFlag, json: jsonFlag },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const keys = yield* server.manage((client) => client.apiKeys.list(given.account))
    if (given.json) return yield* printJson(keys)
    return yield* print(
      table([
        ["ID", "KEY", "NAME", "EXPIRES", "LAST USED", "REVOKED", "PERMISSIONS"],
        ...keys.map((key) => [
          key.id,
          key.display,
          oneLine(key.name),
          key.expiresAt ?? "never",
          key.lastUsedAt ?? "never",
          key.revokedAt ?? "no",
          key.permissions.join(",")
        ])
      ])
    )
  })
).pipe(
  Command.withDescription("List the API keys of an account. The secret parts are not shown"),
  Command.withExamples([{ command: "svc keys list --account 019a..." }])
)

/** `svc keys`. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Manage the API keys of an account"),
  Command.withSubcommands([create, list, revoke])
)
