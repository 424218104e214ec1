/**
 * The contract of `core/ports/PasswordHasher`.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { PasswordHasher } from "../../core/ports/PasswordHasher.ts"

/** Tests of the port `PasswordHasher`. */
export const passwordHasherContract = (it: Vitest.MethodsNonLive<PasswordHasher>): void => {
  describe("PasswordHasher", () => {
    it.effect("accepts the password of a hash and no other, each hash with its own salt", () =>
      Effect.gen(function* () {
        const { hash, verify } = yield* PasswordHasher
        const [one, other] = yield* Effect.all([hash("correct horse"), hash("correct horse")])
        expect(one).not.toBe(other)
        expect(one).not.toContain("correct")
        expect(yield* verify("correct horse", one)).toEqual({ matches: true, isOutdated: false })
        expect((yield* verify("correct horsf", one)).matches).toBe(false)
        expect((yield* verify("correct horse", "no hash")).matches).toBe(false)
      })
    )
  })
}
