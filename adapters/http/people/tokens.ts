/**
 * Handles the endpoints of personal tokens, and of devices that obtain one.
 *
 * @module
 */
import { Effect } from "effect"
import type { Token, TokenOwner } from "../../../core/model/Token.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { AnonymousCalls } from "../../../core/users/signin/AnonymousCalls.ts"
import { requireWhole } from "../../../core/users/OwnAccount.ts"
import { type Authenticated, actorOfSession, callerOfSession } from "../../../core/users/Sessions.ts"
import { deviceInterval, deviceMillis, DeviceSignIn } from "../../../core/users/signin/DeviceSignIn.ts"
import { Tokens } from "../../../core/users/Tokens.ts"
import { browserOf, sessionOf } from "../edge/cookies.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { listed } from "../edge/lists.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const encodeToken = ({ display, expiresAt, id, name, rights, ...token }: Token) => ({
  id,
  name,
  display,
  rights,
  accounts: null,
  expiresAt: dateTimeOrNull(expiresAt),
  createdAt: formatDateTime(token.createdAt),
  lastUsedAt: dateTimeOrNull(token.lastUsedAt),
  lastUsedNetwork: token.lastUsedNetwork,
  revokedAt: dateTimeOrNull(token.revokedAt)
})

const ownerOf = ({ user }: Authenticated): TokenOwner => ({ companyId: null, userId: user.id })

/** Personal tokens. */
export const personalTokensRoutes = Effect.map(Tokens, (tokens) =>
  bind(ManagementApi.groups.personalTokens, {
    create: Effect.fnUntraced(function* (call) {
      const session = yield* sessionOf(call)
      yield* requireWhole(session)
      const { rights = null, ...payload } = call.payload
      const { secret, token } = yield* tokens.create(
        ownerOf(session),
        { ...payload, rights },
        { actor: actorOfSession(session), caller: callerOfSession(session) }
      )
      const { accounts, display, expiresAt, id, name, rights: given } = encodeToken(token)
      return created({ id, name, token: secret, display, rights: given, accounts, expiresAt })
    }),
    list: Effect.fnUntraced(function* (call) {
      const found = yield* tokens.list(ownerOf(yield* sessionOf(call)), call.page)
      return ok(listed(call.page, found, encodeToken))
    }),
    revoke: Effect.fnUntraced(function* (call) {
      const session = yield* sessionOf(call)
      yield* tokens.revoke(ownerOf(session), call.params.id, actorOfSession(session))
      return ok(null)
    })
  })
)

/** Devices. */
export const deviceRoutes = Effect.gen(function* () {
  const anonymous = yield* AnonymousCalls
  const devices = yield* DeviceSignIn
  return bind(ManagementApi.groups.device, {
    begin: Effect.fnUntraced(function* ({ origin }) {
      yield* anonymous.take(origin)
      const waiting = yield* devices.begin
      return ok({ ...waiting, expiresIn: deviceMillis / 1000, interval: deviceInterval })
    }),
    token: (call) =>
      Effect.map(devices.poll(call.payload.deviceCode, browserOf(call)), ({ secret }) =>
        ok({ token: secret })
      ),
    confirm: Effect.fnUntraced(function* (call) {
      yield* devices.confirm(yield* sessionOf(call), call.payload.userCode, browserOf(call))
      return ok(null)
    })
  })
})
