/**
 * The contract of `core/ports/StorageLimits`: the limits of what a storage accepts.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { StorageHealth } from "../../core/ports/StorageHealth.ts"
import { StorageLimits } from "../../core/ports/StorageLimits.ts"
import type { StorageTest } from "./fixtures.ts"

/** Tests of the port `StorageLimits`. */
export const storageLimitsContract = (it: StorageTest): void => {
  describe("StorageLimits", () => {
    it.effect("takes audiences of any size on a server, and of 10,000 people at least elsewhere", () =>
      Effect.gen(function* () {
        const { maxAudience } = yield* StorageLimits
        const { engine } = yield* (yield* StorageHealth).report
        if (engine === "PostgreSQL") expect(maxAudience).toBeNull()
        else expect(Number.isSafeInteger(maxAudience) && maxAudience! >= 10_000).toBe(true)
      })
    )
  })
}
