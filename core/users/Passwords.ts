/**
 * Checks, hashes and verifies passwords, a few at a time: each hash takes a tenth of a second of a processor and 32 MB.
 *
 * @module
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { PasswordHasher, type PasswordMatch } from "../ports/PasswordHasher.ts"
import { PasswordStrength } from "../ports/PasswordStrength.ts"
import { Problem } from "../shared/Problem.ts"
import { checkPassword, minScore, passwordLengths, weak, wordsOf } from "./PasswordRules.ts"

/** How many hashes are computed at a time, and how many more wait. */
export const hashLimits = { concurrent: 2, waiting: 20 } as const

/** What a password is compared with where there is no user, so that it costs the same. */
const noHash = ""

/** Passwords of users. */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** The hash of a new password; users.password_weak, validation.max_length, common.unavailable. */
    readonly accept: (password: string, email: string, name: string | null) => Effect.Effect<string, Problem>
    /** The hash of a password that was accepted before; common.unavailable. */
    readonly hash: (password: string) => Effect.Effect<string, Problem>
    /** Compares a password with a hash; null matches nothing, at the same cost. common.unavailable. */
    readonly verify: (password: string, hash: string | null) => Effect.Effect<PasswordMatch, Problem>
  }
>()("svc/users/Passwords") {
  static readonly layer = Layer.effect(
    Passwords,
    Effect.gen(function* () {
      const hasher = yield* PasswordHasher
      const strength = yield* PasswordStrength
      const { concurrent, waiting } = hashLimits
      const places = yield* Semaphore.make(concurrent)
      let held = 0

      /** Runs a computation when it is its turn; common.unavailable when too many wait. */
      const inTurn = <A>(computation: Effect.Effect<A>): Effect.Effect<A, Problem> =>
        Effect.suspend(() => {
          if (held >= concurrent + waiting) return Effect.fail(Problem.of("common.unavailable"))
          held++
          return Effect.ensuring(
            places.withPermits(1)(computation),
            Effect.sync(() => {
              held--
            })
          )
        })

      const hash = (password: string) => inTurn(hasher.hash(password))

      return Passwords.of({
        accept: Effect.fn("Passwords.accept")(function* (password, email, name) {
          yield* Effect.fromResult(checkPassword(password, email))
          const { hint, score } = yield* strength.estimate(password, wordsOf(email, name))
          if (score < minScore) return yield* weak(hint ?? "Use more words, or more random characters.")
          return yield* hash(password)
        }),
        hash,
        verify: (password, stored) =>
          // A longer one is no password, and costs what one of the most characters costs.
          inTurn(hasher.verify(password.slice(0, 2 * passwordLengths.max), stored ?? noHash))
      })
    })
  )
}
