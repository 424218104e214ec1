/**
 * Tests how a pool divides its places between queues.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Latch } from "effect"
import { layer as memory } from "../../../adapters/memory/index.ts"
import { makeJobPool } from "../../../core/jobs/JobPool.ts"
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
    /** Fills a view of the pool with jobs of the account, as far as it may; returns how many. */
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
