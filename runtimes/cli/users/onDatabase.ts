/**
 * The implementation of `svc users`. It is loaded on demand because it imports the database engine.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { cliActor } from "../../../core/model/Actor.ts"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import { AuditTrail } from "../../../core/accounts/AuditTrail.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import type { User } from "../../../core/model/User.ts"
import { maxPageSize } from "../../../core/shared/Page.ts"
import { messageOf, type Problem, type Unavailable } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { factorsOf } from "../../../core/users/Factors.ts"
import { Sessions } from "../../../core/users/Sessions.ts"
import { linkLifetimes, SetupLinks } from "../../../core/users/SetupLinks.ts"
import { Users } from "../../../core/users/Users.ts"
import { configuration } from "../../config/config.ts"
import { closeDataDirectory } from "../../server/dataDirectory.ts"
import { publicEndpointOf } from "../../server/publicEndpoint.ts"
import { storageLayer } from "../../server/storage.ts"
import { explainFailures } from "../migrateStore.ts"
import { CommandFailed, oneLine, print, printJson, table } from "../output.ts"

/** The actor that the audit log records for commands. */
const actor = cliActor

const hourMillis = 3_600_000

/** Runs a use case about users on the configured database, whose schema is migrated to this version's. */
const onDatabase = Effect.fnUntraced(function* <A>(
  use: (users: Users["Service"]) => Effect.Effect<A, Problem | Unavailable>
) {
  const configured = yield* configuration
  if (configured.store._tag === "Memory") {
    return yield* CommandFailed.of("SVC_STORE is memory, so users exist only in the running server")
  }
  yield* closeDataDirectory(configured)
  const services = Users.layer.pipe(
    Layer.provide([Sessions.layer, SetupLinks.layer, AuditTrail.layer]),
    Layer.provide(Ids.layer),
    Layer.provide([
      Crypto.layer,
      Layer.succeed(PublicEndpoint, publicEndpointOf(configured).publicEndpoint),
      storageLayer(configured)
    ])
  )
  const used = Effect.flatMap(Users, use)
  return yield* Effect.catchTag(
    explainFailures(configured)(Effect.scoped(Effect.provide(used, services))),
    "Problem",
    ({ issues: [first] }) =>
      CommandFailed.of(
        first.code === "common.not_found" ? "No user has this address; see svc users list" : messageOf(first)
      )
  )
})

const shown = (user: User) => ({
  id: user.id,
  email: user.email,
  name: user.name,
  operator: user.isOperator,
  status: user.status,
  factors: factorsOf(user),
  lastSeenAt: user.lastSeenAt === null ? null : formatDateTime(user.lastSeenAt),
  createdAt: formatDateTime(user.createdAt)
})

const everyUser = (users: Users["Service"]) =>
  Effect.gen(function* () {
    const found: Array<User> = []
    for (let page = 1; ; page++) {
      const { items, totalCount } = yield* users.list({ page, pageSize: maxPageSize })
      found.push(...items)
      if (items.length === 0 || found.length >= totalCount) return found
    }
  })

/** Prints the users. */
export const listUsers = Effect.fnUntraced(function* (json: boolean) {
  const users = (yield* onDatabase(everyUser)).map(shown)
  if (json) return yield* printJson(users)
  return yield* print(
    table([
      ["ID", "EMAIL", "NAME", "OPERATOR", "STATUS", "FACTORS", "LAST SEEN"],
      ...users.map((user) => [
        user.id,
        oneLine(user.email),
        oneLine(user.name ?? ""),
        user.operator ? "yes" : "no",
        user.status,
        user.factors.join(","),
        user.lastSeenAt ?? "never"
      ])
    ])
  )
})

const describeLink = (link: string, hours: number): string =>
  `${link}\nValid for ${hours} ${hours === 1 ? "hour" : "hours"}, for one use. Whoever opens it first signs in as the user, so send it only to that person`

/** Invites an operator and prints the link. */
export const inviteOperator = Effect.fnUntraced(function* (email: string) {
  const { link, user } = yield* onDatabase((users) => users.inviteOperator(email, actor))
  return yield* print(
    link === null
      ? `${oneLine(user.email)} is now an operator and signs in as before`
      : describeLink(link, linkLifetimes.Invitation / hourMillis)
  )
})

/** Disables a user. */
export const disableUser = Effect.fnUntraced(function* (email: string) {
  const user = yield* onDatabase((users) =>
    Effect.flatMap(users.byEmail(email), ({ id }) => users.setDisabled(id, true, actor))
  )
  return yield* print(`Disabled ${oneLine(user.email)} and ended all sessions`)
})

/** Ends the sessions of a user. */
export const signOutUser = Effect.fnUntraced(function* (email: string) {
  const ended = yield* onDatabase((users) =>
    Effect.flatMap(users.byEmail(email), ({ id }) => users.signOut(id, actor))
  )
  return yield* print(`Ended ${ended} ${ended === 1 ? "session" : "sessions"} of ${oneLine(email)}`)
})

/** Prints a link with which a user sets another password. */
export const resetUser = Effect.fnUntraced(function* (email: string) {
  const link = yield* onDatabase((users) =>
    Effect.flatMap(users.byEmail(email), ({ id }) => users.resetLink(id, actor))
  )
  return yield* print(describeLink(link, linkLifetimes.Reset / hourMillis))
})
