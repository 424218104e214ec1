/**
 * Stores runs in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Run, runStatuses } from "../../core/model/Run.ts"
import type { StepCount } from "../../core/model/StepCount.ts"
import { type ActiveRun, RunStore } from "../../core/ports/RunStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { dayRows, statusCountsOf } from "./sql/days.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countsOf, execute, idsOf, ifAny } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<Run>({
  id: "uuid",
  accountId: "uuid",
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
})

/** The maximum number of rows per count. Each connection has its row, so that transactions do not wait for each other. */
const slots = 64

/** An id that sorts before all others. */
const firstId = "00000000-0000-0000-0000-000000000000"

/** The fields that change as a run advances. */
const changing = ["status", "stepId", "isWaiting", "dueAt", "pending", "log", "endedAt", "reason"] as const

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("flow_runs", columns, ["startedAt", "id"])

  return RunStore.of({
    // Sorted, so that two overlapping batches cannot deadlock.
    insert: (_accountId, runs) =>
      idsOf(
        table.insertion(
          runs,
          `order by "contactId", "flowId"
          on conflict (account_id, contact_id, flow_id) where status = 'Active' do nothing returning id`
        )
      ).pipe(ifAny(runs)),
    contactsOf: (accountId, ids) =>
      orUnavailable(sql<Pick<Run, "contactId" | "id">>`
        select r.id, r.contact_id as "contactId" from (select distinct unnest(${ids}::uuid[]) as id) k
        cross join lateral (
          select id, contact_id from flow_runs where account_id = ${accountId} and id = k.id limit 1
        ) r`).pipe(ifAny(ids)),
    lock: (accountId, ids) =>
      table
        .select(sql`
          from (select distinct unnest(${ids}::uuid[]) as id order by id) k cross join lateral (
            select * from flow_runs where account_id = ${accountId} and id = k.id limit 1 for update
          ) flow_runs`)
        .pipe(ifAny(ids)),
    lockActive: (accountId, contactIds) =>
      table
        .select(sql`
          from (
            select r.id from (select distinct unnest(${contactIds}::uuid[]) as contact) k
            cross join lateral (
              select id from flow_runs
              where account_id = ${accountId} and contact_id = k.contact and status = 'Active' offset 0
            ) r order by r.id
          ) k cross join lateral (
            select * from flow_runs where account_id = ${accountId} and id = k.id limit 1 for update
          ) flow_runs where flow_runs.status = 'Active'`)
        .pipe(ifAny(contactIds)),
    active: (accountId, after, limit) =>
      Effect.map(
        orUnavailable(sql<Omit<ActiveRun, "dueAt"> & { readonly dueAt: Date | null }>`
          select id, contact_id as "contactId", flow_id as "flowId", due_at as "dueAt" from flow_runs
          where account_id = ${accountId} and status = 'Active'
            and (contact_id, flow_id) > (${after?.contactId ?? firstId}::uuid, ${after?.flowId ?? firstId}::uuid)
          order by contact_id, flow_id limit ${limit}`),
        (rows) => rows.map((row) => ({ ...row, dueAt: row.dueAt?.getTime() ?? null }))
      ),
    // An upsert locks rows by their key. An update with a join need not.
    save: (_accountId, runs) =>
      table.insertMany(
        runs,
        `order by id on conflict (account_id, id) do update set ${columns.replaced(changing)}`
      ),
    appendLog: (accountId, id, entry) =>
      execute(sql`
        update flow_runs set log = log || ${JSON.stringify([entry])}::jsonb
        where account_id = ${accountId} and id = ${id}`),
    list: (accountId, flowId, filter, page) =>
      table.page(
        page,
        sql`account_id = ${accountId} and flow_id = ${flowId}`,
        [
          { column: "id", type: "uuid", values: filter.id },
          { column: "contact_id", type: "uuid", values: filter.contactId },
          { column: "step_id", type: "text", values: filter.step },
          { column: "version", type: "int", values: filter.version },
          { column: "status", type: "text", values: filter.status }
        ],
        filter
      ),
    // A contact has few runs: those in the index are read and sorted.
    ofContact: (accountId, contactId, page) =>
      table.page(page, sql`account_id = ${accountId} and contact_id = ${contactId}`),
    countOfFlow: (accountId, flowId) =>
      countsOf(
        runStatuses,
        sql`
          select s.status, c.count from unnest(${runStatuses}::text[]) as s(status) cross join lateral (
            select count(*)::float8 as count from flow_runs
            where account_id = ${accountId} and flow_id = ${flowId} and status = s.status
          ) c`
      ),
    activeByVersion: (accountId, flowId) =>
      orUnavailable(sql<{ readonly version: number; readonly active: number }>`
        select version, count(*)::float8 as active from flow_runs
        where account_id = ${accountId} and flow_id = ${flowId} and status = 'Active' group by version`),
    countSteps: (accountId, changes) =>
      execute(sql`
        insert into flow_step_counts (account_id, flow_id, step_id, outcome, slot, count)
        select ${accountId}::uuid, r.flow_id, r.step_id, r.outcome, pg_backend_pid() % ${slots}, r.count
        from rows from (
          unnest(${changes.map((change) => change.flowId)}::uuid[]),
          unnest(${changes.map((change) => change.stepId)}::text[]),
          unnest(${changes.map((change) => change.outcome)}::text[]),
          unnest(${changes.map((change) => change.count)}::bigint[])
        ) as r(flow_id, step_id, outcome, count) order by r.flow_id, r.step_id, r.outcome
        on conflict (account_id, flow_id, step_id, outcome, slot)
        do update set count = flow_step_counts.count + excluded.count`).pipe(ifAny(changes)),
    stepCounts: (accountId, flowId) =>
      orUnavailable(sql<StepCount>`
        select flow_id as "flowId", step_id as "stepId", outcome, sum(count)::float8 as count
        from flow_step_counts where account_id = ${accountId} and flow_id = ${flowId}
        group by flow_id, step_id, outcome having sum(count) > 0`),
    /**
     * The index by status begins with the flow. The statement visits each flow, and looks at single days only for flows with
     * a run in the whole period.
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
      pruneOldest(
        sql,
        "flow_runs",
        "ended_at",
        before,
        limit,
        sql`account_id = ${accountId} and ended_at is not null`
      ),
    oldest: (accountId) =>
      orUnavailable(sql<{ readonly any: boolean; readonly endedAt: Date | null }>`
        select exists (select from flow_runs where account_id = ${accountId}) as any, (
          select ended_at from flow_runs where account_id = ${accountId} and ended_at is not null
          order by ended_at limit 1
        ) as "endedAt"`).pipe(
        Effect.map(([row]) => (row!.any ? { endedAt: row!.endedAt?.getTime() ?? null } : null))
      ),
    // Locked first, because a delete locks rows in no particular order.
    erase: Effect.fnUntraced(function* (accountId, contactIds) {
      if (contactIds.length === 0) return []
      yield* execute(sql`
        select from (
          select r.id from (select distinct unnest(${contactIds}::uuid[]) as contact) k cross join lateral (
            select id from flow_runs where account_id = ${accountId} and contact_id = k.contact offset 0
          ) r order by r.id
        ) k cross join lateral (
          select from flow_runs where account_id = ${accountId} and id = k.id limit 1 for update
        ) r`)
      return yield* table.returning(sql`
        delete from flow_runs where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`)
    })
  })
}).pipe(Layer.effect(RunStore))
