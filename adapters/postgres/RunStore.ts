/**
 * Runs in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Run, runStatuses } from "../../core/model/Run.ts"
import { RunStore } from "../../core/ports/RunStore.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { columnsOf } from "./sql/columns.ts"
import { dayRows, statusCountsOf } from "./sql/days.ts"
import { orUnavailable } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"

const types = {
  id: "uuid",
  flowId: "uuid",
  version: "integer",
  contactId: "uuid",
  status: "text",
  stepId: "text",
  isWaiting: "boolean",
  dueAt: "timestamptz",
  event: "jsonb",
  pending: "jsonb",
  log: "jsonb",
  startedAt: "timestamptz",
  endedAt: "timestamptz",
  reason: "text"
} satisfies Record<Exclude<keyof Run, "accountId">, string>

const columns = columnsOf(types)

/** What moves. */
const moving = columnsOf({
  status: "text",
  stepId: "text",
  isWaiting: "boolean",
  dueAt: "timestamptz",
  pending: "jsonb",
  log: "jsonb",
  endedAt: "timestamptz",
  reason: "text"
})

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  RunStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const names = sql.literal(columns.names)
    const fields = sql.literal(columns.fields)
    const recordset = sql.literal(columns.recordset)
    const selected = sql.literal(columns.selected("r"))
    const moved = sql.literal(moving.assigned("flow_runs", () => "true"))

    const runsOf = (accountId: string) => (rows: ReadonlyArray<object>) =>
      rows.map((row): Run => ({ accountId, ...columns.decode<Omit<Run, "accountId">>(row) }))

    return RunStore.of({
      // In one order, so that two batches that overlap wait for each other only one way.
      insert: (accountId, runs) =>
        runs.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql<{ readonly id: string }>`
                insert into flow_runs (account_id, ${names})
                select ${accountId}::uuid, ${fields}
                from json_to_recordset(${columns.encode(runs)}::json) as r(${recordset})
                order by "contactId", "flowId"
                on conflict (account_id, contact_id, flow_id) where status = 'Active' do nothing returning id`),
              (rows) => rows.map((row) => row.id)
            ),
      lock: (accountId, ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql`
                select ${selected} from (select distinct unnest(${ids}::uuid[]) as id order by id) k
                cross join lateral (
                  select * from flow_runs where account_id = ${accountId} and id = k.id limit 1 for update
                ) r`),
              runsOf(accountId)
            ),
      lockActive: (accountId, contactIds) =>
        contactIds.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql`
                select ${selected} from (
                  select r.id from (select distinct unnest(${contactIds}::uuid[]) as contact) k
                  cross join lateral (
                    select id from flow_runs
                    where account_id = ${accountId} and contact_id = k.contact and status = 'Active' offset 0
                  ) r order by r.id
                ) k cross join lateral (
                  select * from flow_runs
                  where account_id = ${accountId} and id = k.id limit 1 for update
                ) r where r.status = 'Active'`),
              runsOf(accountId)
            ),
      // An upsert takes rows by their key, as an update that joins need not.
      save: (accountId, runs) =>
        runs.length === 0
          ? Effect.void
          : Effect.asVoid(
              orUnavailable(sql`
                insert into flow_runs (account_id, ${names})
                select ${accountId}::uuid, ${fields}
                from json_to_recordset(${columns.encode(runs)}::json) as r(${recordset}) order by id
                on conflict (account_id, id) do update set ${moved}`)
            ),
      appendLog: (accountId, id, entry) =>
        Effect.asVoid(
          orUnavailable(sql`
            update flow_runs set log = log || ${JSON.stringify([entry])}::jsonb
            where account_id = ${accountId} and id = ${id}`)
        ),
      list: (accountId, flowId, status, page) => {
        const where =
          status === null
            ? sql`account_id = ${accountId} and flow_id = ${flowId}`
            : sql`account_id = ${accountId} and flow_id = ${flowId} and status = ${status}`
        return Effect.map(
          orUnavailable(sql<PageRow>`
            select c.total, p.* from (select count(*)::int as total from flow_runs where ${where}) c
            left join lateral (
              select ${selected} from flow_runs r where ${where}
              order by started_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."startedAt" desc, p.id desc`),
          (rows) =>
            pageOf(rows, page, (row): Run => ({
              accountId,
              ...columns.decode<Omit<Run, "accountId">>(row)
            }))
        )
      },
      /**
       * The index by status begins with the flow: it is gone through flow by flow, from one to the next, and day by day
       * for those that have a run in the time asked for.
       */
      countByDay: (accountId, days) =>
        statusCountsOf(
          sql`
            with recursive flow as (
              (select flow_id from flow_runs where account_id = ${accountId} order by flow_id limit 1)
              union all
              select n.flow_id from flow f cross join lateral (
                select flow_id from flow_runs where account_id = ${accountId} and flow_id > f.flow_id
                order by flow_id limit 1
              ) n
            ), day as materialized (
              select d.place::int, d.since, d.until from ${dayRows(sql, days)}
            ), lane as materialized (
              select f.flow_id, s.status
              from (select min(since) as since, max(until) as until from day) whole
              cross join flow f cross join unnest(${runStatuses}::text[]) as s(status) cross join lateral (
                select from flow_runs
                where account_id = ${accountId} and flow_id = f.flow_id and status = s.status
                  and started_at >= whole.since and started_at < whole.until
                limit 1
              ) found
            )
            select d.place, l.status, sum(c.count) as count from lane l cross join day d cross join lateral (
              select count(*)::float8 as count from flow_runs
              where account_id = ${accountId} and flow_id = l.flow_id and status = l.status
                and started_at >= d.since and started_at < d.until
            ) c
            where c.count > 0 group by d.place, l.status`,
          days,
          runStatuses
        ),
      prune: (accountId, before, limit) =>
        Effect.map(
          orUnavailable(sql<{ readonly count: number }>`
            with gone as (
              delete from flow_runs where ctid = any(array(
                select ctid from flow_runs
                where account_id = ${accountId} and ended_at is not null and ended_at < ${new Date(before)}
                order by ended_at limit ${limit} for update skip locked
              )) returning id
            )
            select count(*)::int as count from gone`),
          (rows) => rows[0]!.count
        ),
      oldest: (accountId) =>
        Effect.map(
          orUnavailable(sql<{ readonly any: boolean; readonly endedAt: Date | null }>`
            select exists (select from flow_runs where account_id = ${accountId}) as any, (
              select ended_at from flow_runs where account_id = ${accountId} and ended_at is not null
              order by ended_at limit 1
            ) as "endedAt"`),
          ([row]) => (row!.any ? { endedAt: row!.endedAt?.getTime() ?? null } : null)
        ),
      // Taken first, since a delete takes rows in no order.
      erase: Effect.fnUntraced(function* (accountId, contactIds) {
        if (contactIds.length === 0) return []
        yield* orUnavailable(sql`
          select from (
            select r.id from (select distinct unnest(${contactIds}::uuid[]) as contact) k cross join lateral (
              select id from flow_runs where account_id = ${accountId} and contact_id = k.contact offset 0
            ) r order by r.id
          ) k cross join lateral (
            select from flow_runs where account_id = ${accountId} and id = k.id limit 1 for update
          ) r`)
        const gone = yield* orUnavailable(sql`
          delete from flow_runs r
          where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[]) returning ${selected}`)
        return runsOf(accountId)(gone)
      })
    })
  })
)
