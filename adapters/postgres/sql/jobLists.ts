/**
 * Lists the jobs of all accounts by time: pending and running jobs, and buried ones.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type JobEntry, type JobFilter, queues } from "../../../core/ports/JobQueue.ts"
import { isAscending, offsetOf, type Page, type PageRequest, placeBy } from "../../../core/shared/Page.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"
import { columnsOf } from "./columns.ts"
import { orUnavailable } from "./errors.ts"
import { behind, countLimit, type PageRow, type PlanRow, sortedBy, sourceLimit, toPage } from "./pages.ts"

/** The columns of a listed job. */
const entries = columnsOf<JobEntry>({
  id: "uuid",
  accountId: "uuid",
  queue: "text",
  state: "text",
  attempts: "integer",
  at: "timestamptz",
  reason: "text"
})

const place = (time: string) => [
  { column: time, kind: "Time" as const },
  { column: "id", kind: "Id" as const }
]

/** The columns of an entry for a buried job. */
const ofBuried = `id, account_id, queue, 'Buried'::text as state, attempts, buried_at as at, why as reason`

/** The columns of an entry for a pending or running job. */
const ofJob = `id, account_id, queue, case when leased then 'Running' else 'Pending' end as state, attempts,
  due_at as at, last_error as reason`

/** The statements about jobs of all accounts. */
export const jobLists = (sql: SqlClient) => {
  /** The jobs of each queue; with a filter by accounts, those of each queue and account. Each is a range of an index. */
  const source = (
    table: "buried_jobs" | "jobs",
    { accountId = null, queue = null, state = null }: JobFilter,
    from: PageRequest,
    isWhole: boolean,
    ending: Fragment
  ): Fragment => {
    const time = table === "jobs" ? "due_at" : "buried_at"
    const shown = isWhole ? "" : table === "jobs" ? ofJob : ofBuried
    const running = state?.includes("Running") ?? false
    const isOne = table === "jobs" && state !== null && running !== state.includes("Pending")
    // The index of due jobs has the queue as an expression, that of running jobs has the column itself.
    const ofQueue = accountId === null && table === "jobs" && !(isOne && running) ? "queue || ''" : "queue"
    const direction = isAscending(from) ? "asc" : "desc"
    const conditions = [
      sql`${sql.literal(ofQueue)} = q.name`,
      ...(accountId === null ? [] : [sql`account_id = a.id`]),
      ...(isOne ? [sql.literal(running ? "leased" : "not leased")] : []),
      ...(isWhole ? [] : [behind(sql, from, place(time))])
    ]
    const accounts = accountId === null ? sql`` : sql`cross join unnest(${accountId}::uuid[]) as a(id)`
    return sql`
      select l.* from unnest(${queue ?? queues}::text[]) as q(name) ${accounts} cross join lateral (
        select ${sql.literal(shown)} from ${sql.literal(table)} where ${sql.and(conditions)}
        order by ${sql.literal(`${time} ${direction}, id ${direction}`)} ${ending}
      ) l`
  }

  /** The jobs of both tables that match a filter; null if none can match. */
  const sources = (filter: JobFilter, from: PageRequest, isWhole: boolean, ending: Fragment): Fragment => {
    const { state = null } = filter
    const jobs = source("jobs", filter, from, isWhole, ending)
    const buried = source("buried_jobs", filter, from, isWhole, ending)
    if (state !== null && !state.includes("Buried")) return jobs
    return state !== null && state.every((one) => one === "Buried")
      ? buried
      : sql`${jobs} union all ${buried}`
  }

  return {
    list: (filter: JobFilter, given: PageRequest): Effect.Effect<Page<JobEntry>, Unavailable> => {
      const page = { ...given, sort: given.sort ?? { by: "age", ascending: true } }
      const whole = { ...page, after: null }
      const outside = place(`p."at"`).map((column, index) =>
        index === 0 ? column : { ...column, column: "p.id" }
      )
      return orUnavailable(sql<PageRow>`
        select c.total, p.* from (
          select count(*)::int as total from (
            select from (${sources(filter, whole, true, countLimit(sql, page))}) r ${countLimit(sql, page)}
          ) t
        ) c left join lateral (
          select ${sql.literal(entries.selected("r"))}
          from (${sources(filter, page, false, sourceLimit(sql, page))}) r
          order by ${sortedBy(sql, page, place("at"))} limit ${page.pageSize + 1} offset ${offsetOf(page)}
        ) p on true order by ${sortedBy(sql, page, outside)}`).pipe(
        Effect.flatMap((rows) =>
          toPage(rows, page, {
            decode: entries.decode,
            placeOf: placeBy("at"),
            explained: sql<PlanRow>`explain (format json) ${sources(filter, whole, true, sql``)}`
          })
        )
      )
    },
    /** The buried job that a statement deletes and returns. */
    taken: (statement: Fragment): Effect.Effect<JobEntry | null, Unavailable> =>
      Effect.map(orUnavailable(sql<object>`${statement}`), ([row]) =>
        row === undefined ? null : entries.decode(row)
      ),
    /** The fields shown of a buried job, selected from `rows`. */
    buriedAs: (rows: string): Fragment =>
      sql`select ${sql.literal(entries.selected("b"))} from (
        select ${sql.literal(ofBuried)} from ${sql.literal(rows)}
      ) b`
  }
}
