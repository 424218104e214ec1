/**
 * The contract of `core/ports/SignInStepStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { SignInStep } from "../../core/model/SignInStep.ts"
import { SignInStepStore } from "../../core/ports/SignInStepStore.ts"
import { atOnce, newHash, newId, now, type StorageTest, successes, times } from "./fixtures.ts"

const draft = (values: Partial<SignInStep> = {}): SignInStep => ({
  hash: newHash(),
  kind: "PasskeySignIn",
  userId: null,
  data: "",
  expiresAt: now + 1000,
  createdAt: now,
  ...values
})

/** Tests of the port `SignInStepStore`. */
export const signInStepStoreContract = (it: StorageTest): void => {
  describe("SignInStepStore", () => {
    it.effect("returns steps of a kind until they expire, and lets one caller take each", () =>
      Effect.gen(function* () {
        const store = yield* SignInStepStore
        const step = draft({ kind: "Provider", userId: newId(), data: '{"a":"ü"}' })
        yield* store.insert([step, draft()])
        yield* store.insert([])
        expect(yield* store.find("Provider", step.hash, now)).toEqual(step)
        expect(yield* store.find("Device", step.hash, now)).toBeNull()
        expect(yield* store.find("Provider", step.hash, step.expiresAt)).toBeNull()
        expect(yield* store.take("Device", step.hash, now)).toBeNull()
        expect(yield* store.take("Provider", step.hash, step.expiresAt)).toBeNull()
        const taken = successes(yield* atOnce(times(5, () => store.take("Provider", step.hash, now))))
        expect(taken.filter((one) => one !== null)).toEqual([step])
        expect(yield* store.find("Provider", step.hash, now)).toBeNull()
      })
    )

    it.effect("deletes steps that expired before a time", () =>
      Effect.gen(function* () {
        const store = yield* SignInStepStore
        const longAgo = Date.UTC(1990, 0, 1)
        yield* store.insert([0, 1, 2].map((index) => draft({ expiresAt: longAgo + index })))
        expect(yield* store.prune(longAgo + 2, 1)).toBe(1)
        expect(yield* store.prune(longAgo + 2, 9)).toBe(1)
        expect(yield* store.prune(longAgo + 3, 9)).toBe(1)
      })
    )
  })
}
