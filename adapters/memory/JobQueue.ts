/**
 * Stores the job queue in memory.
 *
 * @module
 */
import { Effect, Layer, Queue as Mailbox } from "effect"
import {
  type Depth,
  type Job,
  type JobEntry,
  JobQueue,
  LeaseLost,
  type NewJob,
  type Queue,
  queues
} from "../../core/ports/JobQueue.ts"
import { pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { DistinctIndex } from "./engine/DistinctIndex.ts"
import { Schedule, type Scheduled } from "./tables/Schedule.ts"
import { compareText } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

/** A pending job, whose `leasedUntil` is null, or a leased one. */
interface Row extends NewJob, Scheduled {
  readonly attempts: number
  readonly lastError: string | null
  readonly leasedUntil: number | null
}

/** A buried job. */
interface Buried extends NewJob {
  readonly attempts: number
  readonly why: string
  readonly buriedAt: number
}

/** The tables and the waiting workers of a queue. */
interface State {
  readonly jobs: Table<Row, "jobs_key">
  readonly schedule: Schedule<Row>
  readonly count: Count
  readonly buried: Table<Buried>
  readonly buriedByKey: DistinctIndex<Buried>
  readonly buriedCount: Count
  readonly waiting: Set<Mailbox.Queue<void>>
  readonly wake: () => void
}

/** Counts a table's rows. */
class Count {
  value = 0

  add(): void {
    this.value++
  }

  remove(): void {
    this.value--
  }
}

const makeState = (database: Database["Service"]): State => {
  const schedule: Schedule<Row> = new Schedule((row) => jobs.get(row.id) === row)
  const count = new Count()
  const jobs = new Table<Row, "jobs_key">(database, {
    key: (row) => row.id,
    unique: {
      jobs_key: (row) =>
        row.leasedUntil === null && row.key !== null ? pendingKey(row.accountId, row.key) : null
    },
    indexes: [schedule, count]
  })
  const buriedCount = new Count()
  const buriedByKey = new DistinctIndex<Buried>(
    (row) => (row.key === null ? null : pendingKey(row.accountId, row.key)),
    (row) => row.id
  )
  const buried = new Table<Buried>(database, { key: (row) => row.id, indexes: [buriedCount, buriedByKey] })
  const waiting = new Set<Mailbox.Queue<void>>()
  const wake = () => {
    for (const mailbox of waiting) Mailbox.offerUnsafe(mailbox, undefined)
  }
  return { jobs, schedule, count, buried, buriedByKey, buriedCount, waiting, wake }
}

const earliestFirst = { by: "age", ascending: true }

const entryOf = ({ accountId, attempts, dueAt, id, lastError, leasedUntil, queue }: Row): JobEntry => ({
  id,
  accountId,
  queue,
  state: leasedUntil === null ? "Pending" : "Running",
  attempts,
  at: dueAt,
  reason: lastError
})

const buriedEntryOf = ({ accountId, attempts, buriedAt, id, queue, why }: Buried): JobEntry => ({
  id,
  accountId,
  queue,
  state: "Buried",
  attempts,
  at: buriedAt,
  reason: why
})

const pendingKey = (accountId: string, key: string): string => `${accountId} ${key}`

const failIfLost = (ids: ReadonlyArray<string>) =>
  ids.length === 0 ? Effect.void : Effect.fail(new LeaseLost({ ids }))

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const states = Object.fromEntries(queues.map((queue) => [queue, makeState(database)])) as Record<
    Queue,
    State
  >
  let sequence = 0

  /** The row of a claim, if the claim is still valid. */
  const claimed = (job: Job): Row | undefined => {
    const row = states[job.queue].jobs.get(job.id)
    return row !== undefined && row.attempts === job.attempts && row.leasedUntil === job.leasedUntil
      ? row
      : undefined
  }

  const enqueue = (job: NewJob): void => {
    const { jobs, wake } = states[job.queue]
    if (job.key !== null && jobs.by("jobs_key", pendingKey(job.accountId, job.key)) !== undefined) return
    jobs.insert({
      ...frozen(job),
      dueAt: job.runAt,
      sequence: sequence++,
      attempts: 0,
      lastError: null,
      leasedUntil: null
    })
    database.afterCommit(wake)
  }

  /** Ends claims that are still valid. If a job with the same key is pending again, the claimed job is dropped. */
  const requeue = (
    jobs: ReadonlyArray<Job>,
    at: number | ReadonlyArray<number>,
    change: (row: Row) => Partial<Row>
  ): void => {
    for (const [index, job] of jobs.entries()) {
      const runAt = typeof at === "number" ? at : at[index]!
      const row = claimed(job)
      if (row === undefined) continue
      const state = states[row.queue]
      const pending =
        row.key === null ? undefined : state.jobs.by("jobs_key", pendingKey(row.accountId, row.key))
      if (pending !== undefined) state.jobs.remove(row.id)
      else {
        state.jobs.replace({ ...row, ...change(row), leasedUntil: null, runAt, dueAt: runAt })
        database.afterCommit(state.wake)
      }
    }
  }

  /** Removes a buried job and returns it; null if there is none with that id. */
  const takeBuried = (id: string): Buried | null => {
    for (const queue of queues) {
      const row = states[queue].buried.remove(id)
      if (row !== undefined) return row
    }
    return null
  }

  const depthOf = (queue: Queue): Depth => {
    const { buriedCount, count, schedule } = states[queue]
    return { queue, pending: count.value, buried: buriedCount.value, nextRunAt: schedule.nextDue() }
  }

  return JobQueue.of({
    enqueue: (jobs) =>
      database.write(() => {
        for (const job of jobs) enqueue(job)
      }),
    claim: ({ except = [], lease, limit, now, queue }) =>
      database.write(() => {
        const { jobs, schedule } = states[queue]
        const leasedUntil = now + lease
        return schedule.take(limit, now, new Set(except)).map((row): Job => {
          jobs.replace({ ...row, attempts: row.attempts + 1, leasedUntil, dueAt: leasedUntil })
          const { accountId, attempts, id, key, lastError, payload, runAt } = row
          return {
            id,
            accountId,
            queue,
            key,
            runAt,
            payload,
            attempts: attempts + 1,
            lastError,
            leasedUntil
          }
        })
      }),
    complete: (jobs) =>
      database
        .write(() => {
          const lost = jobs.filter((job) => claimed(job) === undefined).map((job) => job.id)
          if (lost.length === 0) for (const job of jobs) states[job.queue].jobs.remove(job.id)
          return lost
        })
        .pipe(Effect.flatMap(failIfLost)),
    hold: (jobs) =>
      Effect.flatMap(
        database.read(() => jobs.filter((job) => claimed(job) === undefined).map((job) => job.id)),
        failIfLost
      ),
    extend: (jobs, lease, now) =>
      database.write(() =>
        jobs.flatMap((job): Array<Job> => {
          const row = claimed(job)
          if (row === undefined) return []
          const leasedUntil = now + lease
          states[job.queue].jobs.replace({ ...row, leasedUntil, dueAt: leasedUntil })
          return [{ ...job, leasedUntil }]
        })
      ),
    retry: (jobs, at, why) => database.write(() => requeue(jobs, at, () => ({ lastError: why }))),
    bury: (jobs, why, now) =>
      database.write(() => {
        for (const job of jobs) {
          const row = claimed(job)
          if (row === undefined) continue
          const { accountId, attempts, id, key, payload, queue, runAt } = row
          states[queue].jobs.remove(id)
          states[queue].buried.insert({
            id,
            accountId,
            queue,
            key,
            runAt,
            payload,
            attempts,
            why,
            buriedAt: now
          })
        }
      }),
    release: (jobs, now) =>
      database.write(() => requeue(jobs, now, (row) => ({ attempts: row.attempts - 1 }))),
    cancel: (accountId, queue, keys) =>
      database.write(() => {
        const { jobs } = states[queue]
        return keys.filter((key) => {
          const row = jobs.by("jobs_key", pendingKey(accountId, key))
          return row !== undefined && jobs.remove(row.id) !== undefined
        })
      }),
    makeDue: (accountId, queue, keys, at) =>
      database.write(() => {
        const { jobs, wake } = states[queue]
        for (const key of keys) {
          const row = jobs.by("jobs_key", pendingKey(accountId, key))
          if (row === undefined || row.dueAt <= at) continue
          jobs.replace({ ...row, runAt: at, dueAt: at })
          database.afterCommit(wake)
        }
      }),
    dueTimes: (accountId, names, keys) =>
      database.read(() => {
        const rows = names.flatMap((name) => [...states[name].jobs.rows()])
        const byKey = Map.groupBy(
          rows.filter((row) => row.accountId === accountId),
          ({ key }) => key
        )
        return new Map(
          keys.flatMap((key) => {
            const found = byKey.get(key)
            const times = (found ?? []).flatMap((row) => (row.leasedUntil === null ? [row.dueAt] : []))
            return found === undefined ? [] : [[key, times.length === 0 ? null : Math.min(...times)] as const]
          })
        )
      }),
    erase: (accountId, queue, keys) =>
      database.write(() => {
        const { buried, buriedByKey, jobs } = states[queue]
        for (const key of keys) {
          const row = jobs.by("jobs_key", pendingKey(accountId, key))
          if (row !== undefined) jobs.remove(row.id)
          for (const id of buriedByKey.members(pendingKey(accountId, key)).keys()) buried.remove(id)
        }
      }),
    pruneBuried: (before, limit) =>
      database.write(() => {
        const old = Object.values(states)
          .flatMap(({ buried }) => [...buried.rows()].map((row) => ({ buried, row })))
          .filter(({ row }) => row.buriedAt < before)
          .toSorted((a, b) => a.row.buriedAt - b.row.buriedAt)
          .slice(0, limit)
        for (const { buried, row } of old) buried.remove(row.id)
        return old.length
      }),
    list: ({ accountId = null, queue: among = null, state = null }, page) =>
      database.read(() => {
        const found = (among ?? queues)
          .flatMap((queue): ReadonlyArray<JobEntry> => [
            ...Array.from(states[queue].jobs.rows(), entryOf),
            ...Array.from(states[queue].buried.rows(), buriedEntryOf)
          ])
          .filter(
            (entry) =>
              (accountId === null || accountId.includes(entry.accountId)) &&
              (state === null || state.includes(entry.state))
          )
          .toSorted((a, b) => a.at - b.at || compareText(a.id, b.id))
        return pageOfAll(found, { ...page, sort: page.sort ?? earliestFirst }, placeBy("at"))
      }),
    retryBuried: (id, now) =>
      database.write(() => {
        const row = takeBuried(id)
        if (row === null) return null
        const { accountId, key, payload, queue } = row
        enqueue({ id, accountId, queue, key, payload, runAt: now })
        return buriedEntryOf(row)
      }),
    dropBuried: (id) =>
      database.write(() => {
        const row = takeBuried(id)
        return row === null ? null : buriedEntryOf(row)
      }),
    depth: database.read(() => queues.map(depthOf)),
    waiting: (now, limit) =>
      database.read(() =>
        queues.flatMap((queue) =>
          states[queue].schedule
            .firstDue()
            .filter(({ dueAt }) => dueAt <= now)
            .toSorted((a, b) => a.dueAt - b.dueAt)
            .slice(0, limit)
            .map((first) => ({ queue, ...first }))
        )
      ),
    nextDue: (names) =>
      database.read(() => {
        const times = names.map((queue) => [queue, states[queue].schedule.nextDue()] as const)
        return new Map(times.filter((time): time is readonly [Queue, number] => time[1] !== null))
      }),
    wakeups: (queue) =>
      Effect.gen(function* () {
        const { waiting } = states[queue]
        const mailbox = yield* Mailbox.dropping<void>(1)
        yield* Effect.acquireRelease(
          Effect.sync(() => waiting.add(mailbox)),
          () => Effect.sync(() => waiting.delete(mailbox))
        )
        return Mailbox.take(mailbox)
      })
  })
}).pipe(Layer.effect(JobQueue))
