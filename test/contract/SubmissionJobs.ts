/**
 * The contract of `core/ports/SubmissionStore`: the jobs stored together with submissions.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { JobQueue, type NewJob } from "../../core/ports/JobQueue.ts"
import { type SubmissionJob, SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import type { Submission } from "../../core/model/Submission.ts"
import { retryConflicts } from "../../core/kernel/Conflicts.ts"
import { draftAttachment, draftSubmission, draftToMany, draftJob } from "./drafts.ts"
import {
  atOnce,
  endsWithin,
  firstPage,
  freshAccountId,
  minute,
  newId,
  now,
  oddText,
  pause,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const none = { status: null, to: null }

/** A job of the queue `deliveries` for each delivery of a submission, with the delivery's id as its key. */
const jobsOf = (
  { accountId, deliveries, id: submissionId }: Submission,
  values: Partial<NewJob> = {}
): ReadonlyArray<SubmissionJob> =>
  deliveries.map(({ id: key }) => ({
    submissionId,
    job: draftJob({ accountId, key, payload: { key }, ...values })
  }))

/** A job of the queue `retention`, which all submissions share. */
const commonJob = (accountId: string): SubmissionJob => ({
  submissionId: null,
  job: draftJob({ accountId, queue: "retention", key: "emails", payload: {} })
})

/** Cancels the pending jobs of the given submissions, and shared ones, and returns how many there were. */
const takePending = Effect.fnUntraced(function* (accountId: string, submissions: ReadonlyArray<Submission>) {
  const jobs = yield* JobQueue
  const keys = submissions.flatMap(({ deliveries }) => deliveries.map(({ id }) => id))
  return {
    own: (yield* jobs.cancel(accountId, "deliveries", keys)).length,
    common: (yield* jobs.cancel(accountId, "retention", ["emails"])).length
  }
})

const countOf = Effect.fnUntraced(function* (accountId: string) {
  return (yield* (yield* SubmissionStore).list(accountId, none, firstPage)).totalCount
})

const adding = (it: StorageTest): void => {
  it.effect("are added with the submissions they belong to", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const plain = draftSubmission(accountId)
      const rich = draftToMany(accountId, [{}, { kind: "Cc" }], { attachments: [draftAttachment()] })
      const payload = { [oddText]: [oddText, 1.5, null] }
      const jobs = [...jobsOf(plain, { payload, runAt: now - 7 }), ...jobsOf(rich)]
      yield* store.insert(accountId, [plain, rich], [...jobs, commonJob(accountId)])
      const claimed = yield* (yield* JobQueue).claim({ queue: "deliveries", limit: 1000, lease: minute, now })
      const expected = jobs.map(({ job: { runAt: _runAt, ...job } }) => ({ ...job, attempts: 1 }))
      const own = claimed.filter((job) => job.accountId === accountId)
      expect(own).toHaveLength(3)
      expect(own).toEqual(expect.arrayContaining(expected.map((job) => expect.objectContaining(job))))
      expect(yield* takePending(accountId, [plain, rich])).toEqual({ own: 0, common: 1 })
    })
  )

  it.effect("are left out for repeats, common ones where nothing is added", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const earlier = draftSubmission(accountId, { idempotencyKey: "key" })
      yield* store.insert(accountId, [earlier], [])
      const repeat = draftSubmission(accountId, { idempotencyKey: "key" })
      const fresh = draftSubmission(accountId, { idempotencyKey: "other" })
      const plain = draftSubmission(accountId)
      const all = [repeat, fresh, plain]
      yield* store.insert(accountId, [repeat], [...jobsOf(repeat), commonJob(accountId)])
      expect(yield* takePending(accountId, all)).toEqual({ own: 0, common: 0 })
      const stored = yield* store.insert(accountId, all, [
        ...all.flatMap((one) => jobsOf(one)),
        commonJob(accountId)
      ])
      expect(stored.map(({ id }) => id)).toEqual([earlier.id, fresh.id, plain.id])
      expect(yield* takePending(accountId, [repeat])).toEqual({ own: 0, common: 1 })
      expect(yield* takePending(accountId, [fresh, plain])).toEqual({ own: 2, common: 0 })
    })
  )

  it.effect("are dropped in favour of pending ones with the same key", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = times(3, () => draftSubmission(accountId))
      for (const one of submissions)
        yield* store.insert(accountId, [one], [...jobsOf(one), commonJob(accountId)])
      expect(yield* takePending(accountId, submissions)).toEqual({ own: 3, common: 1 })
    })
  )

  it.effect("are added once for concurrent submissions with one key", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const drafts = times(20, () => draftToMany(accountId, [{}, {}], { idempotencyKey: "key" }))
      const exits = yield* atOnce(drafts.map((one) => store.insert(accountId, [one], jobsOf(one))))
      const stored = successes(exits).flat()
      expect(stored).toHaveLength(20)
      const winner = drafts.filter(({ id }) => id === stored[0]!.id)
      expect(yield* takePending(accountId, winner)).toEqual({ own: 2, common: 0 })
      expect(yield* takePending(accountId, drafts)).toEqual({ own: 0, common: 0 })
    })
  )

  it.effect("wake workers", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const wakeup = yield* (yield* JobQueue).wakeups("deliveries")
      while (yield* endsWithin(wakeup, 200));
      const submission = draftSubmission(accountId)
      yield* store.insert(accountId, [submission], jobsOf(submission))
      expect(yield* endsWithin(wakeup, 15_000)).toBe(true)
    })
  )
}

const together = (it: StorageTest): void => {
  it.effect("leave no submission when they cannot be stored", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = times(2, () => draftSubmission(accountId))
      const id = newId()
      const jobs = submissions.flatMap((one) => jobsOf(one, { id }))
      expect(Exit.isFailure(yield* Effect.exit(store.insert(accountId, submissions, jobs)))).toBe(true)
      expect(yield* countOf(accountId)).toBe(0)
      expect(yield* takePending(accountId, submissions)).toEqual({ own: 0, common: 0 })
      // An insertion that failed blocks nothing.
      yield* store.insert(
        accountId,
        submissions,
        submissions.flatMap((one) => jobsOf(one))
      )
      expect(yield* takePending(accountId, submissions)).toEqual({ own: 2, common: 0 })
    })
  )

  it.effect("are added in the caller's transaction, and wake no worker before it commits", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const { run } = yield* Transaction
      const accountId = yield* freshAccountId
      const wakeup = yield* (yield* JobQueue).wakeups("deliveries")
      while (yield* endsWithin(wakeup, 200));
      const submission = draftSubmission(accountId)
      const insert = store.insert(accountId, [submission], [...jobsOf(submission), commonJob(accountId)])
      yield* Effect.exit(run(Effect.andThen(insert, Effect.fail("rejected" as const))))
      expect(yield* countOf(accountId)).toBe(0)
      expect(yield* takePending(accountId, [submission])).toEqual({ own: 0, common: 0 })
      expect(yield* endsWithin(wakeup, 200)).toBe(false)
      expect(yield* run(Effect.andThen(insert, endsWithin(wakeup, 200)))).toBe(false)
      expect(yield* endsWithin(wakeup, 15_000)).toBe(true)
      expect(yield* takePending(accountId, [submission])).toEqual({ own: 1, common: 1 })
    })
  )

  for (const outcome of ["commits", "rolls back"] as const) {
    it.effect(`are added once with a repeat that waits for the first, whose transaction ${outcome}`, () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const [first, repeat] = [
          draftSubmission(accountId, { idempotencyKey: "key" }),
          draftSubmission(accountId, { idempotencyKey: "key" })
        ]
        const started = yield* Deferred.make<void>()
        const writer = yield* Effect.forkChild(
          run(
            Effect.gen(function* () {
              yield* store.insert(accountId, [first], jobsOf(first))
              yield* Deferred.succeed(started, undefined)
              yield* pause(30)
              if (outcome === "rolls back") return yield* Effect.fail("rejected" as const)
            })
          )
        )
        yield* Deferred.await(started)
        yield* store.insert(accountId, [repeat], jobsOf(repeat))
        yield* Effect.exit(Fiber.join(writer))
        const [stored, other] = outcome === "commits" ? [first, repeat] : [repeat, first]
        expect(yield* takePending(accountId, [stored])).toEqual({ own: 1, common: 0 })
        expect(yield* takePending(accountId, [other])).toEqual({ own: 0, common: 0 })
      })
    )
  }

  it.effect("are all added after insertions that wait for each other are repeated", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const { run } = yield* Transaction
      const accountId = yield* freshAccountId
      const insert = (idempotencyKeys: ReadonlyArray<string>) => {
        const drafts = idempotencyKeys.map((idempotencyKey) => draftSubmission(accountId, { idempotencyKey }))
        return store.insert(
          accountId,
          drafts,
          drafts.flatMap((one) => jobsOf(one))
        )
      }
      const started = yield* Deferred.make<void>()
      const writer = yield* Effect.forkChild(
        retryConflicts(
          run(
            Effect.gen(function* () {
              const later = yield* insert(["b"])
              yield* Deferred.succeed(started, undefined)
              yield* pause(100)
              return [...(yield* insert(["a"])), ...later]
            })
          )
        )
      )
      yield* Deferred.await(started)
      const stored = yield* retryConflicts(insert(["a", "b"]))
      expect(yield* Fiber.join(writer)).toEqual(stored)
      expect(yield* countOf(accountId)).toBe(2)
      const keys = stored.map(({ deliveries }) => deliveries[0]!.id)
      expect(yield* (yield* JobQueue).cancel(accountId, "deliveries", keys)).toHaveLength(2)
    })
  )
}

/** Tests of the port `SubmissionStore`: the jobs of submissions. */
export const submissionJobsContract = (it: StorageTest): void => {
  describe("SubmissionStore: jobs", () => {
    adding(it)
    together(it)
  })
}
