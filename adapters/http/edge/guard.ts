/**
 * Authenticates the caller of a request, with one Service for each kind of guard. A rejection sets the headers of its
 * reply: `www-authenticate` (RFC 9110, 11.6.1), the rate window and `retry-after`.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { prefixes } from "../../../core/accounts/KeyFormat.ts"
import { Authentication, type AuthResult } from "../../../core/accounts/Authentication.ts"
import { OperatorTokens } from "../../../core/accounts/OperatorTokens.ts"
import { FlowTriggers } from "../../../core/automation/flows/FlowTriggers.ts"
import { Stores } from "../../../core/commerce/stores/Stores.ts"
import type { InstallationRight } from "../../../core/model/InstallationToken.ts"
import type { Permission } from "../../../core/model/Permission.ts"
import type { Store } from "../../../core/model/Store.ts"
import type { Origin } from "../../../core/shared/Network.ts"
import { type Code, Problem, type Unavailable } from "../../../core/shared/Problem.ts"
import type { Guard } from "../schema/Envelope.ts"

/** An authenticated caller; the ids are empty where the guard is not a key. */
export interface Caller {
  readonly accountId: string
  readonly keyId: string
  /** The calling store, on routes of stores. */
  readonly store?: Store
}

/** The parts of a request that authenticate it. */
export interface Credentials {
  /** The token of `Authorization: Bearer <token>`; null without one. */
  readonly token: string | null
  /** Where the request comes from. */
  readonly origin: Origin
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** Headers of the reply, which a guard adds to. */
  readonly headers: Record<string, string>
}

/** Returns the caller; auth.unauthorized, auth.forbidden, common.rate_limited, automation.api_trigger_invalid. */
export type Authenticate = (credentials: Credentials) => Effect.Effect<Caller, Problem | Unavailable>

const noCaller: Caller = { accountId: "", keyId: "" }

/** The kinds of keys, by their prefixes. */
const kinds = [
  [prefixes.live, "an API key"],
  [prefixes.test, "an API key"],
  [prefixes.flow, "the token of a flow"],
  [prefixes.store, "the token of a store"],
  [prefixes.admin, "a management token"],
  [prefixes.ops, "an installation token"]
] as const

/** What a guard takes: for messages, and the prefixes of such keys. */
interface Wanted {
  readonly what: string
  readonly prefixes: ReadonlyArray<string>
  /** What else may be wrong with a key of the right kind. */
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
const operatorTokens: Wanted = {
  what: `the management token (SVC_ADMIN_TOKEN or ${prefixes.admin}...) or an installation token (${prefixes.ops}...)`,
  prefixes: [prefixes.admin, prefixes.ops],
  wrong: "The token is not the management token, and no installation token that is valid."
}

/** Why a call is not authenticated: by the kind of key that was sent, which its prefix shows, and nothing else of it. */
const reasonOf = (token: string | null, wanted: Wanted): string => {
  if (token === null) {
    return `The call must have a key in the header Authorization: Bearer <key>; this route takes ${wanted.what}.`
  }
  const [, sent] = kinds.find(([prefix]) => token.startsWith(prefix)) ?? []
  return sent === undefined || wanted.prefixes.some((prefix) => token.startsWith(prefix))
    ? wanted.wrong
    : `The call was made with ${sent}; this route takes ${wanted.what}.`
}

/** Refuses a call: auth.unauthorized, or automation.api_trigger_invalid for the token of a flow. */
const unauthorized = (
  headers: Record<string, string>,
  token: string | null,
  wanted: Wanted
): Effect.Effect<never, Problem> => {
  headers["www-authenticate"] = "Bearer"
  const code: Code = wanted === flowTokens ? "automation.api_trigger_invalid" : "auth.unauthorized"
  return Effect.fail(Problem.of(code, null, null, { reason: reasonOf(token, wanted) }))
}

/** The caller of a result, with the headers of its rate window. */
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
          ({ headers, token }) =>
            token === null
              ? unauthorized(headers, token, apiKeys)
              : Effect.flatMap(authentication.authenticate(token, permission, "api"), (result) =>
                  callerOf(result, { headers, token }, apiKeys, permission)
                )
      )
    )
  )
}

/** Accepts the operator's management token, and installation tokens with a right. */
export class ManagementGuard extends Context.Service<
  ManagementGuard,
  (right: InstallationRight | null) => Authenticate
>()("svc/http/ManagementGuard") {
  static readonly layer = Layer.effect(
    ManagementGuard,
    Effect.map(OperatorTokens, (tokens) =>
      ManagementGuard.of(
        (right) =>
          ({ headers, origin, token }) =>
            Effect.flatMap(tokens.authenticate({ token, origin, right }), (result) => {
              switch (result._tag) {
                case "Authenticated":
                  return Effect.succeed(noCaller)
                case "Forbidden":
                  return Effect.fail(
                    Problem.of(
                      "users.right_missing",
                      null,
                      null,
                      right === null ? { reason: "This route takes the management token alone." } : { right }
                    )
                  )
                case "LockedOut":
                  headers["retry-after"] = String(result.retrySeconds)
                  return Effect.fail(Problem.of("users.too_many_attempts"))
                case "Unauthorized":
                  return unauthorized(headers, token, operatorTokens)
              }
            })
      )
    )
  )
}

/** Accepts the token of the store that the path names by `storeId`. */
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

/** Accepts the trigger token of the flow that the path names by `flowId`. */
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

/** Every guard. */
export const guardsLayer = Layer.mergeAll(
  KeyGuard.layer,
  ManagementGuard.layer,
  StoreGuard.layer,
  FlowTokenGuard.layer
)

const open: Authenticate = () => Effect.succeed(noCaller)

/** Returns the authentication of a definition's guard. */
export const authenticateBy = Effect.gen(function* () {
  const key = yield* KeyGuard
  const management = yield* ManagementGuard
  const others = {
    Open: open,
    Store: yield* StoreGuard,
    FlowToken: yield* FlowTokenGuard
  }
  return (guard: Guard): Authenticate => {
    if (guard._tag === "Key") return key(guard.permission)
    return guard._tag === "Management" ? management(guard.right) : others[guard._tag]
  }
})

/**
 * Counts a request of no route that presents an API key, and sets the headers of its rate window. It refuses none: what is
 * wrong with the path or method is the answer, also beyond the limit and while the database is unavailable.
 */
export const countKeyed = Effect.map(Authentication, ({ authenticate }) => {
  return (token: string | null, headers: Record<string, string>): Effect.Effect<void> =>
    token === null
      ? Effect.void
      : Effect.ignore(
          Effect.flatMap(authenticate(token, null, "api"), (result) =>
            result._tag === "Unauthorized"
              ? Effect.void
              : Effect.sync(() => Object.assign(headers, rateHeaders(result.rate)))
          )
        )
})

/** The token of `Authorization: Bearer <token>`; null without one. */
export const bearerToken = ({ headers }: HttpServerRequest.HttpServerRequest): string | null =>
  /^bearer +([\x21-\x7e]+)$/i.exec(headers["authorization"]?.trim() ?? "")?.[1] ?? null
