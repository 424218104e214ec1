/**
 * The contract of `core/ports/SubmissionStore`: claims, first opens and clicks, retention.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import type { DeliveryStatus } from "../../core/model/DeliveryStatus.ts"
import { type Submission, summaryOf } from "../../core/model/Submission.ts"
import { draftAttachment, draftClaim, draftMove, draftSubmission, draftToMany, deliveryOf } from "./drafts.ts"
import {
  atOnce,
  byId,
  freshAccountId,
  newEmail,
  newId,
  now,
  type StorageTest,
  successes,
  times,
  wholeSubmissions
} from "./fixtures.ts"

const idsOf = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map((row) => row.id).toSorted()

/** A submission after the erasure of its content. */
const emptied = (submission: Submission, at: number): Submission => ({
  ...submission,
  subject: "",
  html: null,
  text: null,
  headers: [],
  attachments: [],
  tags: {},
  metadata: {},
  contentErasedAt: at
})

const claiming = (it: StorageTest): void => {
  it.effect("counts claims, and moves only the last claim", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submission = draftSubmission(accountId)
      yield* store.insert(accountId, [submission], [])
      const [first] = yield* store.move([draftMove(deliveryOf(submission), "HandingOff")])
      expect(first!.claims).toBe(1)
      const [second] = yield* store.move([draftMove(first!, "HandingOff", { claim: 1 })])
      expect(second!.claims).toBe(2)
      expect(yield* store.move([draftMove(first!, "HandingOff", { claim: 1 })])).toEqual([])
      expect(yield* store.move([draftMove(first!, "Delivered", { claim: 1 })])).toEqual([])
      const [done] = yield* store.move([draftMove(second!, "Delivered", { claim: 2 })])
      expect(done).toMatchObject({ status: "Delivered", claims: 2 })
    })
  )

  it.effect("commits only the last claim", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const queued = draftSubmission(accountId)
      const submission = draftSubmission(accountId)
      yield* store.insert(accountId, [submission, queued], [])
      const [held] = yield* store.move([draftMove(deliveryOf(submission), "HandingOff")])
      const ref = { accountId, id: held!.id }
      const claims = [
        draftClaim(ref, 0),
        draftClaim(ref, 2),
        draftClaim(queued, 0),
        draftClaim({ accountId: yield* freshAccountId, id: held!.id }, 1)
      ]
      expect(yield* store.commit(claims, now + 1)).toEqual([])
      expect(yield* store.commit([], now + 1)).toEqual([])
      expect(yield* store.commit([draftClaim(ref, 1)], now + 2)).toEqual([ref])
      expect(yield* store.deliveries([ref])).toEqual([{ ...held!, committedAt: now + 2 }])
      // A writer with an older read cannot take the delivery from a sender that may have sent the last byte since.
      for (const to of ["HandingOff", "Queued"] as const) {
        const taken = draftMove(held!, to, { claim: 1, isUncommitted: true })
        expect(yield* store.move([taken])).toEqual([])
      }
      const [again] = yield* store.move([draftMove(held!, "HandingOff", { claim: 1 })])
      expect(again).toMatchObject({ claims: 2, committedAt: null })
      expect(yield* store.commit([draftClaim(ref, 1)], now + 3)).toEqual([])
      expect(yield* store.commit([draftClaim(ref, 2)], now + 3)).toEqual([ref])
      const [back] = yield* store.move([
        draftMove(again!, "Queued", { reason: "sending.retrying", claim: 2 })
      ])
      expect(back!.committedAt).toBeNull()
    })
  )

  it.effect("keeps what was last sent, from its last byte on, also where the next has no hash", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const [first, second, third] = [newId(), newId(), newId()]
      const submission = draftSubmission(
        accountId,
        {},
        { contentHash: first, status: "HandingOff", claims: 1 }
      )
      yield* store.insert(accountId, [submission], [])
      const ref = { accountId, id: deliveryOf(submission).id }
      const commit = (values: { readonly contentHash?: string | null }) =>
        Effect.andThen(
          store.commit([draftClaim(ref, 1, values)], now),
          Effect.map(store.deliveries([ref]), ([delivery]) => delivery!.contentHash)
        )
      expect(yield* commit({})).toBe(first)
      expect(yield* commit({ contentHash: second })).toBe(second)
      expect(yield* commit({ contentHash: null })).toBe(second)
      expect(yield* commit({ contentHash: third })).toBe(third)
      yield* store.move([draftMove(deliveryOf(submission), "Sent")])
      const [found] = yield* store.find(accountId, [submission.id])
      expect(found!.deliveries[0]).toMatchObject({ status: "Sent", contentHash: third })
      const [unloaded] = yield* store.unloaded([ref])
      expect(unloaded!.deliveries[0]!.contentHash).toBe(third)
    })
  )

  it.effect("orders a concurrent commit and a new claim, with one result for both", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = times(20, () => draftSubmission(accountId, {}, { status: "HandingOff", claims: 1 }))
      yield* store.insert(accountId, submissions, [])
      const claims = submissions.map((one) => draftClaim(one, 1))
      const moves = submissions.map((one) => draftMove(deliveryOf(one), "Queued", { claim: 1 }))
      const [commits, moved, committed] = yield* Effect.all(
        [store.commit(claims, now + 1), store.move(moves), store.commit(claims.toReversed(), now + 2)],
        { concurrency: "unbounded" }
      )
      // A commit before the move is not lost, because the move follows it.
      expect(moved).toHaveLength(20)
      expect([0, 20]).toContain(commits.length)
      expect([0, 20]).toContain(committed.length)
      const after = yield* store.deliveries(claims)
      expect(after.every((one) => one.status === "Queued" && one.committedAt === null)).toBe(true)
      expect(yield* store.commit(claims, now + 3)).toEqual([])
    })
  )

  it.effect("accepts both of two concurrent commits of one claim", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = times(50, () => draftSubmission(accountId, {}, { status: "HandingOff", claims: 3 }))
      yield* store.insert(accountId, submissions, [])
      const claims = submissions.map((one) => draftClaim(one, 3))
      const exits = yield* atOnce([store.commit(claims, now + 1), store.commit(claims.toReversed(), now + 1)])
      expect(successes(exits).map((refs) => refs.length)).toEqual([50, 50])
    })
  )

  it.effect("accepts one of concurrent new claims of an abandoned delivery", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = times(10, () => draftSubmission(accountId, {}, { status: "HandingOff", claims: 1 }))
      yield* store.insert(accountId, submissions, [])
      const moves = submissions.map((one) => draftMove(deliveryOf(one), "HandingOff", { claim: 1 }))
      const exits = yield* atOnce(
        times(6, (index) => store.move(index % 2 === 0 ? moves : moves.toReversed()))
      )
      expect(successes(exits)).toHaveLength(6)
      expect(idsOf(successes(exits).flat())).toEqual(idsOf(submissions))
      expect((yield* store.deliveries(moves)).every((one) => one.claims === 2)).toBe(true)
    })
  )

  it.effect("returns deliveries of any account, each once, if they exist", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
      const many = draftToMany(accountId, [{}, {}, {}])
      const foreign = draftSubmission(other)
      yield* store.insert(accountId, [many], [])
      yield* store.insert(other, [foreign], [])
      const refs = [...many.deliveries, many.deliveries[0]!, deliveryOf(foreign), { accountId, id: newId() }]
      expect(byId(yield* store.deliveries([...refs, { accountId, id: foreign.id }]))).toEqual(
        byId([...many.deliveries, deliveryOf(foreign)])
      )
      expect(yield* store.deliveries([])).toEqual([])
    })
  )
}

const engaging = (it: StorageTest): void => {
  it.effect("records the first open and the first click, each once", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const [a, b] = [
        draftSubmission(accountId, {}, { status: "Delivered" }),
        draftSubmission(accountId, {}, { status: "Sent", openedAt: now - 5 })
      ]
      yield* store.insert(accountId, [a, b], [])
      const refs = [deliveryOf(a), deliveryOf(b), deliveryOf(a), { accountId, id: newId() }]
      const opened = { ...deliveryOf(a), openedAt: now + 1 }
      expect(yield* store.engage("opened", refs, now + 1)).toEqual([opened])
      expect(yield* store.engage("opened", refs, now + 2)).toEqual([])
      expect(yield* store.engage("clicked", [deliveryOf(a)], now + 3)).toEqual([
        { ...opened, clickedAt: now + 3 }
      ])
      expect(yield* store.engage("clicked", [], now + 3)).toEqual([])
      expect((yield* store.deliveries([deliveryOf(b)]))[0]!.openedAt).toBe(now - 5)
    })
  )

  it.effect("records one of concurrent opens as the first", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = times(10, () => draftSubmission(accountId, {}, { status: "Delivered" }))
      yield* store.insert(accountId, submissions, [])
      const refs = submissions.map(deliveryOf)
      const exits = yield* atOnce(
        times(8, (index) => store.engage("opened", index % 2 === 0 ? refs : refs.toReversed(), now))
      )
      expect(successes(exits)).toHaveLength(8)
      expect(idsOf(successes(exits).flat())).toEqual(idsOf(submissions))
    })
  )
}

const retaining = (it: StorageTest): void => {
  it.effect("erases older content, the oldest first, in batches", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const drafts = times(5, (index) =>
        draftToMany(accountId, [{ status: "Delivered" }, { status: "Suppressed" }], {
          createdAt: now + index,
          text: "Hello",
          headers: [{ name: "X-A", value: "b" }],
          tags: { a: "b" },
          metadata: { c: "d" },
          attachments: [draftAttachment()],
          idempotencyKey: `key-${index}`,
          replyTo: { email: newEmail(), name: "Zoë" }
        })
      )
      const foreign = draftSubmission(other, {}, { status: "Delivered" })
      yield* store.insert(accountId, drafts.toReversed(), [])
      yield* store.insert(other, [foreign], [])
      const erase = (limit: number) => store.eraseContent(accountId, now + 4, limit, now + 99)
      expect(idsOf(yield* erase(2))).toEqual(idsOf(drafts.slice(0, 2).flatMap((one) => one.deliveries)))
      expect(yield* store.oldest(accountId)).toEqual({ content: now + 2, recipients: now })
      expect(idsOf(yield* erase(10))).toEqual(idsOf(drafts.slice(2, 4).flatMap((one) => one.deliveries)))
      expect(yield* erase(10)).toEqual([])
      const expected = drafts.map((one, index) => (index < 4 ? emptied(one, now + 99) : one))
      expect(byId(yield* store.find(accountId, idsOf(drafts)))).toEqual(byId(expected.map(summaryOf)))
      expect(byId(yield* wholeSubmissions(drafts.flatMap((one) => one.deliveries)))).toEqual(byId(expected))
      expect(yield* store.find(other, [foreign.id])).toEqual([summaryOf(foreign)])
      expect(yield* store.oldest(other)).toEqual({ content: now, recipients: now })
    })
  )

  it.effect("lists deliveries by status, newest first, those of a submission together", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const oldest = draftSubmission(accountId, { createdAt: now - 2 }, { reason: "sending.scheduled" })
      const middle = draftToMany(accountId, [{}, {}, { status: "Delivered" }, {}])
      const newest = [1, 2].map((at) =>
        draftSubmission(accountId, { createdAt: now + at }, { updatedAt: now + 9 })
      )
      yield* store.insert(accountId, [middle, ...newest, oldest], [])
      const first = yield* store.inStatus(accountId, "Queued", null, 3)
      expect(first.slice(0, 2)).toEqual(
        newest.toReversed().map(({ createdAt, id }) => ({
          id,
          submissionId: id,
          reason: null,
          createdAt,
          updatedAt: now + 9
        }))
      )
      expect(idsOf(first.slice(2))).toEqual(
        idsOf(middle.deliveries.filter(({ status }) => status === "Queued"))
      )
      const second = yield* store.inStatus(accountId, "Queued", first.at(-1)!, 3)
      expect(second).toMatchObject([{ id: oldest.id, reason: "sending.scheduled" }])
      expect(yield* store.inStatus(accountId, "Queued", second[0]!, 3)).toEqual([])
      expect(yield* store.inStatus(accountId, "Delivered", null, 3)).toHaveLength(1)
      expect(yield* store.inStatus(yield* freshAccountId, "Queued", null, 3)).toEqual([])
    })
  )

  it.effect("keeps content and recipients of what is still to be sent", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const waiting: ReadonlyArray<DeliveryStatus> = ["Queued", "PendingReview", "HandingOff"]
      const pending = waiting.map((status) => draftToMany(accountId, [{ status }, { status: "Delivered" }]))
      const over = draftSubmission(accountId, { createdAt: now + 1 }, { status: "Failed" })
      yield* store.insert(accountId, [...pending, over], [])
      expect(yield* store.eraseContent(accountId, now + 5, 10, now + 9)).toEqual([{ accountId, id: over.id }])
      const delivered = pending.map((one) => one.deliveries[1]!)
      expect(idsOf(yield* store.eraseRecipients(accountId, now + 5, 10))).toEqual(idsOf([...delivered, over]))
      expect(yield* store.oldest(accountId)).toEqual({ content: now, recipients: now })
      yield* store.move(
        pending.map((one, index) => draftMove(deliveryOf(one), index === 0 ? "Suppressed" : "Failed"))
      )
      expect(yield* store.eraseContent(accountId, now + 5, 10, now + 9)).toHaveLength(6)
      expect(yield* store.eraseRecipients(accountId, now + 5, 10)).toHaveLength(3)
      expect(yield* store.oldest(accountId)).toEqual({ content: null, recipients: null })
    })
  )

  it.effect("empties addresses, names and hashes of older recipients, and nothing else", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const email = newEmail()
      const from = { email: "sender@example.com", name: "Sender" }
      const drafts = times(3, (index) =>
        draftSubmission(
          accountId,
          { createdAt: now + index, from, replyTo: from },
          {
            email,
            name: "Zoë",
            contentHash: newId(),
            status: "Bounced",
            attempts: 2,
            claims: 3,
            openedAt: now
          }
        )
      )
      yield* store.insert(accountId, drafts, [])
      expect(yield* store.eraseRecipients(accountId, now + 2, 1)).toEqual([{ accountId, id: drafts[0]!.id }])
      expect(yield* store.eraseRecipients(accountId, now + 2, 5)).toEqual([{ accountId, id: drafts[1]!.id }])
      expect(yield* store.eraseRecipients(accountId, now + 2, 5)).toEqual([])
      const [first] = yield* store.find(accountId, [drafts[0]!.id])
      expect(first).toEqual(
        summaryOf({
          ...drafts[0]!,
          deliveries: [{ ...deliveryOf(drafts[0]!), email: "", name: null, contentHash: null }]
        })
      )
      const page = yield* store.list(accountId, { to: [email] }, { page: 1, pageSize: 10 })
      expect(page.items.map((one) => one.id)).toEqual([drafts[2]!.id])
      expect(yield* store.oldest(accountId)).toEqual({ content: now, recipients: now + 2 })
    })
  )

  it.effect("erases each submission once in concurrent erasures", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const { run } = yield* Transaction
      const accountId = yield* freshAccountId
      const drafts = times(30, (index) =>
        draftSubmission(accountId, { createdAt: now + index }, { status: "Sent" })
      )
      yield* store.insert(accountId, drafts, [])
      const exits = yield* atOnce([
        run(store.eraseContent(accountId, now + 99, 100, now)),
        run(store.eraseContent(accountId, now + 99, 100, now)),
        run(store.eraseRecipients(accountId, now + 99, 100)),
        run(store.eraseRecipients(accountId, now + 99, 100))
      ])
      const [a, b, c, d] = successes(exits)
      expect(successes(exits)).toHaveLength(4)
      expect(a!.length + b!.length).toBe(30)
      expect(c!.length + d!.length).toBe(30)
      expect(yield* store.oldest(accountId)).toEqual({ content: null, recipients: null })
    })
  )

  it.effect("deletes the attachments of the submissions that are deleted with a person", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const email = newEmail()
      const values = { attachments: [draftAttachment(), draftAttachment({ filename: "b" })] }
      const alone = draftSubmission(accountId, values, { email })
      const shared = draftToMany(accountId, [{ email }, {}], values)
      yield* store.insert(accountId, [alone, shared], [])
      expect(yield* store.erase(accountId, [email])).toHaveLength(2)
      const rest = { ...shared, deliveries: shared.deliveries.slice(1) }
      expect(yield* wholeSubmissions([deliveryOf(alone), ...shared.deliveries])).toEqual([rest])
      // A new submission with the same id does not get the attachments of the earlier one.
      const again = { ...alone, attachments: [] }
      yield* store.insert(accountId, [again], [])
      expect(yield* wholeSubmissions([deliveryOf(alone)])).toEqual([again])
    })
  )
}

/** Tests the lifecycle of the port `SubmissionStore`. */
export const submissionLifecycleContract = (it: StorageTest): void => {
  describe("SubmissionStore: lifecycle", () => {
    claiming(it)
    engaging(it)
    retaining(it)
  })
}
