/**
 * The contract of `core/ports/StorageHealth`: the facts about a storage that is available.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { StorageHealth } from "../../core/ports/StorageHealth.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { atOnce, type StorageTest, successes, times } from "./fixtures.ts"

/** Tests of the port `StorageHealth`. */
export const storageHealthContract = (it: StorageTest): void => {
  describe("StorageHealth", () => {
    it.effect("succeeds for an available database", () =>
      Effect.gen(function* () {
        const { ping } = yield* StorageHealth
        yield* ping
        expect(successes(yield* atOnce(times(20, () => ping)))).toHaveLength(20)
      })
    )

    it.effect("measures the database, or says that its size is not known", () =>
      Effect.gen(function* () {
        const size = yield* (yield* StorageHealth).size
        expect(size === null || (Number.isSafeInteger(size) && size > 100_000)).toBe(true)
      })
    )

    it.effect("says what the database consists of", () =>
      Effect.gen(function* () {
        const { engine, migrations, partitions, slowStatements, tables, version } =
          yield* (yield* StorageHealth).report
        const isMemory = engine === "Memory"
        expect(version === null).toBe(isMemory)
        expect(migrations === null || migrations.applied === migrations.known).toBe(true)
        expect(tables.some(({ bytes, name }) => name === "jobs" && bytes > 0)).toBe(!isMemory)
        expect(tables.some(({ name }) => name === "events_all")).toBe(!isMemory)
        // A table that PostgreSQL has not analysed yet has an unknown number of rows, not zero.
        expect([...tables, ...partitions].every(({ rows }) => rows === null || rows >= 0)).toBe(true)
        expect(partitions.some(({ table }) => table === "events_all")).toBe(!isMemory)
        expect(slowStatements === null || Array.isArray(slowStatements)).toBe(true)
      })
    )

    it.effect("succeeds inside a transaction too", () =>
      Effect.gen(function* () {
        const { ping } = yield* StorageHealth
        const { run } = yield* Transaction
        yield* run(ping)
      })
    )
  })
}
