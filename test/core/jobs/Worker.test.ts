/**
 * Tests of the worker over storage in memory that is temporarily unavailable.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { layer as memory } from "../../../adapters/memory/index.ts"
import { makeJobPool, type RunningJob } from "../../../core/jobs/JobPool.ts"
import { Worker } from "../../../core/jobs/Worker.ts"
import { type Job, JobQueue, type NewJob } from "../../../core/ports/JobQueue.ts"
import { Unavailable } from "../../../core/shared/Problem.ts"
import { newId } from "../../contract/fixtures.ts"

const lease = 30_000
const away = new Unavailable({ cause: "away" })

const draftJob = (accountId: string): NewJob => ({
  id: newId(),
  accountId,
  queue: "events",
  key: null,
  runAt: 0,
  payload: {}
})

/** A queue that can be unavailable, and a worker for its queue `events`. */
const makeAway = Effect.gen(function* () {
  const queue = yield* JobQueue
  const state = { away: false, failures: 1, handled: [] as Array<number> }
  const reachable = <A>(effect: Effect.Effect<A, Unavailable>): Effect.Effect<A, Unavailable> =>
    Effect.suspend(() => (state.away ? away : effect))
  const failing = JobQueue.of({
    ...queue,
    claim: (...given) => reachable(queue.claim(...given)),
    retry: (...given) => reachable(queue.retry(...given))
  })
  const handlers = Effect.succeed({
    events: {
      batch: 10,
      lease,
      handle: Effect.fnUntraced(function* (jobs: Parameters<typeof queue.complete>[0]) {
        if (state.failures-- > 0) {
          state.away = true
          return yield* away
        }
        yield* queue.complete(jobs)
        state.handled.push(...jobs.map((job) => job.attempts))
      })
    }
  })
  const layer = Layer.provide(Worker.layer(handlers), Layer.succeed(JobQueue, failing))
  return { queue, state, worker: Context.get(yield* Layer.build(Layer.fresh(layer)), Worker) }
})

describe("a batch that fails because the database is unavailable", () => {
  it.effect("is requeued once the database is available, long before its lease expires", () =>
    Effect.gen(function* () {
      const { queue, state, worker } = yield* makeAway
      const accountId = newId()
      yield* queue.enqueue([draftJob(accountId), draftJob(accountId)])
      expect(yield* Effect.flip(worker.drain)).toBe(away)
      // While storage is unavailable, the worker keeps the jobs.
      expect(yield* Effect.flip(worker.drain)).toBe(away)
      state.away = false
      yield* worker.drain
      expect(state.handled).toEqual([])
      yield* TestClock.adjust(1_000)
      yield* worker.drain
      expect(state.handled).toEqual([2, 2])
      expect(yield* worker.nextDue).toBeNull()
    }).pipe(Effect.scoped, Effect.provide(memory, { local: true }))
  )

  it.effect("is retried at least as soon as its lease would have expired", () =>
    Effect.gen(function* () {
      const { queue, state, worker } = yield* makeAway
      state.failures = 9
      yield* queue.enqueue([draftJob(newId())])
      const pauses: Array<number> = []
      while (state.failures > 0) {
        yield* Effect.flip(worker.drain)
        state.away = false
        yield* worker.drain
        const now = yield* Clock.currentTimeMillis
        const due = yield* worker.nextDue
        pauses.push(due! - now)
        yield* TestClock.setTime(due!)
      }
      expect(pauses.slice(0, 5)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000])
      expect(new Set(pauses.slice(5))).toEqual(new Set([lease]))
      yield* worker.drain
      expect(state.handled).toEqual([10])
    }).pipe(Effect.scoped, Effect.provide(memory, { local: true }))
  )
})

describe("jobs that failed too often", () => {
  it.effect("are not reported as such if another worker has claimed them since", () =>
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const reported: Array<string> = []
      const taken: Array<Job> = []
      const handlers = Effect.succeed({
        events: {
          batch: 10,
          lease,
          handle: (jobs: ReadonlyArray<Job>) =>
            Effect.gen(function* () {
              const last = jobs.find(({ attempts, key }) => attempts === 12 && key === "taken")
              if (last !== undefined && taken.length === 0) {
                const now = last.leasedUntil
                const claimed = yield* queue.claim({ queue: "events", limit: 10, lease: 1e10, now })
                yield* queue.release(
                  claimed.filter(({ key }) => key !== "taken"),
                  now
                )
                taken.push(...claimed.filter(({ key }) => key === "taken"))
              }
              return yield* Effect.die(new Error("broken"))
            }),
          onBuried: (jobs: ReadonlyArray<Job>) =>
            Effect.sync(() => void reported.push(...jobs.map(({ key }) => String(key))))
        }
      })
      const layer = Layer.provide(Worker.layer(handlers), Layer.succeed(JobQueue, queue))
      const worker = Context.get(yield* Layer.build(Layer.fresh(layer)), Worker)
      const accountId = newId()
      yield* queue.enqueue(["taken", "broken"].map((key) => ({ ...draftJob(accountId), key })))
      for (let tries = 0; tries < 14; tries++) {
        yield* worker.drain
        yield* TestClock.adjust("1 hour")
      }
      expect(reported).toEqual(["broken"])
      expect(taken).toHaveLength(1)
    }).pipe(
      Effect.scoped,
      Effect.provide(memory, { local: true }),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )
})

/** Interrupts a worker, which waits for its jobs for as long as it may. */
const endOf = Effect.fnUntraced(function* (serving: Fiber.Fiber<never>) {
  const ending = yield* Effect.forkChild(Fiber.interrupt(serving))
  yield* TestClock.adjust(10_000)
  yield* Fiber.join(ending)
})

describe("a drain beside a running worker", () => {
  it.effect("waits for the batch that the worker handles, and for the jobs that it leaves", () =>
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const goes = yield* Deferred.make<void>()
      const handled: Array<number> = []
      const handlers = Effect.succeed({
        events: {
          batch: 10,
          lease,
          handle: Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>) {
            yield* Deferred.await(goes)
            if (handled.length === 0) yield* queue.enqueue([draftJob(newId())])
            yield* queue.complete(jobs)
            handled.push(jobs.length)
          })
        }
      })
      const worker = Context.get(yield* Layer.build(Layer.fresh(Worker.layer(handlers))), Worker)
      yield* queue.enqueue([draftJob(newId())])
      const serving = yield* Effect.forkScoped(worker.run)
      yield* TestClock.adjust(1)
      const draining = yield* Effect.forkChild(worker.drain)
      yield* TestClock.adjust(1)
      const early = draining.pollUnsafe()
      yield* Deferred.succeed(goes, undefined)
      yield* Fiber.join(draining)
      expect(early).toBeUndefined()
      expect(handled).toEqual([1, 1])
      yield* endOf(serving)
    }).pipe(Effect.scoped, Effect.provide(memory, { local: true }))
  )
})

describe("a worker with running jobs", () => {
  it.effect("waits between claims of few jobs no longer than the handler's pause", () =>
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const pool = yield* makeJobPool({ maxJobs: 20, maxWeight: 20, lease })
      let claims = 0
      const handlers = Effect.succeed({
        events: {
          batch: 10,
          gatherPause: 2,
          lease,
          pool,
          handle: (jobs: ReadonlyArray<Job>) => {
            claims++
            return Effect.forEach(jobs, (job) => pool.start(job, 1, () => Effect.never), { discard: true })
          }
        }
      })
      const worker = Context.get(yield* Layer.build(Layer.fresh(Worker.layer(handlers))), Worker)
      const serving = yield* Effect.forkScoped(worker.run)
      for (let count = 1; count <= 9; count++) {
        yield* queue.enqueue([draftJob(newId())])
        yield* TestClock.adjust(2)
        expect(claims).toBe(count)
      }
      yield* endOf(serving)
    }).pipe(Effect.scoped, Effect.provide(memory, { local: true }))
  )

  it.effect("claims a few single jobs at once, and those that follow together shortly after", () =>
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const pool = yield* makeJobPool({ maxJobs: 20, maxWeight: 20, lease })
      const claimed: Array<number> = []
      const handlers = Effect.succeed({
        events: {
          batch: 10,
          lease,
          pool,
          handle: (jobs: ReadonlyArray<Job>) => {
            claimed.push(jobs.length)
            return Effect.forEach(jobs, (job) => pool.start(job, 1, () => Effect.never), { discard: true })
          }
        }
      })
      const worker = Context.get(yield* Layer.build(Layer.fresh(Worker.layer(handlers))), Worker)
      const serving = yield* Effect.forkScoped(worker.run)
      for (let count = 1; count <= 5; count++) {
        yield* queue.enqueue([draftJob(newId())])
        yield* TestClock.adjust(1)
        expect(claimed).toHaveLength(count)
      }
      for (let count = 0; count < 3; count++) {
        yield* queue.enqueue([draftJob(newId())])
        yield* TestClock.adjust(5)
      }
      expect(claimed).toHaveLength(5)
      yield* TestClock.adjust(10)
      expect(claimed).toEqual([1, 1, 1, 1, 1, 3])
      yield* endOf(serving)
    }).pipe(Effect.scoped, Effect.provide(memory, { local: true }))
  )

  it.effect("leaves places for other accounts, whatever one account's jobs wait for", () =>
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const pool = yield* makeJobPool({ maxJobs: 100, maxJobsPerAccount: "Fair", maxWeight: 1_000, lease })
      const running = new Map<string, Array<RunningJob>>()
      const handlers = Effect.succeed({
        events: {
          batch: 40,
          lease,
          pool,
          handle: (jobs: ReadonlyArray<Job>) =>
            Effect.forEach(
              jobs,
              (job) =>
                pool.start(job, 1, (one) => {
                  running.set(job.accountId, [...(running.get(job.accountId) ?? []), one])
                  return Effect.never
                }),
              { discard: true }
            )
        }
      })
      const worker = Context.get(yield* Layer.build(Layer.fresh(Worker.layer(handlers))), Worker)
      const serving = yield* Effect.forkScoped(worker.run)
      const enqueue = (accountId: string, count: number) =>
        queue.enqueue(Array.from({ length: count }, () => draftJob(accountId)))
      const countOf = (accountId: string) => running.get(accountId)?.length ?? 0
      const [many, more, one] = [newId(), newId(), newId()]
      yield* enqueue(many, 500)
      yield* TestClock.adjust(1_000)
      expect(countOf(many)).toBeGreaterThan(40)
      expect(countOf(many)).toBeLessThanOrEqual(60)
      yield* enqueue(more, 500)
      yield* TestClock.adjust(1_000)
      expect(countOf(more)).toBeGreaterThan(10)
      const before = countOf(many) + countOf(more)
      expect(before).toBeLessThan(100)
      yield* enqueue(one, 1)
      yield* TestClock.adjust(1)
      expect(countOf(one)).toBe(1)
      // Parked jobs continue to run and make room for others.
      for (const job of running.get(many)!) job.park()
      yield* TestClock.adjust(1_000)
      expect(countOf(many)).toBeGreaterThan(60)
      expect(pool.size()).toBeGreaterThan(before)
      yield* endOf(serving)
    }).pipe(Effect.scoped, Effect.provide(memory, { local: true }))
  )
})
