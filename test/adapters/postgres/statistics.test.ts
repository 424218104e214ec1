/**
 * Tests that plans fit tables that have grown since, because their statistics are updated soon afterwards.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { expect } from "vitest"
import { layer as database } from "../../../adapters/postgres/engine/Embedded.ts"
import * as TransactionOfPostgres from "../../../adapters/postgres/Transaction.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { eventually } from "../../support/client.ts"

const engine = TransactionOfPostgres.layer(true).pipe(Layer.provideMerge(database(null)))

const suppressed = (from: number, to: number) => `
  insert into suppressions (account_id, email, kind, created_at)
  select '0190a5d0-0000-7000-8000-000000000001', 'p' || n || '@example.org', 'Bounced', '2031-01-01Z'
  from generate_series(${from}, ${to}) n`

layer(engine, { excludeTestServices: true })("the statistics", (test) => {
  test.effect("of a table that has grown are made anew soon after a commit", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const transaction = yield* Transaction
      const counted = sql.unsafe<{ readonly rows: number }>(
        "select reltuples::int as rows from pg_class where relname = 'suppressions'"
      )
      expect(yield* counted).toEqual([{ rows: -1 }])
      for (const rows of [1000, 10_000]) {
        yield* transaction.run(sql.unsafe(suppressed(rows / 10 + 1, rows)))
        const known = yield* Effect.promise(() =>
          eventually(
            () => Effect.runPromise(counted),
            ([found]) => (found?.rows ?? 0) > rows / 2
          )
        )
        expect(known[0]?.rows).toBeGreaterThan(rows / 2)
      }
    })
  )
})
