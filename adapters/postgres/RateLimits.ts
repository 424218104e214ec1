/**
 * Stores rate-limit windows in the database, shared by all nodes.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Hit, RateLimits } from "../../core/ports/RateLimits.ts"
import { orUnavailable } from "./sql/errors.ts"
import { pruneOldest } from "./sql/tables.ts"

interface WindowRow {
  readonly accountId: string
  readonly subject: string
  readonly windowStart: Date
  readonly count: number
}

const nameOf = (accountId: string, subject: string, windowStart: number): string =>
  `${accountId} ${windowStart} ${subject}`

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient

  /** Adds to each window once, with the sum of its hits. The count that each hit sees is computed afterwards. */
  const addAll = (windows: ReadonlyArray<Hit>) =>
    orUnavailable(sql<WindowRow>`
      with wanted as (
        select r.* from rows from (
          unnest(${windows.map((window) => window.accountId)}::uuid[]),
          unnest(${windows.map((window) => window.subject)}::text[]),
          unnest(${windows.map((window) => new Date(window.windowStart).toISOString())}::timestamptz[]),
          unnest(${windows.map((window) => String(window.amount))}::bigint[])
        ) as r(account_id, subject, window_start, amount)
      ), counted as (
        insert into rate_windows as w (account_id, subject, window_start, hits)
        select account_id, subject, window_start, amount from wanted where amount <> 0
        order by account_id, subject, window_start
        on conflict (account_id, subject, window_start) do update set hits = w.hits + excluded.hits
        returning w.account_id, w.subject, w.window_start, w.hits
      )
      select account_id as "accountId", subject, window_start as "windowStart", hits::float8 as count from counted
      union all
      select w.account_id, w.subject, w.window_start, w.hits::float8
      from wanted x join rate_windows w using (account_id, subject, window_start) where x.amount = 0`)

  return RateLimits.of({
    count: (hits) => {
      if (hits.length === 0) return Effect.succeed([])
      const windows = new Map<string, Hit>()
      for (const hit of hits) {
        const name = nameOf(hit.accountId, hit.subject, hit.windowStart)
        const amount = (windows.get(name)?.amount ?? 0) + hit.amount
        windows.set(name, { ...hit, amount })
      }
      return Effect.map(addAll([...windows.values()]), (rows) => {
        const counts = new Map<string, number>()
        for (const { accountId, count, subject, windowStart } of rows) {
          const name = nameOf(accountId, subject, windowStart.getTime())
          counts.set(name, count - windows.get(name)!.amount)
        }
        return hits.map((hit) => {
          const name = nameOf(hit.accountId, hit.subject, hit.windowStart)
          const count = (counts.get(name) ?? 0) + hit.amount
          counts.set(name, count)
          return count
        })
      })
    },
    windows: (accountId, subject, since) =>
      orUnavailable(sql<Pick<WindowRow, "count" | "windowStart">>`
        select window_start as "windowStart", hits::float8 as count from rate_windows
        where account_id = ${accountId} and subject = ${subject} and window_start >= ${new Date(since)} and hits <> 0
        order by window_start`).pipe(
        Effect.map((rows) =>
          rows.map(({ count, windowStart }) => ({ count, windowStart: windowStart.getTime() }))
        )
      ),
    prune: (before, limit) => pruneOldest(sql, "rate_windows", "window_start", before, limit)
  })
}).pipe(Layer.effect(RateLimits))
