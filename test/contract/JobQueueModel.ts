/**
 * A model-based contract of `core/ports/JobQueue`: random steps, some of them rolled back, must give the same results on the
 * queue and on a simple list of jobs.
 *
 * @module
 */
import { expect } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { type Job, JobQueue, type Queue } from "../../core/ports/JobQueue.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { freshAccountIds, makeRandom, now, type Random, type StorageTest, times } from "./fixtures.ts"
import { draftJob } from "./drafts.ts"

const queue: Queue = "notifications"

const lease = 1000

/** Later than the times of all steps. */
const afterAll = now + 100_000_000

/** A job in the list. */
interface Entry {
  readonly accountId: string
  readonly key: string | null
  readonly dueAt: number
  readonly attempts: number
  readonly leased: boolean
}

type List = Map<string, Entry>

const isPending = (list: List, accountId: string, key: string | null): boolean =>
  key !== null &&
  [...list.values()].some((entry) => !entry.leased && entry.accountId === accountId && entry.key === key)

const isOurs = (list: List, job: Job): boolean => {
  const entry = list.get(job.id)
  return entry !== undefined && entry.leased && entry.attempts === job.attempts
}

const giveBack = (list: List, jobs: ReadonlyArray<Job>, dueAt: number, attempts: number): void => {
  for (const job of jobs) {
    const entry = list.get(job.id)
    if (entry === undefined || !isOurs(list, job)) continue
    if (isPending(list, entry.accountId, entry.key)) list.delete(job.id)
    else list.set(job.id, { ...entry, leased: false, dueAt, attempts: entry.attempts + attempts })
  }
}

/** The first job of each key, because it is unspecified which of two is kept. */
const oneOfEachKey = (jobs: ReadonlyArray<Job>): ReadonlyArray<Job> => [
  ...new Map(
    jobs.toReversed().map((job) => [job.key === null ? job.id : `${job.accountId} ${job.key}`, job])
  ).values()
]

const dueTimes = (list: List, accountId: string, at: number): ReadonlyArray<number> =>
  [...list.values()]
    .filter((entry) => entry.accountId === accountId && entry.dueAt <= at)
    .map((entry) => entry.dueAt)
    .toSorted((a, b) => a - b)

/** Expects that the list allows a claim, and applies the claim to the list. */
const claimOf = (list: List, claimed: ReadonlyArray<Job>, limit: number, at: number): void => {
  const due = [...list.values()].filter((entry) => entry.dueAt <= at)
  expect(claimed).toHaveLength(Math.min(limit, due.length))
  for (const [accountId, jobs] of Map.groupBy(claimed, (job) => job.accountId)) {
    const taken = jobs.map((job) => list.get(job.id)!.dueAt)
    expect(taken).toEqual(dueTimes(list, accountId, at).slice(0, jobs.length))
  }
  for (const job of claimed) {
    const entry = list.get(job.id)!
    expect(job).toMatchObject({ key: entry.key, attempts: entry.attempts + 1, leasedUntil: at + lease })
    list.set(job.id, { ...entry, leased: true, attempts: job.attempts, dueAt: job.leasedUntil })
  }
}

/** One random step on both the queue and the list. Returns the claims held afterwards. */
const step = Effect.fnUntraced(function* (
  random: Random,
  list: List,
  accountIds: ReadonlyArray<string>,
  held: ReadonlyArray<Job>,
  at: number
) {
  const jobs = yield* JobQueue
  switch (random.below(8)) {
    case 0: {
      const added = times(random.below(12), () =>
        draftJob({
          accountId: random.pick(accountIds),
          queue,
          key: random.below(3) === 0 ? null : `key-${random.below(4)}`,
          runAt: at - 1500 + random.below(3000)
        })
      )
      yield* jobs.enqueue(added)
      for (const { accountId, id, key, runAt } of added) {
        if (isPending(list, accountId, key)) continue
        list.set(id, { accountId, key, dueAt: runAt, attempts: 0, leased: false })
      }
      return held
    }
    case 1:
    case 2: {
      const limit = random.below(10)
      const claimed = yield* jobs.claim({ queue, limit, lease, now: at })
      claimOf(list, claimed, limit, at)
      return [...held, ...claimed]
    }
    case 3: {
      const done = random.some(held)
      const exit = yield* Effect.exit(jobs.complete(done))
      const fine = done.every((job) => isOurs(list, job))
      expect(Exit.isSuccess(exit)).toBe(fine)
      if (fine) for (const job of done) list.delete(job.id)
      return held.filter((job) => !done.includes(job))
    }
    case 4: {
      const failed = oneOfEachKey(random.some(held))
      const again = at + random.below(2000)
      yield* jobs.retry(failed, again, "why")
      giveBack(list, failed, again, 0)
      return held.filter((job) => !failed.includes(job))
    }
    case 5: {
      const given = oneOfEachKey(random.some(held))
      if (random.below(2) === 0) {
        yield* jobs.release(given, at)
        giveBack(list, given, at, -1)
      } else {
        yield* jobs.bury(given, "why", at)
        for (const job of given) if (isOurs(list, job)) list.delete(job.id)
      }
      return held.filter((job) => !given.includes(job))
    }
    case 6: {
      const accountId = random.pick(accountIds)
      const keys = times(random.below(3), () => `key-${random.below(4)}`)
      const due = at - 500 + random.below(1000)
      yield* jobs.makeDue(accountId, queue, keys, due)
      for (const [id, entry] of list) {
        const isMeant = entry.accountId === accountId && keys.includes(entry.key ?? "")
        if (isMeant && !entry.leased) list.set(id, { ...entry, dueAt: Math.min(entry.dueAt, due) })
      }
      return held
    }
    default: {
      const accountId = random.pick(accountIds)
      const keys = times(random.below(3), () => `key-${random.below(4)}`)
      const gone = [...list].filter(
        ([, entry]) =>
          !entry.leased && entry.accountId === accountId && entry.key !== null && keys.includes(entry.key)
      )
      expect((yield* jobs.cancel(accountId, queue, keys)).toSorted()).toEqual(
        gone.flatMap(([, { key }]) => key ?? []).toSorted()
      )
      for (const [id] of gone) list.delete(id)
      return held
    }
  }
})

const empty = Effect.gen(function* () {
  const jobs = yield* JobQueue
  while (true) {
    const left = yield* jobs.claim({ queue, limit: 1000, lease, now: afterAll })
    if (left.length === 0) return
    yield* jobs.complete(left)
  }
})

/** Tests of the port `JobQueue` against a plain list. */
export const jobQueueModelContract = (it: StorageTest): void => {
  it.effect.each([1, 2, 3, 4])("JobQueue does what a plain list would, through random steps %i", (seed) =>
    Effect.gen(function* () {
      const jobs = yield* JobQueue
      const { run } = yield* Transaction
      yield* empty
      const accountIds = yield* freshAccountIds(4)
      const random = makeRandom(seed)
      let list: List = new Map()
      let held: ReadonlyArray<Job> = []
      let at = now
      for (let round = 0; round < 150; round++) {
        at += random.below(400)
        const next: List = new Map(list)
        if (random.below(4) === 0) {
          const steps = Effect.andThen(
            Effect.flatMap(step(random, next, accountIds, held, at), (claims) =>
              step(random, next, accountIds, claims, at)
            ),
            Effect.fail("rejected" as const)
          )
          expect(yield* Effect.flip(run(steps))).toBe("rejected")
        } else {
          held = yield* step(random, next, accountIds, held, at)
          list = next
        }
        const nextRunAt = list.size === 0 ? null : Math.min(...[...list.values()].map((entry) => entry.dueAt))
        expect((yield* jobs.nextDue([queue])).get(queue) ?? null).toBe(nextRunAt)
        const depth = (yield* jobs.depth).find((one) => one.queue === queue)
        expect(depth).toMatchObject({ pending: list.size, nextRunAt })
      }
      yield* empty
    })
  )
}
