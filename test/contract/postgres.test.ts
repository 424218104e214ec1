/**
 * Tests the contract of every storage port with the Postgres adapter on a PostgreSQL server, and that the statements of
 * partitioned tables read few partitions.
 *
 * @module
 */
import { Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { layerServer } from "../../adapters/postgres/index.ts"
import { layer as server } from "../../adapters/postgres/engine/Server.ts"
import { partitionsRead, recording, type Recorded } from "../support/partitionPlans.ts"
import { freshDatabase } from "../support/postgres.ts"
import { storageContract } from "./index.ts"

const recorded: Recorded = new Map()
let url = ""

storageContract(
  "PostgreSQL",
  Layer.unwrap(
    Effect.promise(async () => {
      url = await freshDatabase()
      return layerServer(Redacted.make(url))
    })
  ).pipe(Layer.merge(recording(recorded, /\b(events|attempts)_all\b/)))
)

/** Statements that read every partition of their table to count its rows, with the reason. */
const counts: ReadonlyArray<readonly [statement: RegExp, reason: string]> = [
  [/^\s*select c\.total, p\.\* from .* from events_all /s, "lists of events have a total"]
]

/** Statements that are about rows of any age. */
const ofAnyAge = /^\s*with gone as \(delete from \w+ where account_id = any\(\$1::uuid\[\]\) and/

/** Of the four or more that there are after the suites: a day may lie in two months. */
const most = 2

describe("statements on partitioned tables", () => {
  it("read few partitions, except those that count all rows", () =>
    Effect.gen(function* () {
      const read = yield* Effect.forEach(
        // Companies are erased whole.
        [...recorded].filter(([text]) => !ofAnyAge.test(text)),
        Effect.fnUntraced(function* ([text, samples]) {
          const counting = counts.some(([statement]) => statement.test(text))
          return { text, partitions: yield* partitionsRead(text, samples, most, !counting) }
        })
      )
      expect(read.length).toBeGreaterThan(9)
      expect(read.filter(({ partitions }) => partitions === null || partitions > most)).toEqual([])
    }).pipe(Effect.provide(server(Redacted.make(url))), Effect.runPromise))
})
