/**
 * Tests how a pool divides its places among queues.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Latch } from "effect"
import { layer as memory } from "../../../adapters/memory/index.ts"
import { makeJobPool, type RunningJob } from "../../../core/jobs/JobPool.ts"
import { JobQueue, type Queue } from "../../../core/ports/JobQueue.ts"
import { newId } from "../../contract/fixtures.ts"

it.effect("a queue that has a part of the places leaves some to other jobs of the same account", () =>
  Effect.gen(function* () {
    const queue = yield* JobQueue
    const pool = yield* makeJobPool({
      maxJobs: 100,
      maxJobsPerAccount: "Fair",
      maxWeight: 1_000,
      lease: 30_000
    })
    const part = pool.partOf("campaignEmails", 0.8)
    const accountId = newId()
    const latch = Latch.makeUnsafe(false)
    /** Fills a view of the pool with as many jobs of the account as it admits. Returns how many. */
    const fill = Effect.fnUntraced(function* (name: Queue, view: Pick<typeof pool, "claimRoom">) {
      for (let started = 0; ;) {
        const { except, limit } = view.claimRoom(10)
        if (limit === 0 || except.includes(accountId)) return started
        yield* queue.enqueue(
          Array.from({ length: limit }, () => ({
            id: newId(),
            accountId,
            queue: name,
            key: null,
            runAt: 0,
            payload: {}
          }))
        )
        const jobs = yield* queue.claim({ queue: name, lease: 30_000, now: 0, limit, except })
        for (const job of jobs) yield* pool.start(job, 1, () => latch.await)
        started += jobs.length
      }
    })
    const ofCampaigns = yield* fill("campaignEmails", part)
    expect(ofCampaigns).toBeGreaterThan(40)
    expect(ofCampaigns).toBeLessThanOrEqual(48)
    expect(pool.claimRoom(10)).toMatchObject({ limit: 10, except: [] })
    expect(ofCampaigns + (yield* fill("deliveries", pool))).toBeGreaterThanOrEqual(57)
    latch.openUnsafe()
    yield* pool.idle
  }).pipe(Effect.scoped, Effect.provide(memory, { local: true }))
)

it.effect("jobs enter the reserve only below their account's part, or for what it is kept for", () =>
  Effect.gen(function* () {
    const queue = yield* JobQueue
    const pool = yield* makeJobPool({
      maxJobs: 100,
      maxJobsPerAccount: "Fair",
      reserved: 20,
      maxWeight: 1_000,
      lease: 30_000
    })
    const latch = Latch.makeUnsafe(false)
    /** Starts jobs of an account. Returns how many were admitted, and all of them. */
    const start = Effect.fnUntraced(function* (accountId: string, count: number, fromReserve = false) {
      yield* queue.enqueue(
        Array.from({ length: count }, () => ({
          id: newId(),
          accountId,
          queue: "deliveries" as const,
          key: null,
          runAt: 0,
          payload: {}
        }))
      )
      const jobs = yield* queue.claim({
        queue: "deliveries",
        lease: 30_000,
        now: 0,
        limit: count,
        except: []
      })
      const all: Array<RunningJob> = []
      let entered = 0
      for (const job of jobs)
        yield* pool.start(job, 1, (running) => {
          all.push(running)
          if (!running.enter(fromReserve)) return Effect.void
          entered++
          return latch.await
        })
      while (all.length < count) yield* Effect.yieldNow
      return { all, entered }
    })
    const [many, more, few] = [newId(), newId(), newId()]
    const { all } = yield* start(many, 60)
    yield* start(more, 20)
    // Only the reserve is free: each of the two accounts has a share of 50.
    expect((yield* start(many, 5)).entered).toBe(0)
    expect((yield* start(more, 2)).entered).toBe(2)
    expect((yield* start(few, 3)).entered).toBe(3)
    expect((yield* start(many, 4, true)).entered).toBe(4)
    expect(all[0]!.enter(false)).toBe(true)
    // A job that is parked or has ended releases its place.
    for (const job of all.slice(0, 12)) job.park()
    expect((yield* start(many, 5)).entered).toBe(3)
    latch.openUnsafe()
    yield* pool.idle
    expect((yield* start(many, 5)).entered).toBe(5)
  }).pipe(Effect.scoped, Effect.provide(memory, { local: true }))
)
