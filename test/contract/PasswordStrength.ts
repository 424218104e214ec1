/**
 * The contract of `core/ports/PasswordStrength`.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { PasswordStrength } from "../../core/ports/PasswordStrength.ts"

/** Tests of the port `PasswordStrength`. */
export const passwordStrengthContract = (it: Vitest.MethodsNonLive<PasswordStrength>): void => {
  describe("PasswordStrength", () => {
    it.effect("scores what is guessed early low, and what is long and random high", () =>
      Effect.gen(function* () {
        const { estimate } = yield* PasswordStrength
        const weak = yield* estimate("password1234", [])
        expect(weak.score).toBeLessThan(3)
        expect(weak.hint).toMatch(/\.$/)
        expect((yield* estimate("tundra-ochre-vivid-47-lantern", [])).score).toBe(4)
      })
    )

    it.effect("scores words that an attacker knows low", () =>
      Effect.gen(function* () {
        const { estimate } = yield* PasswordStrength
        const word = "qzvkmwpltrxh"
        expect((yield* estimate(word, [])).score).toBeGreaterThan(2)
        expect((yield* estimate(word, [word])).score).toBeLessThan(2)
      })
    )
  })
}
