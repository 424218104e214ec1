/**
 * Tests that waiting events are read through their index, whatever statistics the plan was made with.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { expect } from "vitest"
import * as EventStoreOfPostgres from "../../../adapters/postgres/EventStore.ts"
import { layer as database } from "../../../adapters/postgres/engine/Server.ts"
import * as TransactionOfPostgres from "../../../adapters/postgres/Transaction.ts"
import { EventStore } from "../../../core/ports/EventStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { draftEvent } from "../../contract/drafts.ts"
import { newId, times } from "../../contract/fixtures.ts"
import { freshDatabase } from "../../support/postgres.ts"

const stores = EventStoreOfPostgres.layer.pipe(
  Layer.provideMerge(TransactionOfPostgres.layer(true)),
  Layer.provideMerge(
    Layer.unwrap(Effect.map(Effect.promise(freshDatabase), (url) => database(Redacted.make(url))))
  )
)

layer(stores, { excludeTestServices: true })("the line of events", (test) => {
  test.effect("is not sorted by a plan that was made when it was empty", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const store = yield* EventStore
      const transaction = yield* Transaction
      const accountId = newId()
      const turn = transaction.run(store.claimBatch(accountId, 100, 1_000_000))
      yield* store.insert(
        accountId,
        times(20_000, () => draftEvent())
      )
      // All of one account, as the statistics show after they have been processed.
      yield* sql.unsafe("analyze pending_events")
      yield* sql.unsafe("delete from pending_events")
      yield* sql.unsafe("analyze pending_events")
      expect(yield* turn).toEqual([])
      const events = times(200, () => draftEvent())
      yield* store.insert(accountId, events)
      /** How many entries of the other index were read. A connection reports its statistics every second. */
      const read = Effect.gen(function* () {
        yield* Effect.sleep("1500 millis")
        const rows = yield* sql.unsafe<{ readonly count: string }>(
          "select idx_tup_read as count from pg_stat_user_indexes where indexrelname = 'pending_events_pkey'"
        )
        return Number(rows[0]?.count)
      })
      const before = yield* read
      const taken = yield* turn
      yield* Effect.sleep("1500 millis")
      expect(yield* turn).toHaveLength(100)
      expect(taken.map(({ id }) => id)).toEqual(events.slice(0, 100).map(({ id }) => id))
      expect(yield* read).toBe(before)
    })
  )
})
