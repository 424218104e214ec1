/**
 * Counts from query plans how many rows each page of a list reads.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { sessionSettings } from "../../adapters/postgres/engine/session.ts"
import { layerServer } from "../../adapters/postgres/index.ts"
import { maxLookedAt } from "../../adapters/postgres/sql/pages.ts"
import type { StoragePorts } from "../../core/ports/index.ts"
import { maxCounted, type Page, type PageRequest } from "../../core/shared/Page.ts"
import type { ListCase } from "./listPopulation.ts"
import { type Recorded, recording, rowsRead } from "./partitionPlans.ts"
import { freshDatabase } from "./postgres.ts"

const first: PageRequest = { page: 1, pageSize: 50, total: "Bounded" }

/**
 * The number of rows that may be read for each row that is counted or shown, and the number that may be read in addition to
 * choose a filter, to compute a total, and for the page itself.
 */
const perCounted = 4
const looked = 2 * maxLookedAt + 5_000

/**
 * The first and second pages of lists, in a new database, that read more rows than allowed, with the number of rows.
 *
 * @param filling statements that fill the database
 *
 * @param unbounded the names of lists that may read any number of rows
 */
export const pagesThatReadMore = async <Ports extends StoragePorts>(
  filling: ReadonlyArray<ReadonlyArray<string>>,
  cases: Readonly<Record<string, ListCase<Ports>>>,
  unbounded: ReadonlySet<string>
): Promise<Readonly<Record<string, number>>> => {
  const url = Redacted.make(await freshDatabase())
  const loading = PgClient.layer({
    url,
    maxConnections: 1,
    startupParameters: { ...sessionSettings, session_replication_role: "replica", statement_timeout: "0" }
  })
  const read: Record<string, number> = {}
  await Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    for (const statement of filling.flat()) yield* sql.unsafe(statement).unprepared
    for (const [name, list] of Object.entries(cases)) {
      const rowsOf = Effect.fnUntraced(function* (page: PageRequest) {
        const recorded: Recorded = new Map()
        const found: Page<unknown> = yield* Effect.provide(list(page), recording(recorded, /^(?!\s*explain)/))
        let rows = 0
        for (const [text, [parameters]] of recorded) rows += yield* rowsRead(text, parameters!)
        const most = perCounted * Math.min(found.totalCount, maxCounted + 1) + looked
        if (rows > most) read[`${name}, ${page.after == null ? "first" : "next"} page`] = rows
        return found
      })
      const { next } = yield* rowsOf(first)
      if (next !== null) yield* rowsOf({ ...first, after: next })
    }
  }).pipe(Effect.provide(Layer.merge(layerServer(url), loading)), (effect) =>
    Effect.runPromise(effect as Effect.Effect<void, never, never>)
  )
  const isUnbounded = (page: string) => unbounded.has(page.replace(/, (?:first|next) page$/, ""))
  const missing = [...unbounded].filter((name) => !Object.keys(read).some((page) => page.startsWith(name)))
  return {
    ...Object.fromEntries(Object.entries(read).filter(([page]) => !isUnbounded(page))),
    ...Object.fromEntries(missing.map((name) => [`${name} reads no more than it may`, 0]))
  }
}
