/**
 * Takes requests of people who lost their passwords. What the caller gets, and what the request costs, is the same for known
 * and unknown addresses: the user is looked for when the email is written.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { noAccount } from "../../model/Account.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { type Hit, RateLimits } from "../../ports/RateLimits.ts"
import type { Origin } from "../../shared/Network.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { SystemMail } from "../SystemMail.ts"

const windowMillis = 3_600_000

/** How many resets are mailed in an hour: to an address, and of those that a network asks for. */
export const resetLimits = { perAddress: 3, perNetwork: 30 } as const

/** Resets of passwords that people ask for themselves. */
export class PasswordResets extends Context.Service<
  PasswordResets,
  {
    /**
     * Has a link mailed to the user of a normalized address, unless too many were asked for or the installation sends no
     * mail. Nothing tells whether there is such a user.
     */
    readonly request: (email: string, origin: Origin) => Effect.Effect<void, Unavailable>
  }
>()("svc/users/PasswordResets") {
  static readonly layer = Layer.effect(
    PasswordResets,
    Effect.gen(function* () {
      const crypto = yield* Crypto
      const limits = yield* RateLimits
      const systemMail = yield* SystemMail

      return PasswordResets.of({
        request: Effect.fn("PasswordResets.request")(function* (email, { network, trust }) {
          const now = yield* Clock.currentTimeMillis
          const hit = (subject: string): Hit => ({
            accountId: noAccount,
            subject,
            windowStart: now - (now % windowMillis),
            amount: 1
          })
          const [ofAddress = 0, ofNetwork = 0] = yield* limits.count([
            // Hashed: the counts are no place for personal data.
            hit(`reset:${crypto.sha256Hex(email)}`),
            hit(`reset-network:${network}`)
          ])
          const isAllowed =
            ofAddress <= resetLimits.perAddress && (trust === "Proxy" || ofNetwork <= resetLimits.perNetwork)
          if (isAllowed) yield* systemMail.send({ kind: "Reset", email })
        })
      })
    })
  )
}
