/**
 * Measures recommending items from a full catalogue on a PostgreSQL server: the time of a call of the port, including the round
 * trip to the database.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { layerServer } from "../../adapters/postgres/index.ts"
import { maxItems, maxRecommended } from "../../core/model/Item.ts"
import { ItemStore } from "../../core/ports/ItemStore.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { median } from "./measure.ts"

const accountId = "0190a5d0-0000-7000-8000-000000000001"

/** Half of the items are in one category, and a tenth, which are sold out or old, in another. */
const population: ReadonlyArray<string> = [
  `insert into items (account_id, id, source, external_id, kind, name, in_stock, stock_quantity, categories, attributes,
    active, created_at, version)
  select '${accountId}', gen_random_uuid(), 'Api', 'sku-' || n, 'product', 'Item ' || n, true,
    case when n % 10 = 0 then 0 else n end,
    case when n % 10 = 0 then '["Sold out"]' when n <= 10 then '["Long ago"]' when n % 2 = 0 then '["Shoes", "All"]'
      else '["All"]' end::jsonb,
    '{}', true, timestamptz '2031-01-01Z' + n * interval '1 minute', 1
  from generate_series(1, ${maxItems}) n`,
  `insert into item_categories (account_id, category, created_at, item_id)
  select account_id, c.category, created_at, id from items cross join lateral (
    select '' as category union all select '=' || name from jsonb_array_elements_text(categories) as e(name)
  ) c where stock_quantity > 0`,
  `vacuum (analyze) items`,
  `vacuum (analyze) item_categories`
]

const lists: Readonly<Record<string, ReadonlyArray<string | null>>> = {
  "of any category": [null],
  "of a category of half the items": ["Shoes"],
  "of a category of the oldest": ["Long ago"],
  "of a category that is sold out": ["Sold out"],
  "of a category nothing is in": ["Nothing"],
  "of ten categories": Array.from({ length: 10 }, () => "Shoes")
}

/** Creates the items, measures, and prints the results. */
export const benchRecommendations = async (): Promise<void> => {
  const server = await startPostgresServer()
  const url = Redacted.make(server.url)
  const bench = Effect.gen(function* () {
    const store = yield* ItemStore
    const sql = yield* PgClient.PgClient
    for (const statement of population) yield* sql.unsafe(statement)
    for (const [name, categories] of Object.entries(lists)) {
      const times: Array<number> = []
      let found = 0
      for (let round = 0; round < 50; round++) {
        const started = performance.now()
        found = (yield* store.recommend(accountId, categories)).flat().length
        times.push(performance.now() - started)
      }
      console.log(`${`${found} items ${name}`.padEnd(50)} ${median(times).toFixed(2).padStart(7)} ms`)
    }
    console.log(`of ${maxItems} items, at most ${maxRecommended} to a list`)
  })
  try {
    await Effect.runPromise(Effect.provide(bench, [layerServer(url), PgClient.layer({ url })]))
  } finally {
    await server.remove()
  }
}
