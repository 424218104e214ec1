/**
 * Checks, hashes and verifies passwords, a few at a time, because each hash takes a tenth of a second of processor time and 32
 * MB.
 *
 * @module
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { PasswordHasher, type PasswordMatch } from "../ports/PasswordHasher.ts"
import { PasswordStrength } from "../ports/PasswordStrength.ts"
import { Problem } from "../shared/Problem.ts"
import { checkPassword, minScore, passwordLengths, weak, wordsOf } from "./PasswordRules.ts"

/** How many hashes are computed at the same time, and how many more may wait. */
export const hashLimits = { concurrent: 2, waiting: 20 } as const

/** The hash with which a password is compared if there is no user, so that this costs the same. */
const noHash = ""

/** Passwords of users. */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** Checks whether a password may be chosen; users.password_weak, validation.max_length. */
    readonly check: (password: string, email: string, name: string | null) => Effect.Effect<void, Problem>
    /** The hash of a new password; users.password_weak, validation.max_length, common.unavailable. */
    readonly accept: (password: string, email: string, name: string | null) => Effect.Effect<string, Problem>
    /** The hash of a password that was accepted before; common.unavailable. */
    readonly hash: (password: string) => Effect.Effect<string, Problem>
    /** Compares a password with a hash. A null hash matches nothing, at the same cost. common.unavailable. */
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

      /** Runs a computation when a slot is free; common.unavailable if too many are waiting. */
      const inPlace = <A>(computation: Effect.Effect<A>): Effect.Effect<A, Problem> =>
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

      const hash = (password: string) => inPlace(hasher.hash(password))

      const check = Effect.fn("Passwords.check")(function* (
        password: string,
        email: string,
        name: string | null
      ) {
        yield* Effect.fromResult(checkPassword(password, email))
        const { hint, score } = yield* strength.estimate(password, wordsOf(email, name))
        if (score < minScore) return yield* weak(hint ?? "Use more words, or more random characters.")
      })

      return Passwords.of({
        check,
        accept: (password, email, name) => Effect.andThen(check(password, email, name), hash(password)),
        hash,
        verify: (password, stored) =>
          // A longer string cannot be a password; it costs as much as one of the maximum length.
          inPlace(hasher.verify(password.slice(0, 2 * passwordLengths.max), stored ?? noHash))
      })
    })
  )
}
