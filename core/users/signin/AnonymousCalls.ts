/**
 * Limits a network's calls that begin a sign-in but are not attempts yet, since each writes or reads something for an unknown
 * caller. All nodes count together.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { noAccount } from "../../model/Account.ts"
import { RateLimits } from "../../ports/RateLimits.ts"
import type { Origin } from "../../shared/Network.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"

/** The number of such calls that a network may make in a window. */
export const anonymousLimits = { calls: 300, windowMillis: 900_000 } as const

/** Calls that begin a sign-in. */
export class AnonymousCalls extends Context.Service<
  AnonymousCalls,
  {
    /** Counts a call; users.too_many_attempts, with the seconds to wait in `params.retrySeconds`, beyond the limit. */
    readonly take: (origin: Origin) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/users/AnonymousCalls") {
  static readonly layer = Layer.effect(
    AnonymousCalls,
    Effect.map(RateLimits, (limits) => {
      const { calls, windowMillis } = anonymousLimits
      return AnonymousCalls.of({
        take: Effect.fnUntraced(function* ({ network, trust }) {
          if (trust === "Proxy") return
          const now = yield* Clock.currentTimeMillis
          const windowStart = now - (now % windowMillis)
          const subject = `sign-in-calls:${network}`
          const [count = 0] = yield* limits.count([{ accountId: noAccount, subject, windowStart, amount: 1 }])
          if (count <= calls) return
          return yield* Problem.of("users.too_many_attempts", null, {
            retrySeconds: Math.ceil((windowStart + windowMillis - now) / 1000)
          })
        })
      })
    })
  )
}
