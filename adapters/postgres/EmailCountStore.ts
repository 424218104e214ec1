/**
 * Stores counters of emails in the database, and changes that have not been added to the counters yet
 * (`migrations/0046_email_counts.ts`).
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Counter, maxCountKeys, otherKey } from "../../core/model/EmailCount.ts"
import { EmailCountStore } from "../../core/ports/EmailCountStore.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, execute } from "./sql/results.ts"
import { foldChanges, keysOf } from "./submissions/counts.ts"

interface CountRow {
  readonly at: Date
  readonly key: string
  readonly counter: Counter
  readonly count: number
}

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient

  return EmailCountStore.of({
    count: (accountId, { by, since, unit, until }) =>
      Effect.map(
        orUnavailable(sql<CountRow>`
          with counted as materialized (
            select at, key, counter, sum(amount) as count from (
              select at, key, counter, amount from email_counts
              where account_id = ${accountId} and dimension = ${by} and unit = ${unit}
                and at >= ${new Date(since)} and at < ${new Date(until)}
              union all
              select date_trunc(${unit.toLowerCase()}::text, c.at, 'UTC'), k.key collate "C", c.counter collate "C", c.amount
              from email_count_changes c cross join lateral (${sql.literal(keysOf[by])}) k
              where c.account_id = ${accountId} and c.at >= ${new Date(since)} and c.at < ${new Date(until)}
            ) c group by at, key, counter
          ), shown as materialized (
            select key from counted group by key order by sum(count) desc, key limit ${maxCountKeys}
          )
          select at, key, counter, sum(count)::float8 as count from (
            select at, case when key in (select key from shown) then key else ${otherKey}::text end as key, counter, count
            from counted
          ) c group by at, key, counter having sum(count) <> 0`),
        (rows) => rows.map(({ at, ...row }) => ({ ...row, at: at.getTime() }))
      ),
    // Skips locked rows, so that nodes process different changes.
    fold: (limit) =>
      Effect.tap(
        countOf(
          foldChanges(sql, sql`select ctid from email_count_changes limit ${limit} for update skip locked`)
        ),
        (count) =>
          count === 0
            ? Effect.void
            : execute(sql`
                delete from email_counts where ctid = any(array(
                  select ctid from email_counts where amount = 0 limit ${limit} for update skip locked
                ))`)
      ),
    prune: (unit, before, limit) =>
      countOf(sql`
        with gone as (
          delete from email_counts where ctid = any(array(
            select ctid from email_counts where unit = ${unit} and at < ${new Date(before)}
            order by at limit ${limit} for update skip locked
          )) returning 1
        )
        select count(*)::int as count from gone`)
  })
}).pipe(Layer.effect(EmailCountStore))
