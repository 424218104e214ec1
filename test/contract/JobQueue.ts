/**
 * The contract of `core/ports/JobQueue`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import {
  type Job,
  type JobEntry,
  type JobFilter,
  JobQueue,
  type NewJob,
  type Queue,
  queues
} from "../../core/ports/JobQueue.ts"
import type { Sort } from "../../core/shared/Page.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  byId,
  endsWithin,
  expectFailure,
  firstPage,
  freshAccountId,
  freshAccountIds,
  interruptedAt,
  minute,
  newId,
  now,
  oddText,
  pause,
  readOn,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"
import { draftJob } from "./drafts.ts"

const queue: Queue = "deliveries"

const lease = minute

/** Later than any job of these tests is due or leased. */
const longAfter = now + 1_000_000_000

/** How long a wake-up may take on a busy machine, milliseconds. */
const wakeUpTimeout = 15_000

/** Later than any lease claimed at that time, and than the jobs that other suites leave for up to a century. */
const afterAll = longAfter + 100 * 365 * 86_400_000

const draft = (accountId: string, values: Partial<NewJob> = {}): NewJob =>
  draftJob({ accountId, queue, ...values })

/** A new account, with queues from which the jobs of earlier tests are removed. */
const fresh = Effect.gen(function* () {
  const jobs = yield* JobQueue
  for (const name of queues) {
    while (true) {
      const left = yield* jobs.claim({ queue: name, limit: 1000, lease, now: afterAll })
      if (left.length === 0) break
      yield* jobs.complete(left)
    }
  }
  return yield* freshAccountId
})

const claim = (limit = 100, at = now, name: Queue = queue) =>
  Effect.flatMap(JobQueue, (jobs) => jobs.claim({ queue: name, limit, lease, now: at }))

const idsOf = (jobs: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> =>
  jobs.map(({ id }) => id)

/** The depth of the queue. */
const depth = Effect.gen(function* () {
  const all = yield* (yield* JobQueue).depth
  return all.find((one) => one.queue === queue)!
})

const namingLateAccounts = (it: StorageTest): void => {
  it.effect("names the accounts of each queue that wait longest", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const late = yield* fresh
      const [later, early, leased] = yield* Effect.all([freshAccountId, freshAccountId, freshAccountId])
      yield* jobs.enqueue([draft(leased, { runAt: now - 9 })])
      expect(yield* claim(1)).toHaveLength(1)
      yield* jobs.enqueue([
        draft(late, { runAt: now - 5 }),
        draft(late, { runAt: now - 7 }),
        draft(late, { runAt: now + 5 }),
        draft(later, { runAt: now }),
        draft(early, { runAt: now + 1 }),
        draft(later, { runAt: now - 3, queue: "runs" })
      ])
      const all = yield* jobs.waiting(now, 10)
      expect(all.filter((one) => one.queue === queue)).toEqual([
        { queue, accountId: late, dueAt: now - 7 },
        { queue, accountId: later, dueAt: now }
      ])
      expect(all.filter((one) => one.queue === "runs")).toEqual([
        { queue: "runs", accountId: later, dueAt: now - 3 }
      ])
      expect(all).toHaveLength(3)
      expect(yield* jobs.waiting(now, 1)).toHaveLength(2)
    })
  )
}

const claiming = (it: StorageTest): void => {
  it.effect("returns a job as it was added, leased", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const payloads = [
        null,
        0,
        "",
        false,
        oddText,
        [1, ["two", null]],
        { deep: { list: [{}] }, [oddText]: oddText }
      ]
      const added = payloads.map((payload, index) =>
        draft(accountId, { payload, key: index === 0 ? null : `${oddText} ${index}` })
      )
      yield* jobs.enqueue(added)
      const claimed = yield* claim()
      const expected = added.map(({ id, key, payload }) => ({
        id,
        accountId,
        queue,
        key,
        payload,
        attempts: 1,
        lastError: null,
        leasedUntil: now + lease
      }))
      expect(byId(claimed)).toMatchObject(byId(expected))
    })
  )

  it.effect("returns jobs when they are due, the earliest first", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const added = [3, 1, 2, 0].map((index) => draft(accountId, { runAt: now + index }))
      yield* jobs.enqueue(added)
      expect(yield* claim(100, now - 1)).toEqual([])
      expect(idsOf(yield* claim(1, now + 2))).toEqual([added[3]!.id])
      expect(idsOf(yield* claim(100, now + 2))).toEqual([added[1]!.id, added[2]!.id])
      expect(idsOf(yield* claim(100, now + 3))).toEqual([added[0]!.id])
    })
  )

  it.effect("returns no more than the limit, and each job once", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const added = times(10, (index) => draft(accountId, { runAt: now - 10 + index }))
      yield* jobs.enqueue(added)
      const parts = [yield* claim(4), yield* claim(4), yield* claim(4), yield* claim(4)]
      expect(parts.map((part) => part.length)).toEqual([4, 4, 2, 0])
      expect(idsOf(parts.flat())).toEqual(idsOf(added))
    })
  )

  it.effect("separates the queues", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const added = queues.map((name) => draft(accountId, { queue: name, key: "same" }))
      yield* jobs.enqueue(added)
      for (const job of added) expect(idsOf(yield* claim(10, now, job.queue))).toEqual([job.id])
    })
  )

  it.effect("accepts 1,000 jobs at once, and an empty batch", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue([])
      const added = times(1000, (index) => draft(accountId, { key: `key-${index}`, payload: { index } }))
      yield* jobs.enqueue(added)
      const claimed = yield* claim(1000)
      expect(new Set(idsOf(claimed))).toEqual(new Set(idsOf(added)))
      yield* jobs.complete(claimed)
      yield* jobs.complete([])
      expect((yield* depth).pending).toBe(0)
    })
  )

  it.effect("distributes the jobs among concurrent claims, each once", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      yield* fresh
      const accountIds = yield* freshAccountIds(5)
      const added = times(200, (index) => draft(accountIds[index % 5]!))
      yield* jobs.enqueue(added)
      const claimed: Array<Job> = []
      while (claimed.length < added.length) {
        const exits = yield* atOnce(times(10, () => claim(8)))
        expect(successes(exits)).toHaveLength(10)
        const part = successes(exits).flat()
        expect(part.length).toBeGreaterThan(0)
        claimed.push(...part)
      }
      expect(new Set(idsOf(claimed))).toEqual(new Set(idsOf(added)))
      expect(claimed).toHaveLength(200)
    })
  )

  it.effect("does not wait for the open transaction of another claim", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const { run } = yield* Transaction
      const accountId = yield* fresh
      yield* jobs.enqueue(times(4, () => draft(accountId)))
      const started = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        run(
          Effect.gen(function* () {
            const claimed = yield* claim(2)
            yield* Deferred.succeed(started, undefined)
            yield* pause(30)
            return claimed
          })
        )
      )
      yield* Deferred.await(started)
      const second = yield* claim(4)
      const both = [...(yield* Fiber.join(first)), ...second]
      expect(new Set(idsOf(both)).size).toBe(4)
      expect(both).toHaveLength(4)
    })
  )

  it.effect("undoes a claim that is rolled back", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const { run } = yield* Transaction
      const accountId = yield* fresh
      const job = draft(accountId)
      yield* jobs.enqueue([job])
      yield* Effect.exit(run(Effect.andThen(claim(), Effect.fail("rejected" as const))))
      yield* interruptedAt((reached) => run(Effect.andThen(Effect.andThen(claim(), reached), Effect.never)))
      const [claimed] = yield* claim()
      expect(claimed).toMatchObject({ id: job.id, attempts: 1 })
    })
  )
}

const sharing = (it: StorageTest): void => {
  it.effect("serves an account with few jobs beside another account's backlog", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      yield* fresh
      const [busy, quiet] = (yield* freshAccountIds(2)) as [string, string]
      yield* jobs.enqueue(times(1000, (index) => draft(busy, { runAt: now - 5000 + index })))
      const few = times(5, (index) => draft(quiet, { runAt: now - 5 + index }))
      yield* jobs.enqueue(few)
      const claimed = yield* claim(20)
      expect(claimed).toHaveLength(20)
      expect(idsOf(claimed.filter((job) => job.accountId === quiet))).toEqual(idsOf(few))
    })
  )

  it.effect("fills a claim with the jobs of a single account", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const [other] = (yield* freshAccountIds(1)) as [string]
      yield* jobs.enqueue([
        ...times(50, () => draft(accountId)),
        draft(other),
        draft(other, { runAt: now + 1 })
      ])
      const claimed = yield* claim(30)
      expect(claimed.filter((job) => job.accountId === accountId)).toHaveLength(29)
    })
  )

  it.effect("leaves out the jobs of excepted accounts, however many, and finds those of others", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const busy = yield* fresh
      const [full, other] = (yield* freshAccountIds(2)) as [string, string]
      const few = [draft(other), draft(other)]
      yield* jobs.enqueue([...times(300, () => draft(busy)), ...times(300, () => draft(full)), ...few])
      const claimExcept = (limit: number, except: ReadonlyArray<string>) =>
        jobs.claim({ queue, limit, lease, now: longAfter, except })
      expect(idsOf(yield* claimExcept(10, [busy, full]))).toEqual(idsOf(few))
      expect(yield* claimExcept(10, [busy, full, other])).toEqual([])
      const theirs = yield* claimExcept(10, [full])
      expect(theirs.map((job) => job.accountId)).toEqual(times(10, () => busy))
      expect(yield* claimExcept(1000, [])).toHaveLength(590)
    })
  )

  it.effect("serves all accounts when there are more than a claim takes jobs", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      yield* fresh
      const accountIds = yield* freshAccountIds(12)
      yield* jobs.enqueue(accountIds.flatMap((accountId) => times(30, () => draft(accountId))))
      const served = new Map(accountIds.map((accountId) => [accountId, 0]))
      for (let round = 0; round < 12; round++) {
        const claimed = yield* claim(5)
        expect(claimed).toHaveLength(5)
        for (const job of claimed) served.set(job.accountId, served.get(job.accountId)! + 1)
      }
      // 60 jobs of 12 accounts: about five each, depending on where the rounds begin and end.
      for (const count of served.values()) {
        expect(count).toBeGreaterThanOrEqual(3)
        expect(count).toBeLessThanOrEqual(7)
      }
    })
  )

  it.effect("adds accounts that become due later to the round", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      yield* fresh
      const accountIds = yield* freshAccountIds(4)
      yield* jobs.enqueue(
        accountIds.flatMap((accountId, index) =>
          times(10, () => draft(accountId, { runAt: now + index * 100 }))
        )
      )
      expect(new Set((yield* claim(6, now)).map((job) => job.accountId))).toEqual(
        new Set(accountIds.slice(0, 1))
      )
      expect((yield* claim(8, now + 300)).length).toBe(8)
      const rest = yield* claim(40, now + 300)
      expect(rest).toHaveLength(26)
      expect(new Set(rest.map((job) => job.accountId)).size).toBeGreaterThanOrEqual(3)
    })
  )

  it.effect("claims the earliest due jobs of an account first, in every claim", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      yield* fresh
      const accountIds = yield* freshAccountIds(3)
      const added = times(60, (index) => draft(accountIds[index % 3]!, { runAt: now - ((index * 37) % 60) }))
      yield* jobs.enqueue(added)
      const claimed: Array<string> = []
      for (let round = 0; round < 10; round++) claimed.push(...idsOf(yield* claim(6)))
      for (const accountId of accountIds) {
        const own = added.filter((job) => job.accountId === accountId)
        const expected = idsOf(own.toSorted((a, b) => a.runAt - b.runAt))
        expect(claimed.filter((id) => expected.includes(id))).toEqual(expected)
      }
    })
  )
}

const fencing = (it: StorageTest): void => {
  it.effect("removes a completed job", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue([draft(accountId)])
      const claimed = yield* claim()
      yield* jobs.complete(claimed)
      expect(yield* claim(10, longAfter)).toEqual([])
      expect(yield* expectFailure(jobs.complete(claimed), "LeaseLost")).toMatchObject({ ids: idsOf(claimed) })
    })
  )

  it.effect("returns a job again when its lease expired, with its attempts counted", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const job = draft(accountId)
      yield* jobs.enqueue([job])
      yield* claim()
      expect(yield* claim(10, now + lease - 1)).toEqual([])
      const [again] = yield* claim(10, now + lease)
      expect(again).toMatchObject({ id: job.id, attempts: 2, leasedUntil: now + 2 * lease })
    })
  )

  it.effect("extends a lease, which fences as before", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue([draft(accountId), draft(accountId)])
      const claimed = yield* claim()
      const extended = yield* jobs.extend(claimed, lease, now + 10)
      expect(extended).toEqual(claimed.map((job) => ({ ...job, leasedUntil: now + lease + 10 })))
      expect(yield* jobs.extend([], lease, now)).toEqual([])
      expect(yield* claim(10, now + lease + 9)).toEqual([])
      yield* expectFailure(jobs.complete(claimed.slice(0, 1)), "LeaseLost")
      yield* jobs.hold(extended)
      yield* expectFailure(jobs.hold(claimed), "LeaseLost")
      yield* jobs.complete(extended.slice(0, 1))
      const taken = yield* claim(10, now + lease + 10)
      expect(idsOf(taken)).toEqual(idsOf(extended.slice(1)))
      // Neither the completed job nor the one that another claim holds.
      expect(yield* jobs.extend(extended, lease, now + lease + 20)).toEqual([])
      const lost = yield* expectFailure(jobs.hold(extended.slice(1)), "LeaseLost")
      expect(lost.ids).toEqual(idsOf(extended.slice(1)))
      yield* jobs.complete(taken)
    })
  )

  it.effect("keeps a job from other claims while a transaction holds it, also after its lease", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const { run } = yield* Transaction
      yield* jobs.enqueue([draft(yield* fresh)])
      const held = yield* claim()
      const isHeld = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        run(
          Effect.gen(function* () {
            yield* jobs.hold(held)
            yield* Deferred.succeed(isHeld, undefined)
            yield* pause(30)
            yield* jobs.complete(held)
          })
        )
      )
      yield* Deferred.await(isHeld)
      expect(yield* claim(10, now + lease)).toEqual([])
      yield* Fiber.join(holder)
      expect(yield* claim(10, now + lease)).toEqual([])
    })
  )

  it.effect("extends a lease once when it is extended twice concurrently", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue(times(10, () => draft(accountId)))
      const claimed = yield* claim(10)
      const exits = yield* atOnce(
        times(4, (index) => jobs.extend(index % 2 === 0 ? claimed : claimed.toReversed(), lease, now + 7))
      )
      expect(successes(exits).flat()).toHaveLength(10)
      yield* jobs.complete(claimed.map((job) => ({ ...job, leasedUntil: now + lease + 7 })))
    })
  )

  it.effect("rejects the completion of a claim that another took over, with its whole batch", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const late = draft(accountId)
      const fine = draft(accountId, { runAt: now + lease })
      yield* jobs.enqueue([late, fine])
      const before = yield* claim()
      const taken = yield* claim(1, now + lease)
      const own = yield* claim(1, now + lease)
      const [lateAgain, fineClaim] = byId([...taken, ...own]) as [Job, Job]
      expect(lateAgain).toMatchObject({ id: late.id, attempts: 2 })
      const lost = yield* expectFailure(jobs.complete([fineClaim, ...before]), "LeaseLost")
      expect(lost.ids).toEqual([late.id])
      expect((yield* depth).pending).toBe(2)
      yield* jobs.complete([lateAgain, fineClaim])
      expect((yield* depth).pending).toBe(0)
    })
  )

  it.effect("distinguishes two claims of a job at the same time", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue([draft(accountId)])
      const first = yield* claim()
      yield* jobs.retry(first, now, "why")
      const second = yield* claim()
      expect(second).toMatchObject([{ attempts: 2, leasedUntil: first[0]!.leasedUntil }])
      yield* expectFailure(jobs.complete(first), "LeaseLost")
      yield* jobs.complete(second)
    })
  )

  it.effect("keeps an expired claim while no other claim takes it over", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue([draft(accountId)])
      const claimed = yield* claim()
      yield* jobs.nextDue([queue])
      yield* jobs.complete(claimed)
      expect(yield* claim(10, longAfter)).toEqual([])
    })
  )

  it.effect("rolls back what was done for a job when its lease was lost", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const { run } = yield* Transaction
      const accountId = yield* fresh
      yield* jobs.enqueue([draft(accountId)])
      const late = yield* claim()
      yield* claim(1, now + lease)
      const done = run(
        Effect.andThen(jobs.enqueue([draft(accountId, { key: "follow-up" })]), jobs.complete(late))
      )
      yield* expectFailure(done, "LeaseLost")
      expect((yield* depth).pending).toBe(1)
    })
  )

  it.effect("keeps the claim when a completion is rolled back", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const { run } = yield* Transaction
      const accountId = yield* fresh
      yield* jobs.enqueue([draft(accountId)])
      const claimed = yield* claim()
      yield* Effect.exit(run(Effect.andThen(jobs.complete(claimed), Effect.fail("rejected" as const))))
      expect(yield* claim(10, now + lease - 1)).toEqual([])
      yield* jobs.complete(claimed)
      expect((yield* depth).pending).toBe(0)
    })
  )

  it.effect("accepts one of concurrent completions of a claim", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue(times(3, () => draft(accountId)))
      const claimed = yield* claim()
      const exits = yield* atOnce(
        times(10, (index) => jobs.complete(index % 2 === 0 ? claimed : claimed.toReversed()))
      )
      expect(successes(exits)).toHaveLength(1)
      expect((yield* depth).pending).toBe(0)
    })
  )

  it.effect("does not retry, bury or release claims of others", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue([draft(accountId)])
      const late = yield* claim()
      const [taken] = yield* claim(1, now + lease)
      const buried = (yield* depth).buried
      yield* jobs.retry(late, now, "late")
      yield* jobs.bury(late, "late", now)
      yield* jobs.release(late, now)
      expect(yield* depth).toMatchObject({ pending: 1, buried })
      expect(yield* claim(1, now + 2 * lease - 1)).toEqual([])
      yield* jobs.complete([taken!])
      yield* jobs.retry([taken!], now, "late")
      yield* jobs.release([taken!], now)
      expect((yield* depth).pending).toBe(0)
    })
  )
}

const returning = (it: StorageTest): void => {
  it.effect("returns a retried job at its time, with the reason", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const added = [draft(accountId, { payload: { n: 1 } }), draft(accountId, { key: "key" })]
      yield* jobs.enqueue(added)
      yield* jobs.retry(yield* claim(), now + 500, oddText)
      expect(yield* claim(10, now + 499)).toEqual([])
      const again = yield* claim(10, now + 500)
      expect(byId(again)).toMatchObject(
        added.map(({ id, key, payload }) => ({ id, key, payload, attempts: 2, lastError: oddText }))
      )
      yield* jobs.retry(again, now + 600, "other")
      expect((yield* claim(1, now + 600))[0]).toMatchObject({ attempts: 3, lastError: "other" })
    })
  )

  it.effect("makes a released job due at once, as if never claimed", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const job = draft(accountId, { key: "key" })
      yield* jobs.enqueue([job])
      yield* jobs.release(yield* claim(), now + 5)
      expect((yield* claim(10, now + 5))[0]).toMatchObject({ id: job.id, attempts: 1, lastError: null })
    })
  )

  it.effect("makes each released job due at its own time", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const added = [1, 2, 3].map((index) => draft(accountId, { key: `key${index}` }))
      yield* jobs.enqueue(added)
      const claimed = yield* claim()
      const dueIn = new Map(claimed.map(({ id }, index) => [id, (3 - index) * 7]))
      yield* jobs.release(
        claimed,
        claimed.map(({ id }) => now + dueIn.get(id)!)
      )
      for (const after of [7, 14, 21]) {
        expect(yield* claim(10, now + after - 1)).toEqual([])
        const [due, ...others] = yield* claim(10, now + after)
        expect(dueIn.get(due!.id)).toBe(after)
        expect(others).toEqual([])
      }
    })
  )

  it.effect("keeps the reason of the earlier attempt on release", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue([draft(accountId)])
      yield* jobs.retry(yield* claim(), now, "first")
      yield* jobs.release(yield* claim(), now)
      expect((yield* claim())[0]).toMatchObject({ attempts: 2, lastError: "first" })
    })
  )

  it.effect("does not return a buried job, and counts it", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const before = yield* depth
      yield* jobs.enqueue(times(3, (index) => draft(accountId, { key: `key-${index}` })))
      const claimed = yield* claim()
      yield* jobs.bury(claimed.slice(0, 2), oddText, now)
      expect(yield* depth).toMatchObject({ pending: 1, buried: before.buried + 2 })
      yield* expectFailure(jobs.complete(claimed), "LeaseLost")
      expect(idsOf(yield* claim(10, longAfter))).toEqual([claimed[2]!.id])
    })
  )

  it.effect("retries, releases and buries 1,000 jobs at once", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const before = yield* depth
      yield* jobs.enqueue(times(1000, (index) => draft(accountId, { key: `key-${index}` })))
      yield* jobs.retry(yield* claim(1000), now, "why")
      yield* jobs.release(yield* claim(1000), now)
      const claimed = yield* claim(1000)
      expect(claimed.map((job) => job.attempts)).toEqual(times(1000, () => 2))
      yield* jobs.bury(claimed, "why", now)
      expect(yield* depth).toMatchObject({ pending: 0, buried: before.buried + 1000 })
    })
  )

  it.effect("undoes retry, burial, release and cancellation with the transaction", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const { run } = yield* Transaction
      const accountId = yield* fresh
      yield* jobs.enqueue(times(4, (index) => draft(accountId, { key: `key-${index}`, runAt: now + index })))
      const claimed = yield* claim(10, now + 2)
      const before = yield* depth
      yield* Effect.exit(
        run(
          Effect.gen(function* () {
            yield* jobs.retry(claimed.slice(0, 1), now, "why")
            yield* jobs.bury(claimed.slice(1, 2), "why", now)
            yield* jobs.release(claimed.slice(2), now)
            yield* jobs.cancel(accountId, queue, ["key-3"])
            return yield* Effect.fail("rejected" as const)
          })
        )
      )
      expect(yield* depth).toEqual(before)
      expect(idsOf(yield* claim(10, now + 3))).toHaveLength(1)
      yield* jobs.complete(claimed)
    })
  )
}

const keying = (it: StorageTest): void => {
  it.effect("leaves out a job whose key is pending in the account and queue", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const [other] = (yield* freshAccountIds(1)) as [string]
      const first = draft(accountId, { key: "key", payload: 1 })
      yield* jobs.enqueue([first])
      const kept = [
        draft(other, { key: "key" }),
        draft(accountId, { key: "Key" }),
        draft(accountId),
        draft(accountId)
      ]
      const elsewhere = draft(accountId, { key: "key", queue: "events" })
      yield* jobs.enqueue([draft(accountId, { key: "key", payload: 2, runAt: now - 5 }), ...kept, elsewhere])
      const claimed = yield* claim()
      expect(new Set(idsOf(claimed))).toEqual(new Set(idsOf([first, ...kept])))
      expect(claimed.find(({ id }) => id === first.id)!.payload).toBe(1)
      expect(idsOf(yield* claim(10, now, "events"))).toEqual([elsewhere.id])
    })
  )

  it.effect("leaves out the second job of a key in a batch", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const added = times(3, () => draft(accountId, { key: "key" }))
      yield* jobs.enqueue(added)
      expect(yield* claim()).toHaveLength(1)
    })
  )

  it.effect("keeps one of concurrent jobs with the same key", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const names = times(10, (index) => `key-${index}`)
      const exits = yield* atOnce(
        times(12, (writer) =>
          jobs.enqueue(
            (writer % 2 === 0 ? names : names.toReversed()).map((key) => draft(accountId, { key }))
          )
        )
      )
      expect(successes(exits)).toHaveLength(12)
      expect((yield* claim()).map((job) => job.key).toSorted()).toEqual(names.toSorted())
    })
  )

  it.effect("keeps a job added for a key while another job of it is running", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue([draft(accountId, { key: "key", payload: 1 })])
      const first = yield* claim()
      const next = draft(accountId, { key: "key", payload: 2 })
      yield* jobs.enqueue([next])
      yield* jobs.enqueue([draft(accountId, { key: "key", payload: 3 })])
      yield* jobs.complete(first)
      expect(yield* claim()).toMatchObject([{ id: next.id, payload: 2, attempts: 1 }])
    })
  )

  it.effect("lists jobs of all accounts by their time, and retries and drops those that are buried", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const other = yield* freshAccountId
      const added = times(5, (index) => draft(accountId, { runAt: now + index, key: `key-${index}` }))
      const elsewhere = draft(other, { queue: "imports", runAt: now + 2 })
      yield* jobs.enqueue([...added, elsewhere])
      const [buried, dropped, ...left] = added as [NewJob, NewJob, ...Array<NewJob>]
      const claimed = yield* claim(3, now + 2)
      yield* jobs.bury(claimed.slice(0, 2), "why", now + 100)
      const listed = (filter: JobFilter, pageSize = 2, sort: Sort | null = null) =>
        readOn((page) => jobs.list(filter, { ...page, sort }), pageSize)
      const ids = (entries: ReadonlyArray<JobEntry>) => entries.map(({ id }) => id)
      const running = { id: left[0]!.id, state: "Running", attempts: 1, at: now + 2 + lease }
      const own = { accountId: [accountId] }
      const entries = yield* listed(own)
      expect(entries).toMatchObject([
        { id: left[1]!.id, state: "Pending", attempts: 0, at: now + 3, reason: null, queue },
        { id: left[2]!.id, state: "Pending", at: now + 4 },
        ...byId([
          { id: buried.id, state: "Buried", attempts: 1, at: now + 100, reason: "why" },
          { id: dropped.id, state: "Buried", at: now + 100 }
        ]),
        running
      ])
      expect(yield* listed(own, 2, { by: "age", ascending: false })).toEqual(entries.toReversed())
      expect(ids(yield* listed({ state: ["Buried"], queue: [queue], ...own }))).toEqual(
        [buried.id, dropped.id].toSorted()
      )
      expect(yield* listed({ state: ["Running"], ...own })).toMatchObject([running])
      expect(yield* listed({ state: ["Pending"], queue: ["imports"] })).toMatchObject([
        { id: elsewhere.id, accountId: other, queue: "imports", at: now + 2 }
      ])
      const byQueue = { queue: [queue], state: ["Pending", "Running"] } as const
      expect(ids(yield* listed(byQueue))).toEqual([left[1]!.id, left[2]!.id, left[0]!.id])
      expect((yield* jobs.list(own, firstPage)).totalCount).toBe(5)
      expect(yield* jobs.retryBuried(buried.id, now)).toMatchObject({ id: buried.id, state: "Buried" })
      expect(yield* jobs.retryBuried(buried.id, now)).toBeNull()
      expect(yield* jobs.dropBuried(dropped.id)).toMatchObject({ id: dropped.id, reason: "why" })
      for (const id of [dropped.id, left[1]!.id, newId()]) {
        expect(yield* jobs.dropBuried(id)).toBeNull()
        expect(yield* jobs.retryBuried(id, now)).toBeNull()
      }
      expect(yield* claim(1, now)).toMatchObject([
        { id: buried.id, attempts: 1, key: "key-0", lastError: null }
      ])
      // A pending job with the same key is kept instead.
      const rival = draft(accountId, { key: "rival" })
      yield* jobs.enqueue([rival])
      yield* jobs.bury(yield* claim(1, now), "again", now)
      yield* jobs.enqueue([{ ...rival, id: newId() }])
      expect(yield* jobs.retryBuried(rival.id, now)).toMatchObject({ reason: "again" })
      expect((yield* claim(9, now)).map(({ key }) => key)).toEqual(["rival"])
      yield* jobs.complete(yield* claim(100, afterAll))
      yield* jobs.complete(yield* claim(100, afterAll, "imports"))
    })
  )

  it.effect("frees a key once its job is completed or buried", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue([draft(accountId, { key: "key" })])
      yield* jobs.complete(yield* claim())
      yield* jobs.enqueue([draft(accountId, { key: "key" })])
      yield* jobs.bury(yield* claim(), "why", now)
      yield* jobs.enqueue([draft(accountId, { key: "key" })])
      expect(yield* claim()).toHaveLength(1)
    })
  )

  for (const way of ["retried", "released"] as const) {
    const giveBack = (job: ReadonlyArray<Job>) =>
      Effect.flatMap(JobQueue, (jobs) =>
        way === "retried" ? jobs.retry(job, now, "why") : jobs.release(job, now)
      )

    it.effect(`drops a job ${way} in favour of a pending one with its key`, () =>
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const accountId = yield* fresh
        yield* jobs.enqueue([draft(accountId, { key: "key" })])
        const first = yield* claim()
        const next = draft(accountId, { key: "key", runAt: now + 50 })
        yield* jobs.enqueue([next])
        yield* giveBack(first)
        expect(yield* claim(10, now + 49)).toEqual([])
        expect(yield* claim(10, longAfter)).toMatchObject([{ id: next.id, attempts: 1, lastError: null }])
      })
    )

    it.effect(`keeps one of two jobs with the same key ${way} together`, () =>
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const accountId = yield* fresh
        yield* jobs.enqueue([draft(accountId, { key: "key" })])
        const first = yield* claim()
        yield* jobs.enqueue([draft(accountId, { key: "key" })])
        const second = yield* claim()
        yield* giveBack([...first, ...second])
        expect(yield* claim(10, longAfter)).toHaveLength(1)
      })
    )

    it.effect(`leaves out a second job with the key of a job ${way}`, () =>
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const accountId = yield* fresh
        const job = draft(accountId, { key: "key" })
        yield* jobs.enqueue([job])
        yield* giveBack(yield* claim())
        yield* jobs.enqueue([draft(accountId, { key: "key" })])
        expect(idsOf(yield* claim(10, longAfter))).toEqual([job.id])
      })
    )
  }

  it.effect("makes an account's pending jobs due by key, earlier only, and adds none for running ones", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const [other] = (yield* freshAccountIds(1)) as [string]
      yield* jobs.enqueue([draft(accountId, { key: "worked" })])
      const claimed = yield* claim()
      const [due, first, second] = [
        draft(accountId, { key: "due", runAt: now - 5 }),
        draft(accountId, { key: "first", runAt: now + 5_000 }),
        draft(accountId, { key: "second", runAt: now + 9_000 })
      ]
      yield* jobs.enqueue([
        due,
        first,
        second,
        draft(accountId, { key: "left", runAt: now + 9_000 }),
        draft(other, { key: "first", runAt: now + 9_000 })
      ])
      yield* jobs.makeDue(accountId, queue, ["first", "second", "due", "worked", "unknown", "first"], now)
      yield* jobs.makeDue(accountId, queue, [], now)
      const found = yield* claim(10, now)
      expect(found.map(({ id, runAt }) => [id, runAt])).toEqual([
        [due.id, now - 5],
        ...[first, second].map(({ id }) => [id, now])
      ])
      expect(found.map(({ attempts }) => attempts)).toEqual([1, 1, 1])
      yield* jobs.complete([...claimed, ...found])
      expect(yield* claim(10, now + 8_999)).toEqual([])
    })
  )

  it.effect("cancels an account's pending jobs by key, and leaves running ones", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const [other] = (yield* freshAccountIds(1)) as [string]
      const worked = draft(accountId, { key: "worked" })
      yield* jobs.enqueue([worked])
      const claimed = yield* claim()
      const kept = [
        draft(accountId, { key: "kept" }),
        draft(accountId),
        draft(other, { key: "a" }),
        draft(accountId, { key: "a", queue: "events" })
      ]
      yield* jobs.enqueue([
        draft(accountId, { key: "a" }),
        draft(accountId, { key: "b", runAt: now + 500 }),
        ...kept
      ])
      const cancelled = yield* jobs.cancel(accountId, queue, ["a", "b", "worked", "unknown", "a"])
      expect(cancelled.toSorted()).toEqual(["a", "b"])
      expect(yield* jobs.cancel(accountId, queue, ["a", "b"])).toEqual([])
      expect(yield* jobs.cancel(accountId, queue, [])).toEqual([])
      expect(new Set(idsOf(yield* claim(10, now + 500)))).toEqual(new Set(idsOf(kept.slice(0, 3))))
      expect(idsOf(yield* claim(10, now, "events"))).toEqual([kept[3]!.id])
      yield* jobs.complete(claimed)
      yield* jobs.enqueue([draft(accountId, { key: "a" })])
      expect(yield* jobs.cancel(accountId, queue, ["a"])).toEqual(["a"])
    })
  )

  it.effect("says when an account's jobs with some keys are due", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const [other] = (yield* freshAccountIds(1)) as [string]
      yield* jobs.enqueue([draft(accountId, { key: "claimed" }), draft(accountId, { key: "buried" })])
      const both = yield* claim()
      const [claimed, buried] = ["claimed", "buried"].map((key) => both.find((job) => job.key === key)!) as [
        Job,
        Job
      ]
      yield* jobs.bury([buried], "why", now)
      yield* jobs.enqueue([
        draft(accountId, { key: "pending" }),
        draft(accountId, { key: "later", runAt: longAfter }),
        draft(accountId, { key: "elsewhere", queue: "events" }),
        draft(accountId),
        draft(other, { key: "foreign" })
      ])
      const keys = ["claimed", "buried", "pending", "later", "elsewhere", "foreign", "none", "none"]
      const expected = new Map<string, number | null>([
        ["claimed", null],
        ["pending", now],
        ["later", longAfter]
      ])
      expect(yield* jobs.dueTimes(accountId, [queue], keys)).toEqual(expected)
      expect(yield* jobs.dueTimes(accountId, [queue, "events"], keys)).toEqual(
        new Map([...expected, ["elsewhere", now]])
      )
      yield* jobs.enqueue([draft(accountId, { key: "claimed", runAt: now + 9 })])
      expect(yield* jobs.dueTimes(accountId, [queue], ["claimed"])).toEqual(new Map([["claimed", now + 9]]))
      yield* jobs.cancel(accountId, queue, ["claimed", "pending"])
      yield* jobs.complete([claimed])
      expect(yield* jobs.dueTimes(accountId, [queue], ["claimed", "pending"])).toEqual(new Map())
      expect(yield* jobs.dueTimes(accountId, [], keys)).toEqual(new Map())
      expect(yield* jobs.dueTimes(accountId, [queue], [])).toEqual(new Map())
    })
  )
}

const waking = (it: StorageTest): void => {
  /** A waiting worker that the wake-ups of earlier jobs no longer reach. */
  const waiter = Effect.fnUntraced(function* (name: Queue = queue) {
    const wakeup = yield* (yield* JobQueue).wakeups(name)
    while (yield* endsWithin(wakeup, 200));
    return wakeup
  })

  it.effect("wakes a worker within 50 ms of a commit that added jobs", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const { run } = yield* Transaction
      const accountId = yield* fresh
      const wakeup = yield* waiter()
      const waits: Array<number> = []
      for (let round = 0; round < 11; round++) {
        const waiting = yield* Effect.forkChild(endsWithin(wakeup, wakeUpTimeout))
        yield* pause(10)
        const added = draft(accountId)
        yield* run(jobs.enqueue([added]))
        const before = performance.now()
        expect(yield* Fiber.join(waiting)).toBe(true)
        waits.push(performance.now() - before)
        expect(idsOf(yield* claim())).toEqual([added.id])
      }
      // A busy machine may sometimes be late; a queue that polls would usually be late.
      expect(waits.toSorted((a, b) => a - b)[5]).toBeLessThan(50)
    })
  )

  it.effect("wakes a worker for jobs added outside a transaction, also for later ones", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const wakeup = yield* waiter()
      yield* jobs.enqueue([draft(accountId, { runAt: now + minute })])
      expect(yield* endsWithin(wakeup, wakeUpTimeout)).toBe(true)
    })
  )

  it.effect("keeps one wake-up that arrives between two waits", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const wakeup = yield* waiter()
      const witness = yield* waiter()
      for (let commit = 0; commit < 2; commit++) {
        yield* jobs.enqueue([draft(accountId)])
        expect(yield* endsWithin(witness, wakeUpTimeout)).toBe(true)
      }
      expect(yield* endsWithin(wakeup, wakeUpTimeout)).toBe(true)
      expect(yield* endsWithin(wakeup, 100)).toBe(false)
      yield* jobs.enqueue([draft(accountId)])
      expect(yield* endsWithin(wakeup, wakeUpTimeout)).toBe(true)
    })
  )

  it.effect("wakes every waiting worker of the queue, and none of another", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const first = yield* waiter()
      const second = yield* waiter()
      const other = yield* waiter("events")
      yield* jobs.enqueue([draft(accountId)])
      expect(yield* endsWithin(first, wakeUpTimeout)).toBe(true)
      expect(yield* endsWithin(second, wakeUpTimeout)).toBe(true)
      expect(yield* endsWithin(other, 100)).toBe(false)
    })
  )

  it.effect("wakes a worker of each queue to which one transaction added jobs", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const { run } = yield* Transaction
      const accountId = yield* fresh
      const waiters = yield* Effect.all(queues.map((name) => waiter(name)))
      const added = queues.map((name) => draft(accountId, { queue: name }))
      yield* run(Effect.forEach(added, (job) => jobs.enqueue([job])))
      for (const wakeup of waiters) expect(yield* endsWithin(wakeup, wakeUpTimeout)).toBe(true)
    })
  )

  it.effect("wakes no worker before the commit, and finds the jobs after it", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const { run } = yield* Transaction
      const accountId = yield* fresh
      const wakeup = yield* waiter()
      const job = draft(accountId)
      const woken = yield* run(Effect.andThen(jobs.enqueue([job]), endsWithin(wakeup, 50)))
      expect(woken).toBe(false)
      expect(yield* endsWithin(wakeup, wakeUpTimeout)).toBe(true)
      expect(idsOf(yield* claim())).toEqual([job.id])
    })
  )

  it.effect("wakes no worker for jobs that are rolled back, and keeps none of them", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const { run } = yield* Transaction
      const accountId = yield* fresh
      const wakeup = yield* waiter()
      const add = jobs.enqueue([draft(accountId, { key: "key" })])
      yield* Effect.exit(run(Effect.andThen(add, Effect.fail("rejected" as const))))
      yield* interruptedAt((reached) => run(Effect.andThen(Effect.andThen(add, reached), Effect.never)))
      expect((yield* depth).pending).toBe(0)
      // The commit of another transaction does not deliver the wake-up.
      yield* jobs.enqueue([draft(accountId, { queue: "events" })])
      expect(yield* endsWithin(wakeup, 150)).toBe(false)
      yield* add
      expect(yield* endsWithin(wakeup, wakeUpTimeout)).toBe(true)
      expect(yield* claim()).toHaveLength(1)
    })
  )

  it.effect("ignores a worker that stopped waiting", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* Effect.asVoid(Effect.scoped(waiter()))
      const wakeup = yield* waiter()
      expect(yield* endsWithin(wakeup, 10)).toBe(false)
      yield* jobs.enqueue([draft(accountId)])
      expect(yield* endsWithin(wakeup, wakeUpTimeout)).toBe(true)
    })
  )
}

const looking = (it: StorageTest): void => {
  it.effect("returns the depth of every queue", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      const empty = yield* jobs.depth
      expect(empty.map((one) => one.queue).toSorted()).toEqual(queues.toSorted())
      for (const one of empty) expect(one).toMatchObject({ pending: 0, nextRunAt: null })
      yield* jobs.enqueue([
        draft(accountId, { runAt: now + 30 }),
        draft(accountId, { runAt: now + 20 }),
        draft(yield* freshAccountId, { runAt: now + 40 }),
        draft(accountId, { queue: "events", runAt: now + 5 })
      ])
      expect(yield* depth).toMatchObject({ pending: 3, nextRunAt: now + 20 })
      yield* claim(1, now + 20)
      expect(yield* depth).toMatchObject({ pending: 3, nextRunAt: now + 30 })
      const events = (yield* jobs.depth).find((one) => one.queue === "events")
      expect(events).toMatchObject({ pending: 1, nextRunAt: now + 5 })
    })
  )

  it.effect("returns when the next job of each of some queues can be claimed, leases included", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      expect(yield* jobs.nextDue(queues)).toEqual(new Map())
      expect(yield* jobs.nextDue([])).toEqual(new Map())
      yield* jobs.enqueue([
        draft(accountId, { runAt: now + 10 }),
        draft(accountId, { queue: "events", runAt: now + 5 }),
        draft(accountId, { queue: "carts", runAt: now + lease * 2 })
      ])
      expect(yield* jobs.nextDue([queue])).toEqual(new Map([[queue, now + 10]]))
      expect(yield* jobs.nextDue([queue, "events", "runs"])).toEqual(
        new Map([
          [queue, now + 10],
          ["events", now + 5]
        ])
      )
      expect(yield* jobs.nextDue(["runs"])).toEqual(new Map())
      const claimed = yield* claim(10, now + 10)
      expect(yield* jobs.nextDue([queue, "carts"])).toEqual(
        new Map([
          [queue, now + 10 + lease],
          ["carts", now + lease * 2]
        ])
      )
      yield* jobs.complete(claimed)
      expect(yield* jobs.nextDue([queue, "carts"])).toEqual(new Map([["carts", now + lease * 2]]))
    })
  )

  it.effect("returns neither the time of a cancelled job nor the earlier time of a retried one", () =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const accountId = yield* fresh
      yield* jobs.enqueue([
        draft(accountId, { key: "a", runAt: now + 1 }),
        draft(accountId, { key: "b", runAt: now + 2 }),
        draft(accountId, { key: "c", runAt: now + 3 })
      ])
      yield* jobs.cancel(accountId, queue, ["a"])
      expect(yield* jobs.nextDue([queue])).toEqual(new Map([[queue, now + 2]]))
      const claimed = yield* claim(1, now + 2)
      yield* jobs.retry(claimed, now + 1, "why")
      expect(yield* jobs.nextDue([queue])).toEqual(new Map([[queue, now + 1]]))
      yield* jobs.cancel(accountId, queue, ["b", "c"])
      expect(yield* jobs.nextDue([queue])).toEqual(new Map())
    })
  )
}

/** Tests of the port `JobQueue`. They run one after another, because each begins with empty queues. */
export const jobQueueContract = (it: StorageTest): void => {
  describe("JobQueue", () => {
    claiming(it)
    namingLateAccounts(it)
    sharing(it)
    fencing(it)
    returning(it)
    keying(it)
    waking(it)
    looking(it)
  })
}
