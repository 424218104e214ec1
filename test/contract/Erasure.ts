/**
 * Tests how each storage port erases a person.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { InboxStore } from "../../core/ports/InboxStore.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { type HashedAddress, SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { type Submission, summaryOf } from "../../core/model/Submission.ts"
import { draftSubmission, draftToMany, draftJob } from "./drafts.ts"
import {
  atOnce,
  changed,
  changes,
  draftContact,
  firstPage,
  freshAccountId,
  newEmail,
  newHash,
  newId,
  now,
  type StorageTest,
  times,
  unique,
  wholeSubmissions
} from "./fixtures.ts"

/** A submission to some addresses. */
const submissionTo = (
  accountId: string,
  emails: ReadonlyArray<string>,
  values: Partial<Submission> = {}
): Submission =>
  emails.length === 1
    ? draftSubmission(accountId, values, { email: emails[0]! })
    : draftToMany(
        accountId,
        emails.map((email) => ({ email })),
        values
      )

const deliveryIds = (submission: Submission) => submission.deliveries.map((delivery) => delivery.id)

/** Tests the `erase` methods of the ports. */
export const erasureContract = (it: StorageTest): void => {
  describe("erasure", () => {
    it.effect("keeps an erased contact by its hash, can delete its history, and no longer counts it", () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const accountId = yield* freshAccountId
        const [contact, other, third] = [
          draftContact({ externalId: unique("user") }),
          draftContact(),
          draftContact()
        ]
        const consents = [contact, other, third].map((one) => ({
          id: newId(),
          contactId: one.id,
          from: null,
          to: "Unsubscribed" as const,
          basis: null,
          proof: null,
          source: "Api" as const,
          at: now
        }))
        yield* store.write(accountId, changes({ inserts: [contact, other, third], consents }))
        const hash = newHash()
        const anonymous = changed(contact, {
          email: null,
          externalId: null,
          erasedAt: now,
          addressHash: hash
        })
        yield* store.write(accountId, changes({ updates: [anonymous] }))
        yield* store.eraseConsents(yield* freshAccountId, [contact.id, other.id])
        yield* store.eraseConsents(accountId, [])
        yield* store.eraseConsents(accountId, [contact.id, third.id, newId()])
        expect(yield* store.count(accountId)).toBe(2)
        const asked = { ids: [contact.id], externalIds: [contact.externalId!], emails: [contact.email!] }
        expect(yield* store.find(accountId, asked)).toEqual([anonymous])
        expect(yield* store.erasedHashes(accountId, [hash, newHash(), hash])).toEqual([hash])
        expect(yield* store.erasedHashes(accountId, [])).toEqual([])
        expect(yield* store.erasedHashes(yield* freshAccountId, [hash])).toEqual([])
        for (const [{ id }, count] of [
          [contact, 0],
          [other, 1],
          [third, 0]
        ] as const) {
          expect((yield* store.consentHistory(accountId, id, firstPage)).totalCount).toBe(count)
        }
      })
    )

    it.effect("deletes submissions to the person alone, and the delivery in others", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const stranger = yield* freshAccountId
        const [email, other] = [newEmail(), newEmail()]
        const idempotencyKey = unique("key")
        const alone = submissionTo(accountId, [email], { idempotencyKey })
        const twice = submissionTo(accountId, [email, email])
        const shared = submissionTo(accountId, [other, email])
        const kept = submissionTo(accountId, [other])
        const foreign = submissionTo(stranger, [email])
        yield* store.insert(accountId, [alone, twice, shared, kept], [])
        yield* store.insert(stranger, [foreign], [])
        const gone = yield* store.erase(accountId, [email, newEmail()])
        expect(gone.toSorted()).toEqual(
          [...deliveryIds(alone), ...deliveryIds(twice), deliveryIds(shared)[1]!].toSorted()
        )
        const rest = { ...shared, deliveries: [shared.deliveries[0]!] }
        const all = [alone, twice, shared, kept].map((submission) => submission.id)
        const found = yield* store.find(accountId, all)
        expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([rest, kept].map(summaryOf))
        expect((yield* store.list(accountId, { to: [email] }, firstPage)).totalCount).toBe(0)
        expect((yield* store.list(accountId, { status: ["Queued"] }, firstPage)).totalCount).toBe(2)
        expect(yield* wholeSubmissions(gone.map((id) => ({ accountId, id })))).toEqual([])
        expect(yield* store.find(stranger, [foreign.id])).toEqual([summaryOf(foreign)])
        expect(yield* store.erase(accountId, [email])).toEqual([])
        expect(yield* store.erase(accountId, [])).toEqual([])
        // The idempotency key can be used again.
        const again = submissionTo(accountId, [other], { idempotencyKey })
        expect(yield* store.insert(accountId, [again], [])).toEqual([summaryOf(again)])
        const move = {
          accountId,
          from: "Queued",
          to: "HandingOff",
          reason: null,
          attempts: 0,
          claim: null,
          at: now
        } as const
        expect(yield* store.move(gone.map((id) => ({ ...move, id })))).toEqual([])
      })
    )

    it.effect("leaves no submission behind when both recipients are erased concurrently", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const [first, second] = [newEmail(), newEmail()]
        const shared = times(10, () => submissionTo(accountId, [first, second]))
        yield* store.insert(accountId, shared, [])
        yield* atOnce([first, second].map((email) => run(store.erase(accountId, [email]))))
        const ids = shared.map((submission) => submission.id)
        expect(yield* store.find(accountId, ids)).toEqual([])
      })
    )

    it.effect("leaves the submissions as they were when it is rolled back", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const [email, other] = [newEmail(), newEmail()]
        const submissions = [submissionTo(accountId, [email]), submissionTo(accountId, [other, email])]
        yield* store.insert(accountId, submissions, [])
        yield* Effect.exit(
          run(Effect.andThen(store.erase(accountId, [email]), Effect.fail("rejected" as const)))
        )
        const ids = submissions.map((submission) => submission.id)
        const found = yield* store.find(accountId, ids)
        expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(submissions.map(summaryOf))
      })
    )

    it.effect("deletes the inbox messages of the deliveries", () =>
      Effect.gen(function* () {
        const store = yield* InboxStore
        const accountId = yield* freshAccountId
        const ids = times(3, newId)
        yield* store.put(
          ids.map((id) => ({
            id,
            accountId,
            submissionId: id,
            to: newEmail(),
            fromEmail: "hello@example.com",
            fromName: null,
            receivedAt: now,
            rendering: { messageId: "a@example.com", selectors: [], opens: false, clicks: false }
          }))
        )
        const stranger = yield* freshAccountId
        yield* store.erase([
          { accountId, id: ids[0]! },
          { accountId, id: ids[1]! },
          { accountId, id: newId() },
          { accountId: stranger, id: ids[2]! }
        ])
        const { items } = yield* store.list(accountId, firstPage)
        expect(items.map((message) => message.id)).toEqual([ids[2]])
        expect(yield* store.get(accountId, ids[0]!)).toBeNull()
        expect(yield* store.get(accountId, ids[2]!)).not.toBeNull()
        yield* store.erase([])
      })
    )

    it.effect("replaces a suppressed address with its hash", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const accountId = yield* freshAccountId
        const [email, other] = [newEmail(), newEmail()]
        const hash = newHash()
        const entry = {
          accountId,
          email,
          kind: "Complained",
          source: "Report" as const,
          createdAt: now
        } as const
        const kept = { ...entry, email: other }
        yield* store.put([entry, kept])
        yield* store.erase(accountId, [{ email, hash }])
        const asked = [email, hash, other].map((name) => ({ accountId, email: name }))
        const found = yield* store.find(asked)
        expect(found.toSorted((a) => (a.email === hash ? -1 : 1))).toEqual([{ ...entry, email: hash }, kept])
        // The address is suppressed again, and erased again.
        yield* store.put([{ ...entry, kind: "Bounced", source: "Report" as const, createdAt: now + 1 }])
        yield* store.erase(accountId, [{ email, hash }])
        expect(yield* store.find([{ accountId, email: hash }])).toEqual([
          { ...entry, email: hash, kind: "Bounced" }
        ])
        yield* store.erase(accountId, [{ email: newEmail(), hash: newHash() }])
        yield* store.erase(accountId, [])
        expect((yield* store.list(accountId, firstPage)).totalCount).toBe(2)
      })
    )

    it.effect("replaces a hash with the address when a contact has it again", () =>
      Effect.gen(function* () {
        const store = yield* SuppressionStore
        const [accountId, stranger] = [yield* freshAccountId, yield* freshAccountId]
        const [first, second, third] = times(3, () => ({ email: newEmail(), hash: newHash() })) as [
          HashedAddress,
          HashedAddress,
          HashedAddress
        ]
        const entryOf = ({ email }: HashedAddress) =>
          ({ accountId, email, kind: "Complained", source: "Report" as const, createdAt: now }) as const
        expect(yield* store.holds(accountId)).toEqual({ listed: false, erased: false })
        yield* store.put([first, second, third].map(entryOf))
        expect(yield* store.holds(accountId)).toEqual({ listed: true, erased: false })
        yield* store.erase(accountId, [first, second, third])
        expect(yield* store.holds(accountId)).toEqual({ listed: true, erased: true })
        expect(yield* store.holds(stranger)).toEqual({ listed: false, erased: false })
        yield* store.put([
          { ...entryOf(second), kind: "Bounced", source: "Report" as const, createdAt: now + 1 }
        ])
        yield* store.restore(stranger, [third])
        yield* store.restore(accountId, [first, second, { email: newEmail(), hash: newHash() }])
        const { items } = yield* store.list(accountId, firstPage)
        expect(items).toHaveLength(3)
        expect(yield* store.find([entryOf(first)])).toEqual([entryOf(first)])
        expect(yield* store.find([entryOf(second)])).toEqual([
          { ...entryOf(second), kind: "Bounced", source: "Report" as const, createdAt: now + 1 }
        ])
        yield* store.restore(accountId, [third])
        yield* store.restore(accountId, [])
        expect(yield* store.holds(accountId)).toEqual({ listed: true, erased: false })
      })
    )

    it.effect("deletes pending and buried jobs of the keys, and lets leased ones run", () =>
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const accountId = yield* freshAccountId
        const stranger = yield* freshAccountId
        // Due before all other jobs of the queue, so that the test's claims get them.
        const job = (account: string, key: string, runAt = 0) =>
          draftJob({ accountId: account, queue: "carts", key, runAt })
        const [leased, buried, pending, kept] = times(4, () => unique("key"))
        const keys = [leased!, buried!, pending!]
        yield* jobs.enqueue([job(accountId, leased!), job(accountId, buried!)])
        const claimed = yield* jobs.claim({ queue: "carts", limit: 10, lease: 60_000, now: 1 })
        const claimOf = (key: string) => claimed.filter((one) => one.key === key)
        yield* jobs.bury(claimOf(buried!), "broken", now)
        yield* jobs.enqueue([
          job(accountId, pending!, 5),
          job(accountId, kept!, 5),
          job(stranger, pending!, 5)
        ])
        const before = (yield* jobs.depth).find((depth) => depth.queue === "carts")!
        yield* jobs.erase(accountId, "carts", keys)
        const after = (yield* jobs.depth).find((depth) => depth.queue === "carts")!
        expect([before.pending - after.pending, before.buried - after.buried]).toEqual([1, 1])
        yield* jobs.erase(accountId, "carts", [])
        yield* jobs.complete(claimOf(leased!))
        const rest = yield* jobs.claim({ queue: "carts", limit: 10, lease: 60_000, now: 5 })
        expect(rest.map((one) => one.key).toSorted()).toEqual([kept, pending].toSorted())
        yield* jobs.complete(rest)
      })
    )
  })
}
