/**
 * Stores the job queue in the database.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  type Depth,
  type Job,
  JobQueue,
  LeaseLost,
  type Queue,
  queues,
  type Waiting
} from "../../core/ports/JobQueue.ts"
import { columnsOf } from "./sql/columns.ts"
import { jobLists } from "./sql/jobLists.ts"
import { makeEnqueueSql } from "./sql/enqueueSql.ts"
import { pruneOldest } from "./sql/tables.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, idsOf, ifAny } from "./sql/results.ts"
import { type Claim, makeOrphanedClaims } from "./engine/OrphanedClaims.ts"
import { JobNotifier } from "./engine/JobNotifier.ts"

/** The maximum number of accounts that a claim visits. */
const maxVisited = 128

/** The id that precedes the ids of all accounts. */
const firstPosition = "00000000-0000-0000-0000-000000000000"

interface ClaimedRow extends Omit<Job, "runAt" | "leasedUntil"> {
  readonly runAt: Date
  /** The account after which the next claim continues; null if this claim visited every account. */
  readonly position: string | null
}

/** The row of a claim without jobs, which has only the position of the next claim. */
interface EmptyRow {
  readonly id: null
  readonly position: string | null
}

const isClaimed = (row: ClaimedRow | EmptyRow): row is ClaimedRow => row.id !== null

interface AddedRow {
  readonly queue: Queue
}

interface DepthRow extends Omit<Depth, "nextRunAt"> {
  readonly nextRunAt: Date | null
}

/** The fields that distinguish a claim of a job from every other claim of the same job. */
const fenceColumns = columnsOf<Pick<Job, "accountId" | "attempts" | "id" | "leasedUntil" | "queue">>({
  accountId: "uuid",
  queue: "text",
  id: "uuid",
  attempts: "int",
  leasedUntil: "timestamptz"
})

const claimColumns = columnsOf<Claim>({ name: "uuid", queue: "text", leasedUntil: "timestamptz" })

const failIfLost = (ids: ReadonlyArray<string>) =>
  ids.length === 0 ? Effect.void : Effect.fail(new LeaseLost({ ids }))

/** The port over a `SqlClient` and `JobNotifier`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const notifier = yield* JobNotifier
  const lists = jobLists(sql)
  const positions = new Map<Queue, string>()

  const { insertion, notification, wake } = yield* makeEnqueueSql
  const notify = notification("added")
  const notifying = (statement: Effect.Effect<ReadonlyArray<AddedRow>, SqlError>) =>
    Effect.flatMap(orUnavailable(statement), (rows) => wake(rows.map((row) => row.queue)))

  /**
   * The common table expressions `given` and `own`, the rows of those claims that this process still holds. The rows are
   * locked in one order, so that two statements cannot deadlock. Each is found by its `ctid`, whose speed does not depend
   * on statistics.
   */
  const own = (jobs: ReadonlyArray<Job>) => sql`
    given as materialized (
      select * from rows from (
        json_to_recordset(${fenceColumns.encode(jobs)}::json) as (${sql.literal(fenceColumns.recordset)})
      ) with ordinality as g(${sql.literal(fenceColumns.fields)}, n)
    ),
    own as materialized (
      select g.id, g.n, j.place from (select * from given order by "accountId", queue, id) as g
      cross join lateral (
        select jobs.ctid as place from jobs
        where jobs.account_id = g."accountId" and jobs.queue = g.queue and jobs.id = g.id and jobs.leased
          and jobs.attempts = g.attempts and jobs.due_at = g."leasedUntil"
        for update
      ) as j
    )`

  /**
   * The common table expression `added`: the rows of `gone`, pending again. A job is deleted and inserted again because
   * only an insertion can be dropped in favour of a pending job with the same key that another transaction adds at the
   * same time.
   */
  const addedAgain = (due: Fragment, fewer: number, why: string | null) => sql`
    added as (
      insert into jobs
        (account_id, queue, id, key, run_at, due_at, leased, attempts, last_error, payload)
      select account_id, queue, id, key, r.at, r.at, false, attempts - ${fewer}::int,
        coalesce(${why}::text, last_error), payload
      from gone join lateral (${due}) as r on true
      order by account_id, queue, key, id
      on conflict (account_id, queue, key) where not leased and key is not null do nothing
      returning queue
    )`

  const allAt = (time: number) => sql`select ${new Date(time)}::timestamptz as at`

  /** The time of each job of `given`, in the same order. */
  const eachAt = (times: ReadonlyArray<number>) => sql`
    select (${times.map((time) => new Date(time).toISOString())}::timestamptz[])[own.n] as at
    from own where own.id = gone.id limit 1`

  /** Ends the claims that this process still holds, and makes their jobs pending again. */
  const requeue = (
    jobs: ReadonlyArray<Job>,
    at: number | ReadonlyArray<number>,
    fewer: number,
    why: string | null
  ) =>
    notifying(sql`
      with ${own(jobs)},
      gone as (
        delete from jobs where ctid = any(array(select place from own)) returning jobs.*
      ),
      ${addedAgain(typeof at === "number" ? allAt(at) : eachAt(at), fewer, why)}
      ${notify}`).pipe(ifAny(jobs))

  /**
   * Releases jobs of lost claims as if they had never been claimed. If another process claimed a job after the lease
   * expired, that claim has another name.
   */
  const claims = makeOrphanedClaims((orphans, now) =>
    idsOf(sql`
        with claims as (
          select * from json_to_recordset(${claimColumns.encode(orphans)}::json)
            as c(${sql.literal(claimColumns.recordset)})
        ),
        gone as (
          delete from jobs where ctid = any(array(
            select j.place from claims as c cross join lateral (
              select jobs.ctid as place from jobs
              where jobs.queue || '' = c.queue and jobs.due_at = c."leasedUntil" and jobs.leased
                and jobs.claim = c.name
              order by jobs.account_id, jobs.id for update
            ) as j
          )) returning jobs.*
        ),
        ${addedAgain(allAt(now), 1, null)}
        select distinct claim as id from gone`)
  )

  const claim = (
    { leasedUntil, name, queue }: Claim,
    limit: number,
    now: number,
    except: ReadonlyArray<string>
  ) => {
    const position = positions.get(queue) ?? firstPosition
    // The limit is part of the text, because without it the planner sorts the whole backlog. Limits vary with the capacity,
    // so they are rounded to one of few values: each text is planned once per connection.
    const window = 2 ** Math.ceil(Math.log2(Math.max(64, 2 * limit)))
    const at = new Date(now)
    return orUnavailable(sql<ClaimedRow | EmptyRow>`
      with recursive
      -- The earliest due. When they are fewer than asked for, they are all there is.
      earliest as materialized (
        select account_id, id, due_at from jobs where queue || '' = ${queue} and due_at <= ${at}
        order by due_at, id limit ${sql.literal(String(window))}
      ),
      backlog as materialized (select count(*) = ${window} as found from earliest),
      -- Else a part of the round of accounts, from where the last claim stopped.
      round as (
        select 0 as step, ${position}::uuid as account_id, null::timestamptz as due_at, false as wrapped
        from backlog where found
        union all
        select r.step + 1, next.account_id, next.due_at, next.wrapped
        from round as r cross join lateral (
          (select j.account_id, j.due_at, r.wrapped from jobs as j
            where j.queue = ${queue} and j.account_id > r.account_id
            order by j.account_id, j.due_at limit 1)
          union all
          (select j.account_id, j.due_at, true from jobs as j
            where j.queue = ${queue} and not r.wrapped
            order by j.account_id, j.due_at limit 1)
          limit 1
        ) as next
        where r.step < ${maxVisited} and not (next.wrapped and next.account_id > ${position}::uuid)
      ),
      known as materialized (
        select account_id, bool_or(in_round) as in_round,
          row_number() over (order by account_id <= ${position}::uuid, account_id) as turn
        from (
          select account_id, not found as in_round from earliest cross join backlog
          union all
          select account_id, true from round where step > 0 and due_at <= ${at}
        ) as a
        where not (account_id = any(${except}::uuid[]))
        group by account_id
      ),
      served as materialized (
        select account_id, in_round, turn from known order by turn limit ${limit}
      ),
      -- Each account's share of the claim; room that is left goes to the earliest.
      share as materialized (
        select ceil(${limit}::float8 / greatest(count(*), 1))::int as size from served
      ),
      candidate as (
        select account_id, id, due_at from earliest
        union
        select s.account_id, j.id, j.due_at
        from served as s cross join share cross join backlog cross join lateral (
          select jobs.id, jobs.due_at from jobs
          where jobs.queue = ${queue} and jobs.account_id = s.account_id and jobs.due_at <= ${at}
          order by jobs.due_at, jobs.id limit share.size
        ) as j
        where backlog.found
      ),
      picked as materialized (
        select c.place, c.id, c.n, c.turn from (
          select l.place, o.id, o.n, o.turn from (
            select c.account_id, c.id, s.turn,
              row_number() over (partition by c.account_id order by c.due_at, c.id) as n
            from candidate as c join known as s on s.account_id = c.account_id
            order by n, turn
          ) as o cross join lateral (
            select jobs.ctid as place from jobs
            where jobs.account_id = o.account_id and jobs.queue = ${queue} and jobs.id = o.id
              and jobs.due_at <= ${at}
            for update skip locked
          ) as l
          limit ${limit}
        ) as c
      ),
      claimed as (
        update jobs set leased = true, attempts = attempts + 1, claim = ${name}, due_at = ${new Date(leasedUntil)}
        where ctid = any(array(select place from picked))
        returning account_id, id, key, run_at, payload, attempts, last_error
      ),
      stopped as (
        select coalesce(
          (select s.account_id from served as s
            where s.in_round and s.turn = ${limit} and s.turn < (select count(*) from known)),
          (select r.account_id from round as r where r.step > 0 order by r.step desc limit 1)
        ) as account_id
      )
      select c.account_id as "accountId", ${queue}::text as queue, c.id, c.key, c.run_at as "runAt",
        c.payload, c.attempts, c.last_error as "lastError", stopped.account_id as position
      from stopped left join (claimed as c join picked on picked.id = c.id) on true
      order by picked.n, picked.turn`).pipe(
      Effect.map((rows) => {
        const stopped = rows[0]?.position ?? null
        if (stopped !== null) positions.set(queue, stopped)
        return rows
          .filter(isClaimed)
          .map(({ accountId, attempts, id, key, lastError, payload, runAt }): Job => ({
            id,
            accountId,
            queue,
            key,
            runAt: runAt.getTime(),
            payload,
            attempts,
            lastError,
            leasedUntil
          }))
      })
    )
  }

  return JobQueue.of({
    enqueue: (jobs) =>
      notifying(sql`
        with added as (${insertion(
          jobs.map((job) => ({ job, submissionId: null })),
          sql`true`
        )})
        ${notify}`).pipe(ifAny(jobs)),
    claim: ({ except = [], lease, limit, now, queue }) =>
      limit <= 0 ? Effect.succeed([]) : claims(queue, lease, now, (one) => claim(one, limit, now, except)),
    complete: (jobs) =>
      idsOf(sql`
        with ${own(jobs)},
        lost as materialized (select id, n from given where n not in (select n from own)),
        gone as (
          delete from jobs
          where ctid = any(array(select place from own where not exists (select from lost)))
        )
        select id from lost order by n`).pipe(Effect.flatMap(failIfLost), ifAny(jobs)),
    hold: (jobs) =>
      idsOf(sql`with ${own(jobs)} select id from given where n not in (select n from own) order by n`).pipe(
        Effect.flatMap(failIfLost),
        ifAny(jobs)
      ),
    extend: (jobs, lease, now) =>
      idsOf(sql`
        with ${own(jobs)}
        update jobs set due_at = ${new Date(now + lease)} where ctid = any(array(select place from own))
        returning id`).pipe(
        Effect.map((ids) => {
          const ours = new Set(ids)
          const leasedUntil = now + lease
          return jobs.flatMap((job) => (ours.has(job.id) ? [{ ...job, leasedUntil }] : []))
        }),
        ifAny(jobs)
      ),
    retry: (jobs, at, why) => requeue(jobs, at, 0, why),
    bury: (jobs, why, now) =>
      execute(sql`
        with ${own(jobs)},
        gone as (
          delete from jobs where ctid = any(array(select place from own)) returning jobs.*
        )
        insert into buried_jobs
          (account_id, queue, id, key, run_at, attempts, payload, why, buried_at)
        select account_id, queue, id, key, run_at, attempts, payload, ${why}, ${new Date(now)}
        from gone`).pipe(ifAny(jobs)),
    release: (jobs, now) => requeue(jobs, now, 1, null),
    cancel: (accountId, queue, keys) =>
      idsOf(sql`
        delete from jobs
        where account_id = ${accountId} and queue = ${queue} and key = any(${keys}::text[])
          and key is not null and not leased
        returning key as id`),
    makeDue: (accountId, queue, keys, at) =>
      notifying(sql`
        with added as (
          update jobs set run_at = ${new Date(at)}, due_at = ${new Date(at)}
          where ctid = any(array(
            select j.place from (select distinct unnest(${keys}::text[]) as key order by 1) as k
            cross join lateral (
              select jobs.ctid as place, jobs.due_at from jobs
              where jobs.account_id = ${accountId} and jobs.queue = ${queue} and jobs.key = k.key
                and jobs.key is not null and not jobs.leased limit 1 for update
            ) as j
            where j.due_at > ${new Date(at)}
          ))
          returning queue
        )
        ${notify}`).pipe(ifAny(keys)),
    // Claimed jobs are found by the index of leased jobs, because few are claimed at a time. A search by account could read all
    // of its jobs.
    dueTimes: (accountId, names, keys) =>
      keys.length === 0
        ? Effect.succeed(new Map())
        : Effect.map(
            orUnavailable(sql<{ readonly key: string; readonly at: Date | null }>`
              with claimed as materialized (
                select key from jobs
                where queue = any(${names}::text[]) and leased and account_id::text = ${accountId}
              )
              select k.key, p.at from (select distinct unnest(${keys}::text[]) as key) as k
              left join lateral (
                select min(j.due_at) as at from unnest(${names}::text[]) as q(queue) cross join lateral (
                  select due_at from jobs
                  where jobs.account_id = ${accountId} and jobs.queue = q.queue and jobs.key = k.key
                    and jobs.key is not null and not jobs.leased limit 1
                ) as j
              ) as p on true
              where p.at is not null
                or exists (select from claimed as c where c.key = k.key)`),
            (rows) => new Map(rows.map(({ at, key }) => [key, at?.getTime() ?? null]))
          ),
    erase: (accountId, queue, keys) =>
      execute(sql`
        with gone as (
          delete from jobs where ctid = any(array(
            select j.place from unnest(${keys}::text[]) as k(key) cross join lateral (
              select jobs.ctid as place from jobs
              where jobs.account_id = ${accountId} and jobs.queue = ${queue} and jobs.key = k.key
                and jobs.key is not null and not jobs.leased limit 1 for update
            ) as j
          ))
        )
        delete from buried_jobs
        where account_id = ${accountId} and queue = ${queue} and key = any(${keys}::text[])`).pipe(
        ifAny(keys)
      ),
    pruneBuried: (before, limit) => pruneOldest(sql, "buried_jobs", "buried_at", before, limit),
    list: lists.list,
    // Dropped in favour of a pending job with the same key, as when a claimed job is retried.
    retryBuried: (id, now) =>
      Effect.tap(
        lists.taken(sql`
          with gone as (delete from buried_jobs where id = ${id} returning buried_jobs.*),
          added as (
            insert into jobs (account_id, queue, id, key, run_at, due_at, leased, attempts, last_error, payload)
            select account_id, queue, id, key, r.at, r.at, false, 0, null, payload
            from gone cross join (select ${new Date(now)}::timestamptz as at) as r
            on conflict (account_id, queue, key) where not leased and key is not null do nothing
          )
          ${lists.buriedAs("gone")}`),
        (entry) => (entry === null ? Effect.void : wake([entry.queue]))
      ),
    dropBuried: (id) =>
      lists.taken(sql`
        with gone as (delete from buried_jobs where id = ${id} returning buried_jobs.*)
        ${lists.buriedAs("gone")}`),
    depth: orUnavailable(sql<DepthRow>`
      select q.queue, coalesce(p.count, 0)::float8 as pending, coalesce(b.count, 0)::float8 as buried,
        (select jobs.due_at from jobs where jobs.queue || '' = q.queue order by jobs.due_at limit 1) as "nextRunAt"
      from unnest(${queues}::text[]) as q(queue)
      left join (select queue, count(*) from jobs group by queue) as p using (queue)
      left join (select queue, count(*) from buried_jobs group by queue) as b using (queue)`).pipe(
      Effect.map((rows) => rows.map((row) => ({ ...row, nextRunAt: row.nextRunAt?.getTime() ?? null })))
    ),
    waiting: (now, limit) =>
      orUnavailable(sql<Omit<Waiting, "dueAt"> & { readonly dueAt: Date }>`
        with recursive
        -- The first job of each account in each queue, one index search for each.
        firsts as (
          (select queue, account_id, due_at from jobs order by queue, account_id, due_at limit 1)
          union all
          select next.queue, next.account_id, next.due_at from firsts as f cross join lateral (
            select j.queue, j.account_id, j.due_at from jobs as j
            where (j.queue, j.account_id) > (f.queue, f.account_id)
            order by j.queue, j.account_id, j.due_at limit 1
          ) as next
        )
        select queue, account_id as "accountId", due_at as "dueAt" from (
          select *, row_number() over (partition by queue order by due_at, account_id) as n
          from firsts where due_at <= ${new Date(now)}
        ) as late where n <= ${limit} order by queue, n`).pipe(
        Effect.map((rows) => rows.map((row) => ({ ...row, dueAt: row.dueAt.getTime() })))
      ),
    nextDue: (names) =>
      orUnavailable(sql<{ readonly queue: Queue; readonly at: Date }>`
        select q.queue, first.due_at as at from unnest(${names}::text[]) as q(queue)
        cross join lateral (
          select due_at from jobs where jobs.queue || '' = q.queue order by due_at limit 1
        ) as first`).pipe(Effect.map((rows) => new Map(rows.map(({ at, queue }) => [queue, at.getTime()])))),
    wakeups: notifier.wakeups
  })
}).pipe(Layer.effect(JobQueue))

/**
 * Ends every lease. Used for a database that only this process uses: the process that held the leases has ended, so its jobs
 * need not wait until their leases expire.
 */
export const endLeases: Effect.Effect<void, SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  yield* sql`update jobs set due_at = ${now} where leased and due_at > ${now}`
})
