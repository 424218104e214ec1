/**
 * Authenticates programs that call the management API: by the management token (`SVC_ADMIN_TOKEN` if it is set, otherwise the one
 * created at the first start), or by a token of the installation, of a company or of a user. Wrong tokens are counted per
 * network.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { isKey, prefixes } from "../accounts/KeyFormat.ts"
import { type LockoutLimits, makeLockout } from "../accounts/Lockout.ts"
import { isActiveToken, type Token } from "../model/Token.ts"
import { AccessStore } from "../ports/AccessStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { RateLimits } from "../ports/RateLimits.ts"
import { TokenStore } from "../ports/TokenStore.ts"
import { UserStore } from "../ports/UserStore.ts"
import type { Origin } from "../shared/Network.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { Caller } from "./Caller.ts"

/** The limits on wrong tokens from a network. */
export const tokenLimits: LockoutLimits = {
  name: "token",
  maxFailures: 30,
  periodMillis: 900_000,
  lockMillis: 900_000
}

const lockout = makeLockout(tokenLimits)

/** The accuracy with which a token's last use is stored, milliseconds. */
const useMillis = 60_000

/** The result of authenticating a call. */
export type CallerResult =
  | { readonly _tag: "Authenticated"; readonly caller: Caller }
  | { readonly _tag: "Unauthorized" }
  /** Too many wrong tokens were sent from the network. */
  | { readonly _tag: "LockedOut"; readonly retrySeconds: number }

/** A call to authenticate. */
export interface CallerCredentials {
  /** The token; null for none, which is not counted. */
  readonly token: string | null
  readonly origin: Origin
  /** Whether a call in progress is authenticated again: the use is not recorded, and a wrong token is not counted. */
  readonly isRepeated?: boolean
}

const management: CallerResult = { _tag: "Authenticated", caller: { _tag: "Management" } }

/** Authenticates programs that call the management API. */
export class CallerAuthentication extends Context.Service<
  CallerAuthentication,
  {
    /**
     * Authenticates a call. After 30 wrong tokens from a network in 15 minutes, further ones are LockedOut for 15 minutes, on all
     * nodes. So is the configured token, right or wrong, because it may be guessable. Generated tokens are still accepted, so
     * that others on the network cannot lock them out. Compares hashes in constant time.
     */
    readonly authenticate: (call: CallerCredentials) => Effect.Effect<CallerResult, Unavailable>
  }
>()("svc/users/CallerAuthentication") {
  /** `configured` replaces the token of the first start; null if none is configured. */
  static readonly layer = (configured: Redacted.Redacted | null) =>
    Layer.effect(
      CallerAuthentication,
      Effect.gen(function* () {
        const access = yield* AccessStore
        const crypto = yield* Crypto
        const installation = yield* InstallationStore
        const limits = yield* RateLimits
        const tokens = yield* TokenStore
        const users = yield* UserStore
        const configuredHash = configured === null ? null : crypto.sha256Hex(Redacted.value(configured))

        const lockedSeconds = Effect.fnUntraced(function* ({ network, trust }: Origin) {
          if (trust === "Proxy") return null
          const now = yield* Clock.currentTimeMillis
          if (lockout.isSafe(yield* limits.count(lockout.recentFailures(network, now)))) return null
          const until = lockout.lockedUntil(yield* limits.count(lockout.failuresBySlot(network, now)), now)
          return until === null ? null : Math.max(1, Math.ceil((until - now) / 1000))
        })

        /** Whether a token is the one generated at the first start. */
        const isGenerated = Effect.fnUntraced(function* (token: string, hash: string) {
          if (configuredHash !== null || !isKey(prefixes.admin, token)) return false
          const stored = yield* installation.get
          return stored !== null && crypto.constantTimeEquals(hash, stored.managementTokenHash)
        })

        /** The caller with a user's token and the user's current rights; null if the user may no longer do anything. */
        const callerOfPersonal = Effect.fnUntraced(function* (
          { id, name, rights }: Token,
          userId: string
        ): Effect.fn.Return<Caller | null, Unavailable> {
          const [user] = yield* users.find([userId])
          if (user?.status !== "Active") return null
          const memberships = (yield* users.memberships([userId])).filter(
            ({ acceptedAt }) => acceptedAt !== null
          )
          if (!user.isOperator && memberships.length === 0) return null
          const { isOperator } = user
          const now = yield* Clock.currentTimeMillis
          const opened = isOperator ? yield* access.find(userId, now) : []
          const calling = {
            userId,
            name: user.name ?? user.email,
            isOperator,
            memberships,
            openedCompanies: opened.map(({ companyId }) => companyId)
          }
          return { _tag: "PersonalToken", tokenId: id, name, rights, user: calling }
        })

        /** The caller with a stored token; null if the token does not exist or is no longer active. */
        const byStoredToken = Effect.fnUntraced(function* (
          token: string,
          hash: string,
          { network }: Origin,
          isRepeated: boolean
        ) {
          if (!storedPrefixes.some((prefix) => isKey(prefix, token))) return null
          const found = yield* tokens.find(hash)
          const now = yield* Clock.currentTimeMillis
          if (found === null || !isActiveToken(found, now)) return null
          const caller =
            found.userId === null ? callerOf(found) : yield* callerOfPersonal(found, found.userId)
          const usedAt = now - (now % useMillis)
          if (caller !== null && !isRepeated && (found.lastUsedAt === null || found.lastUsedAt < usedAt)) {
            yield* tokens.touch(found.id, usedAt, network)
          }
          return caller
        })

        return CallerAuthentication.of({
          authenticate: Effect.fn("CallerAuthentication.authenticate")(function* ({
            isRepeated = false,
            origin,
            token
          }): Effect.fn.Return<CallerResult, Unavailable> {
            if (token === null) return { _tag: "Unauthorized" }
            const hash = crypto.sha256Hex(token)
            if (yield* isGenerated(token, hash)) return management
            const caller = yield* byStoredToken(token, hash, origin, isRepeated)
            if (caller !== null) return { _tag: "Authenticated", caller }
            const retrySeconds = yield* lockedSeconds(origin)
            if (retrySeconds !== null) return { _tag: "LockedOut", retrySeconds }
            if (configuredHash !== null && crypto.constantTimeEquals(hash, configuredHash)) return management
            if (origin.trust !== "Proxy" && !isRepeated) {
              yield* limits.count(lockout.failure(origin.network, yield* Clock.currentTimeMillis))
            }
            return { _tag: "Unauthorized" }
          })
        })
      })
    )
}

const storedPrefixes = [prefixes.ops, prefixes.team, prefixes.user] as const

const callerOf = ({ accounts, companyId, id, name, rights }: Token): Caller => {
  const token = { tokenId: id, name, rights: rights ?? [] }
  return companyId === null
    ? { _tag: "InstallationToken", ...token }
    : { _tag: "CompanyToken", ...token, companyId, accounts: accounts ?? "Both" }
}
