/**
 * `svc tokens`: creates, lists and revokes installation tokens.
 *
 * @module
 */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { installationRights } from "../../core/model/InstallationToken.ts"
import { jsonFlag } from "./accounts.ts"
import { listAll, serverFlags, serverOf } from "./management.ts"
import { oneLine, print, printJson, table, UsageFailed } from "./output.ts"

const maxDays = 365

const create = Command.make(
  "create",
  {
    ...serverFlags,
    right: Flag.String("right").pipe(
      Flag.withDescription(`What it may do, with commas between: ${installationRights.join(", ")}`),
      Flag.withMetavar("list")
    ),
    name: Flag.String("name").pipe(Flag.withDescription("What the token is for")),
    expires: Flag.String("expires").pipe(
      Flag.withDescription(`When it stops working: never, or 1 to ${maxDays} days from now`),
      Flag.withMetavar("days")
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (given) {
    const rights = given.right
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
    const days = /^\d{1,3}$/.test(given.expires) ? Number(given.expires) : 0
    if (given.expires !== "never" && (days < 1 || days > maxDays)) {
      return yield* UsageFailed.of(`--expires takes never, or 1 to ${maxDays}`)
    }
    if (
      rights.length === 0 ||
      rights.some((one) => !(installationRights as ReadonlyArray<string>).includes(one))
    ) {
      return yield* UsageFailed.of(`--right takes any of ${installationRights.join(", ")}`)
    }
    const server = yield* serverOf(given)
    const expiresInDays = given.expires === "never" ? null : days
    const issued = yield* server.manage((client) =>
      client.tokens.create({ name: given.name, rights, expiresInDays })
    )
    if (given.json) return yield* printJson(issued)
    return yield* print(
      [
        "Keep the token; it is not shown again.",
        `  Id       ${issued.id}`,
        `  Name     ${oneLine(issued.name)}`,
        `  Token    ${issued.token}`,
        `  Rights   ${issued.rights.join(", ")}`,
        `  Expires  ${issued.expiresAt ?? "never"}`
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription("Make an installation token and print it, once"),
  Command.withExamples([
    { command: "svc tokens create --right metrics:read --name prometheus --expires never" }
  ])
)

const revoke = Command.make(
  "revoke",
  {
    ...serverFlags,
    id: Argument.String("token-id").pipe(Argument.withDescription("Id of the token; see svc tokens list"))
  },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const id = given.id.trim().toLowerCase()
    yield* server.manage((client) => client.tokens.revoke(id))
    return yield* print(`Revoked ${oneLine(id)}: no node takes it any more`)
  })
).pipe(
  Command.withDescription("Revoke an installation token, at once and for good"),
  Command.withExamples([{ command: "svc tokens revoke 019b..." }])
)

const list = Command.make(
  "list",
  { ...serverFlags, json: jsonFlag },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const tokens = yield* listAll(server, (client, query) => client.tokens.list(query))
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
  Command.withDescription("List the installation tokens, without the tokens themselves"),
  Command.withExamples([{ command: "svc tokens list" }])
)

/** `svc tokens`. */
export const tokens = Command.make("tokens").pipe(
  Command.withDescription("Tokens of programs of the installation, such as Prometheus"),
  Command.withSubcommands([create, list, revoke])
)
