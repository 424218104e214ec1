/**
 * Tests that no page of a list reads more than it shows, or counts, of an account with many entries: with each filter, for a
 * value that most entries have and one that few have, which are the oldest.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { sessionSettings } from "../../../adapters/postgres/engine/session.ts"
import { maxLookedAt } from "../../../adapters/postgres/sql/pages.ts"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { maxCounted, type Page, type PageRequest } from "../../../core/shared/Page.ts"
import { freshDatabase } from "../../support/postgres.ts"
import { listCases, population, settling } from "../../support/listPopulation.ts"
import { type Recorded, recording, rowsRead } from "../../support/partitionPlans.ts"

const first: PageRequest = { page: 1, pageSize: 50, total: "Bounded" }

const people = 50_000
const each = 2

/** What is read for each row that is counted or shown, and of those that are looked at for a total and for a page. */
const perCounted = 4
const looked = maxLookedAt + 5_000

/**
 * Filters without an index of their own, for what is rare and old: the audit log is read by account and time, for each entry
 * is written in the transaction of a change, and jobs by queue, for each claim writes every index of a job.
 */
const unindexed = new Set(["audit action=api_key.revoked", "audit actorId", "jobs state=Running"])

it("a page of a list reads a bounded number of rows", { timeout: 240_000 }, async () => {
  const url = Redacted.make(await freshDatabase())
  const filling = PgClient.layer({
    url,
    maxConnections: 1,
    startupParameters: { ...sessionSettings, session_replication_role: "replica", statement_timeout: "0" }
  })
  const read: Record<string, number> = {}
  await Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    for (const statement of [population(people, each), settling].flat(2))
      yield* sql.unsafe(statement).unprepared
    for (const [name, list] of Object.entries(listCases)) {
      const rowsOf = Effect.fnUntraced(function* (page: PageRequest) {
        const recorded: Recorded = new Map()
        const found: Page<unknown> = yield* Effect.provide(list(page), recording(recorded, /total/))
        let rows = 0
        for (const [text, [parameters]] of recorded) rows += yield* rowsRead(text, parameters!)
        const most = perCounted * Math.min(found.totalCount, maxCounted + 1) + looked
        if (rows > most && !unindexed.has(name))
          read[`${name}, ${page.after == null ? "first" : "next"} page`] = rows
        return found
      })
      const { next } = yield* rowsOf(first)
      if (next !== null) yield* rowsOf({ ...first, after: next })
    }
  }).pipe(Effect.provide(Layer.merge(layerServer(url), filling)), Effect.runPromise)
  expect(read).toEqual({})
})
