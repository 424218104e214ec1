/**
 * Authenticates programs of the operator: by the management token (`SVC_ADMIN_TOKEN` where it is set, else the one created
 * at the first start), or by an installation token with the right that a route requires. Wrong tokens are counted per
 * network.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { type InstallationRight, isActiveToken } from "../model/InstallationToken.ts"
import { Crypto } from "../ports/Crypto.ts"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { InstallationTokenStore } from "../ports/InstallationTokenStore.ts"
import { RateLimits } from "../ports/RateLimits.ts"
import type { Origin } from "../shared/Network.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { isKey, prefixes } from "./KeyFormat.ts"
import { type LockoutLimits, makeLockout } from "./Lockout.ts"

/** The limits of wrong tokens from a network. */
export const tokenLimits: LockoutLimits = {
  name: "token",
  maxFailures: 30,
  periodMillis: 900_000,
  lockMillis: 900_000
}

const lockout = makeLockout(tokenLimits)

/** The accuracy of a token's last use, milliseconds. */
const useMillis = 60_000

/** The result of authenticating a call. */
export type OperatorResult =
  | { readonly _tag: "Authenticated" }
  | { readonly _tag: "Unauthorized" }
  /** The token is valid and lacks the right. */
  | { readonly _tag: "Forbidden" }
  /** Too many wrong tokens came from the network. */
  | { readonly _tag: "LockedOut"; readonly retrySeconds: number }

/** A call to authenticate. */
export interface OperatorCall {
  /** Null for none, which is not counted. */
  readonly token: string | null
  readonly origin: Origin
  /** The right by which an installation token is accepted; null where only the management token is. */
  readonly right: InstallationRight | null
}

/** Authenticates programs of the operator. */
export class OperatorTokens extends Context.Service<
  OperatorTokens,
  {
    /**
     * Authenticates a call. After 30 wrong tokens in 15 minutes from a network, a further one is LockedOut for 15 minutes,
     * on all nodes, and so is the configured token, right or wrong: it may be guessable. A generated token is accepted
     * nevertheless, so that others on the network cannot lock it out. Compares hashes in constant time.
     */
    readonly authenticate: (call: OperatorCall) => Effect.Effect<OperatorResult, Unavailable>
  }
>()("svc/accounts/OperatorTokens") {
  /** `configured` replaces the token of the first start; null where none is configured. */
  static readonly layer = (configured: Redacted.Redacted | null) =>
    Layer.effect(
      OperatorTokens,
      Effect.gen(function* () {
        const crypto = yield* Crypto
        const installation = yield* InstallationStore
        const limits = yield* RateLimits
        const tokens = yield* InstallationTokenStore
        const configuredHash = configured === null ? null : crypto.sha256Hex(Redacted.value(configured))

        const lockedSeconds = Effect.fnUntraced(function* ({ network, trust }: Origin) {
          if (trust === "Proxy") return null
          const now = yield* Clock.currentTimeMillis
          if (lockout.isSafe(yield* limits.count(lockout.recentFailures(network, now)))) return null
          const until = lockout.lockedUntil(yield* limits.count(lockout.failuresBySlot(network, now)), now)
          return until === null ? null : Math.max(1, Math.ceil((until - now) / 1000))
        })

        /** Whether a token is the one that the first start generated. */
        const isGenerated = Effect.fnUntraced(function* (token: string, hash: string) {
          if (configuredHash !== null || !isKey(prefixes.admin, token)) return false
          const stored = yield* installation.get
          return stored !== null && crypto.constantTimeEquals(hash, stored.managementTokenHash)
        })

        /** The result of an installation token; null where it is none, or no longer active. */
        const byInstallationToken = Effect.fnUntraced(function* (
          token: string,
          hash: string,
          { origin, right }: OperatorCall
        ): Effect.fn.Return<OperatorResult | null, Unavailable> {
          const found = isKey(prefixes.ops, token) ? yield* tokens.find(hash) : null
          const now = yield* Clock.currentTimeMillis
          if (found === null || !isActiveToken(found, now)) return null
          const usedAt = now - (now % useMillis)
          if (found.lastUsedAt === null || found.lastUsedAt < usedAt) {
            yield* tokens.touch(found.id, usedAt, origin.network)
          }
          return { _tag: right !== null && found.rights.includes(right) ? "Authenticated" : "Forbidden" }
        })

        return OperatorTokens.of({
          authenticate: Effect.fn("OperatorTokens.authenticate")(function* (call): Effect.fn.Return<
            OperatorResult,
            Unavailable
          > {
            const { origin, token } = call
            if (token === null) return { _tag: "Unauthorized" }
            const hash = crypto.sha256Hex(token)
            if (yield* isGenerated(token, hash)) return { _tag: "Authenticated" }
            const result = yield* byInstallationToken(token, hash, call)
            if (result !== null) return result
            const retrySeconds = yield* lockedSeconds(origin)
            if (retrySeconds !== null) return { _tag: "LockedOut", retrySeconds }
            if (configuredHash !== null && crypto.constantTimeEquals(hash, configuredHash)) {
              return { _tag: "Authenticated" }
            }
            if (origin.trust !== "Proxy") {
              yield* limits.count(lockout.failure(origin.network, yield* Clock.currentTimeMillis))
            }
            return { _tag: "Unauthorized" }
          })
        })
      })
    )
}
