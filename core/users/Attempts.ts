/**
 * Slows down the guessing of passwords and codes, by address and by network, on all nodes together. Users are never locked out: a
 * browser that signed in before has its own count.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { type LockoutLimits, makeLockout } from "../accounts/Lockout.ts"
import { noAccount } from "../model/Account.ts"
import { Crypto } from "../ports/Crypto.ts"
import { type Hit, RateLimits } from "../ports/RateLimits.ts"
import { UserStore } from "../ports/UserStore.ts"
import type { Origin } from "../shared/Network.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { rememberedMillis, waitUntil } from "./AttemptRules.ts"

/** The limits of failures from a network. */
export const networkLimits: LockoutLimits = {
  name: "sign-in",
  maxFailures: 30,
  periodMillis: 900_000,
  lockMillis: 900_000
}

const lockout = makeLockout(networkLimits)

/** An attempt to sign in. */
export interface Attempt {
  /** The normalized address. */
  readonly email: string
  readonly origin: Origin
  /** Identifies a browser that signed in with this address before; null for any other browser. */
  readonly device: string | null
}

/** The error codes with which an attempt counts as a failure. */
const failing: ReadonlySet<string> = new Set(["users.sign_in_failed", "users.code_invalid"])

/** Counts attempts to sign in. */
export class Attempts extends Context.Service<
  Attempts,
  {
    /**
     * Makes an attempt and counts it if it fails with users.sign_in_failed or users.code_invalid. If it must wait, it is not
     * made: users.too_many_attempts, with the seconds to wait in `params.retrySeconds`.
     */
    readonly run: <A, E, R>(
      attempt: Attempt,
      made: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Problem | Unavailable, R>
  }
>()("svc/users/Attempts") {
  static readonly layer = Layer.effect(
    Attempts,
    Effect.gen(function* () {
      const audit = yield* AuditTrail
      const crypto = yield* Crypto
      const limits = yield* RateLimits
      const users = yield* UserStore

      const refuseUntil = (until: number, now: number): Problem =>
        Problem.of("users.too_many_attempts", null, {
          retrySeconds: Math.max(1, Math.ceil((until - now) / 1000))
        })

      /** Fails while a network must wait. */
      const checkNetwork = Effect.fnUntraced(function* (network: string, now: number) {
        if (lockout.isSafe(yield* limits.count(lockout.recentFailures(network, now)))) return
        const until = lockout.lockedUntil(yield* limits.count(lockout.failuresBySlot(network, now)), now)
        if (until !== null) return yield* refuseUntil(until, now)
      })

      /** Records a failure. For known and unknown addresses this takes the same statements. */
      const record = Effect.fnUntraced(function* (email: string, network: string) {
        const user = yield* users.findByEmail(email)
        const memberships = yield* users.memberships([user?.id ?? noAccount])
        const companies = memberships.flatMap(({ acceptedAt, companyId }) =>
          acceptedAt === null ? [] : [companyId]
        )
        yield* audit.signInFailed(user?.id ?? null, companies.length === 0 ? [null] : companies, network)
      })

      return Attempts.of({
        run: Effect.fnUntraced(function* (attempt, made) {
          const { device, email, origin } = attempt
          const now = yield* Clock.currentTimeMillis
          const isCounted = device === null && origin.trust !== "Proxy"
          if (isCounted) yield* checkNetwork(origin.network, now)
          // Hashed, because an address may be long, and the counts must not contain personal data.
          const subject = `sign-in:${crypto.sha256Hex(`${device ?? ""} ${email}`)}`
          const hit = (amount: number): Hit => ({ accountId: noAccount, subject, windowStart: now, amount })
          // Counted before the attempt, so that concurrent attempts see each other.
          yield* limits.count([hit(1)])
          const release = limits.count([hit(-1)])
          const counted = yield* limits.windows(noAccount, subject, now - rememberedMillis)
          const before = counted.map(({ count, windowStart }) => ({
            windowStart,
            count: windowStart === now ? count - 1 : count
          }))
          const until = waitUntil(before)
          if (until > now) {
            yield* release
            return yield* refuseUntil(until, now)
          }
          return yield* Effect.onExit(made, (exit) => {
            const error =
              exit._tag === "Failure" ? exit.cause.reasons.find((one) => one._tag === "Fail") : undefined
            const problem: unknown = error?.error
            const hasFailed = problem instanceof Problem && failing.has(problem.issues[0].code)
            if (!hasFailed) return Effect.ignore(release)
            const ofNetwork = isCounted
              ? Effect.ignore(limits.count(lockout.failure(origin.network, now)))
              : Effect.void
            return Effect.andThen(ofNetwork, Effect.ignore(record(email, origin.network)))
          })
        })
      })
    })
  )
}
