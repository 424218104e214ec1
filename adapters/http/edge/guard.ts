/**
 * Authenticates the caller of a request, with one Service for each kind of guard. A rejection sets the headers of its
 * reply: `www-authenticate` (RFC 9110, 11.6.1), the rate window and `retry-after`.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { prefixes } from "../../../core/accounts/KeyFormat.ts"
import { Authentication, type AuthResult, type KnownKey } from "../../../core/accounts/Authentication.ts"
import { FlowTriggers } from "../../../core/automation/flows/FlowTriggers.ts"
import { Stores } from "../../../core/commerce/stores/Stores.ts"
import { type Actor, keyActor, systemActor } from "../../../core/model/Actor.ts"
import type { Permission } from "../../../core/model/Permission.ts"
import type { Store } from "../../../core/model/Store.ts"
import type { Origin } from "../../../core/shared/Network.ts"
import { type Code, Problem, type Unavailable } from "../../../core/shared/Problem.ts"
import { actorOf as identityOf, type Caller as Manager } from "../../../core/users/Caller.ts"
import { CallerAuthentication } from "../../../core/users/CallerAuthentication.ts"
import { type Authenticated, callerOfSession } from "../../../core/users/Sessions.ts"
import type { Guard } from "../schema/Envelope.ts"
import { SessionCookies } from "./cookies.ts"

/** An authenticated caller. The ids are empty if the guard is not one for keys. */
export interface Caller {
  readonly accountId: string
  readonly keyId: string
  /** The calling store, on routes for stores. */
  readonly store?: Store
  /** The calling user or token, on routes of the management API. */
  readonly manager?: Manager
  /** The calling session, on routes for sessions. */
  readonly session?: Authenticated
}

/** The parts of a request that guards read. */
export interface Credentials {
  /** The token of `Authorization: Bearer <token>`; null if absent. */
  readonly token: string | null
  /** The origin of the request. */
  readonly origin: Origin
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string | undefined>>
  readonly method: string
  /** Returns a header's value by its lower-case name; null if absent. */
  readonly header: (name: string) => string | null
  /** The headers of the reply, to which a guard may add. */
  readonly headers: Record<string, string>
  /** The call's entry in the request log, to which a guard adds the key. */
  readonly trail: Trail
  /** Whether this authenticates a call in progress again, which does not count as a use of its session or token. */
  readonly isRepeated?: boolean
}

/** What the request log keeps of a call. */
export interface Trail {
  /** Null if the call has no known API key. */
  key: KnownKey | null
  /** The beginning of the body, kept only in a sandbox. */
  body: string | null
}

/**
 * Returns the caller. Fails with auth.unauthorized, auth.forbidden, common.rate_limited, automation.api_trigger_invalid or
 * users.too_many_attempts.
 */
export type Authenticate = (credentials: Credentials) => Effect.Effect<Caller, Problem | Unavailable>

const noCaller: Caller = { accountId: "", keyId: "" }

/** The maximum number of characters of a user agent that an audit entry keeps. */
const maxUserAgent = 300

/** The actor that the audit log records for a caller. */
export const actorOf = (
  { keyId, manager }: Caller,
  { network }: Origin,
  userAgent: string | undefined
): Actor => {
  const from = { network, userAgent: userAgent?.slice(0, maxUserAgent) ?? null }
  if (manager === undefined) return { ...(keyId === "" ? systemActor : keyActor(keyId)), ...from }
  const sessionId = manager._tag === "Session" ? manager.sessionId : null
  return { ...identityOf(manager), sessionId, ...from }
}

/** The kinds of keys, by their prefixes. */
const kinds = [
  [prefixes.live, "an API key"],
  [prefixes.test, "an API key"],
  [prefixes.flow, "the token of a flow"],
  [prefixes.store, "the token of a store"],
  [prefixes.admin, "a management token"],
  [prefixes.ops, "an installation token"],
  [prefixes.team, "a company token"],
  [prefixes.user, "a personal token"]
] as const

/** The kind of key a guard requires: its name for messages, and the prefixes of such keys. */
interface Wanted {
  readonly what: string
  readonly prefixes: ReadonlyArray<string>
  /** What else may be wrong with a key of the required kind. */
  readonly wrong: string
}

const apiKeys: Wanted = {
  what: `an API key (${prefixes.live}... or ${prefixes.test}...)`,
  prefixes: [prefixes.live, prefixes.test],
  wrong: "The API key is mistyped, unknown, revoked or expired."
}
const flowTokens: Wanted = {
  what: `the token of this flow (${prefixes.flow}...)`,
  prefixes: [prefixes.flow],
  wrong: "The token must be that of this flow."
}
const storeTokens: Wanted = {
  what: `the token of this store (${prefixes.store}...)`,
  prefixes: [prefixes.store],
  wrong: "The token must be that of this store, which must be connected."
}
const managementTokens: Wanted = {
  what: `the management token (SVC_ADMIN_TOKEN or ${prefixes.admin}...), an installation token (${prefixes.ops}...), a company token (${prefixes.team}...) or a personal token (${prefixes.user}...)`,
  prefixes: [prefixes.admin, prefixes.ops, prefixes.team, prefixes.user],
  wrong: "The token is not the management token, and no other token that is valid."
}

/** Says why a call is not authenticated. It names the kind of key that was sent, by its prefix, and nothing else of it. */
const reasonOf = (token: string | null, wanted: Wanted): string => {
  if (token === null) {
    return `The call must have a key in the header Authorization: Bearer <key>; this route takes ${wanted.what}.`
  }
  const [, sent] = kinds.find(([prefix]) => token.startsWith(prefix)) ?? []
  return sent === undefined || wanted.prefixes.some((prefix) => token.startsWith(prefix))
    ? wanted.wrong
    : `The call was made with ${sent}; this route takes ${wanted.what}.`
}

/** Rejects a call with auth.unauthorized, or automation.api_trigger_invalid if it needs the token of a flow. */
const unauthorized = (
  headers: Record<string, string>,
  token: string | null,
  wanted: Wanted
): Effect.Effect<never, Problem> => {
  headers["www-authenticate"] = "Bearer"
  const code: Code = wanted === flowTokens ? "automation.api_trigger_invalid" : "auth.unauthorized"
  return Effect.fail(Problem.of(code, null, null, { reason: reasonOf(token, wanted) }))
}

/** Returns the caller of an authentication result, and sets the headers of its rate window. */
const callerOf = (
  result: AuthResult | ({ readonly _tag: "Authenticated" } & Caller & { readonly rate: RateOf }),
  { headers, token }: Pick<Credentials, "headers" | "token">,
  wanted: Wanted,
  permission?: Permission
): Effect.Effect<Caller, Problem> => {
  if (result._tag === "Unauthorized") return unauthorized(headers, token, wanted)
  Object.assign(headers, rateHeaders(result.rate))
  if (result._tag === "Authenticated") return Effect.succeed<Caller>(result)
  if (result._tag === "Forbidden") {
    return Effect.fail(
      Problem.of("auth.forbidden", null, null, permission === undefined ? undefined : { permission })
    )
  }
  headers["retry-after"] = String(result.rate.resetSeconds)
  return Effect.fail(Problem.of("common.rate_limited", null, null, { limit: String(result.rate.limit) }))
}

type RateOf = Extract<AuthResult, { readonly _tag: "Authenticated" }>["rate"]

const rateHeaders = ({ limit, remaining, resetSeconds }: RateOf) => ({
  "ratelimit-limit": String(limit),
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": String(resetSeconds)
})

/** Accepts API keys with a permission. */
export class KeyGuard extends Context.Service<KeyGuard, (permission: Permission) => Authenticate>()(
  "svc/http/KeyGuard"
) {
  static readonly layer = Layer.effect(
    KeyGuard,
    Effect.map(Authentication, (authentication) =>
      KeyGuard.of(
        (permission) =>
          ({ headers, token, trail }) =>
            token === null
              ? unauthorized(headers, token, apiKeys)
              : Effect.flatMap(authentication.authenticate(token, permission, "api"), (result) => {
                  if (result._tag !== "Unauthorized") trail.key = result.key ?? null
                  return callerOf(result, { headers, token }, apiKeys, permission)
                })
      )
    )
  )
}

/** Returns the session of a request. If the session gets another id, the reply sets the new cookie. */
const sessionIn = Effect.fnUntraced(function* (cookies: SessionCookies["Service"], credentials: Credentials) {
  const found = yield* cookies.authenticate(credentials)
  if (credentials.isRepeated === true) return found
  const renewal = yield* cookies.renewal(found)
  if (renewal !== null) credentials.headers["set-cookie"] = renewal
  return found
})

/** Accepts callers of the management API; `core/users/Caller.ts` decides what each may do. */
export class ManagementGuard extends Context.Service<ManagementGuard, Authenticate>()(
  "svc/http/ManagementGuard"
) {
  static readonly layer = Layer.effect(
    ManagementGuard,
    Effect.gen(function* () {
      const { authenticate } = yield* CallerAuthentication
      const cookies = yield* SessionCookies

      const bySession = (credentials: Credentials): Effect.Effect<Caller, Problem | Unavailable> =>
        Effect.flatMap(sessionIn(cookies, credentials), (found) =>
          found.needsFactor
            ? Effect.fail(Problem.of("users.factor_required"))
            : Effect.succeed({ ...noCaller, manager: callerOfSession(found) })
        )

      return ManagementGuard.of((credentials) => {
        const { headers, isRepeated = false, origin, token } = credentials
        if (token === null && cookies.session(credentials) !== null) return bySession(credentials)
        return Effect.flatMap(
          authenticate({ token, origin, isRepeated }),
          (result): Effect.Effect<Caller, Problem> => {
            switch (result._tag) {
              case "Authenticated":
                return Effect.succeed({ ...noCaller, manager: result.caller })
              case "LockedOut":
                headers["retry-after"] = String(result.retrySeconds)
                return Effect.fail(Problem.of("users.too_many_attempts"))
              case "Unauthorized":
                return unauthorized(headers, token, managementTokens)
            }
          }
        )
      })
    })
  )
}

/** Accepts sessions, including those of users who lack a second factor. */
export class SessionGuard extends Context.Service<SessionGuard, Authenticate>()("svc/http/SessionGuard") {
  static readonly layer = Layer.effect(
    SessionGuard,
    Effect.map(SessionCookies, (cookies) =>
      SessionGuard.of((credentials) =>
        Effect.map(sessionIn(cookies, credentials), (session) => ({ ...noCaller, session }))
      )
    )
  )
}

/** Accepts the token of the store that `storeId` in the path names. */
export class StoreGuard extends Context.Service<StoreGuard, Authenticate>()("svc/http/StoreGuard") {
  static readonly layer = Layer.effect(
    StoreGuard,
    Effect.map(Stores, (stores) =>
      StoreGuard.of(({ headers, params, token }) =>
        Effect.flatMap(stores.authenticate(params["storeId"] ?? "", token ?? ""), (result) =>
          callerOf(result, { headers, token }, storeTokens)
        )
      )
    )
  )
}

/** Accepts the trigger token of the flow that `flowId` in the path names. */
export class FlowTokenGuard extends Context.Service<FlowTokenGuard, Authenticate>()(
  "svc/http/FlowTokenGuard"
) {
  static readonly layer = Layer.effect(
    FlowTokenGuard,
    Effect.map(FlowTriggers, (triggers) =>
      FlowTokenGuard.of(({ headers, params, token }) =>
        token === null
          ? unauthorized(headers, token, flowTokens)
          : Effect.flatMap(triggers.authenticate(params["flowId"] ?? "", token), (result) =>
              callerOf(result, { headers, token }, flowTokens)
            )
      )
    )
  )
}

/** All guards. */
export const guardsLayer = Layer.mergeAll(
  KeyGuard.layer,
  ManagementGuard.layer,
  SessionGuard.layer,
  StoreGuard.layer,
  FlowTokenGuard.layer
)

const open: Authenticate = () => Effect.succeed(noCaller)

/** Returns the authentication of a definition's guard. */
export const authenticateBy = Effect.gen(function* () {
  const key = yield* KeyGuard
  const others = {
    Open: open,
    Management: yield* ManagementGuard,
    Session: yield* SessionGuard,
    Store: yield* StoreGuard,
    FlowToken: yield* FlowTokenGuard
  }
  return (guard: Guard): Authenticate => (guard._tag === "Key" ? key(guard.permission) : others[guard._tag])
})

/**
 * Counts a request that presents an API key but matches no route, and sets the headers of its rate window. It rejects no
 * request: the reply reports the wrong path or method even beyond the limit or while the database is unavailable.
 */
export const countKeyed = Effect.map(Authentication, ({ authenticate }) => {
  return (token: string | null, headers: Record<string, string>, trail: Trail): Effect.Effect<void> =>
    token === null
      ? Effect.void
      : Effect.ignore(
          Effect.flatMap(authenticate(token, null, "api"), (result) =>
            result._tag === "Unauthorized"
              ? Effect.void
              : Effect.sync(() => {
                  trail.key = result.key ?? null
                  Object.assign(headers, rateHeaders(result.rate))
                })
          )
        )
})

/** The token of `Authorization: Bearer <token>`; null if absent. */
export const bearerToken = ({ headers }: HttpServerRequest.HttpServerRequest): string | null =>
  /^bearer +([\x21-\x7e]+)$/i.exec(headers["authorization"]?.trim() ?? "")?.[1] ?? null
