/**
 * The contract of `core/ports/NotificationStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import {
  type NotificationFilter,
  NotificationStore,
  type CompletedNotification
} from "../../core/ports/NotificationStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  type AttemptAnswer,
  type ClaimedNotification,
  maxLoggedAttempts,
  type NewNotification,
  type WebhookRef
} from "../../core/model/Webhook.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { draftSubmission } from "./drafts.ts"
import {
  atOnce,
  endsWithin,
  firstPage,
  freshAccountId,
  minute,
  newEmail,
  newId,
  now,
  oddText,
  readOn,
  pause,
  readPages,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const draft = (ref: WebhookRef, values: Partial<NewNotification> = {}): NewNotification => ({
  ...ref,
  id: newId(),
  type: "email.sent",
  deliveryId: newId(),
  body: "{}",
  createdAt: now,
  ...values
})

const ok: AttemptAnswer = { httpStatus: 204, error: null, durationMs: 7, answer: null }
const bad: AttemptAnswer = { httpStatus: 500, error: null, durationMs: 12, answer: "Oh\nno" }

const lease = 30_000

/** A new webhook. */
const freshLine = Effect.map(
  Effect.suspend(() => freshAccountId),
  (accountId): WebhookRef => ({ accountId, webhookId: newId() })
)

const done = (notification: ClaimedNotification, at = now + 5): CompletedNotification => ({
  notification,
  answer: ok,
  at,
  state: "Succeeded",
  nextAttemptAt: null
})

const again = (
  notification: ClaimedNotification,
  nextAttemptAt: number,
  at = now + 5
): CompletedNotification => ({
  notification,
  answer: bad,
  at,
  state: "Pending",
  nextAttemptAt
})

const idsOf = (some: ReadonlyArray<{ readonly id: string }>) => some.map(({ id }) => id).toSorted()

/** Tests of the port `NotificationStore`. */
export const notificationStoreContract = (it: StorageTest): void => {
  describe("NotificationStore", () => {
    /** Claims all due notifications of a webhook. */
    const take = (ref: WebhookRef, at = now, limit = 100) =>
      Effect.flatMap(NotificationStore, (store) => store.claim([{ ...ref, limit }], lease, at))

    it.effect("claims notifications as they were added", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        const first = draft(line, { body: oddText.replaceAll("\0", ""), type: "email.clicked" })
        const second = draft(line, { deliveryId: null, type: "webhook.test" })
        expect(yield* store.insert([first, second])).toEqual([first.id, second.id])
        const claimed = yield* take(line)
        const fence = { attempts: 0, claims: 1, claimedUntil: now + lease }
        expect(claimed).toEqual([
          { ...first, ...fence },
          { ...second, ...fence }
        ])
        expect(yield* take(line)).toEqual([])
        expect(yield* store.insert([])).toEqual([])
        expect(yield* store.claim([], lease, now)).toEqual([])
      })
    )

    it.effect("adds each event of an email once for each webhook, also concurrently", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        const other = { ...line, webhookId: newId() }
        const deliveryIds = times(20, () => newId())
        const batch = () => deliveryIds.map((deliveryId) => draft(line, { deliveryId }))
        const exits = yield* atOnce(
          times(6, (writer) => store.insert(writer % 2 === 0 ? batch() : batch().toReversed()))
        )
        expect(successes(exits).flat()).toHaveLength(20)
        const deliveryId = deliveryIds[0]!
        const twice = draft(line, { deliveryId, type: "email.opened" })
        expect(
          yield* store.insert([twice, { ...twice, id: newId() }, draft(other, { deliveryId })])
        ).toHaveLength(2)
        expect(yield* take(line)).toHaveLength(21)
        expect(yield* take(other)).toHaveLength(1)
        const tests = times(2, () => draft(line, { deliveryId: null, type: "webhook.test" }))
        expect(yield* store.insert(tests)).toHaveLength(2)
      })
    )

    it.effect("adds notifications in the caller's transaction", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const { run } = yield* Transaction
        const line = yield* freshLine
        yield* Effect.exit(run(Effect.andThen(store.insert([draft(line)]), Effect.fail("no"))))
        expect(yield* take(line)).toEqual([])
      })
    )

    it.effect("claims for each webhook up to its limit, earliest due first", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const one = yield* freshLine
        const two = { ...one, webhookId: newId() }
        const ones = times(5, (index) => draft(one, { createdAt: now - index }))
        const twos = times(3, () => draft(two))
        const later = draft(two, { createdAt: now + 1 })
        yield* store.insert([...ones, ...twos, later])
        const claimed = yield* store.claim(
          [
            { ...one, limit: 2 },
            { ...two, limit: 10 },
            { ...one, webhookId: newId(), limit: 5 }
          ],
          lease,
          now
        )
        expect(idsOf(claimed)).toEqual(idsOf([ones[4]!, ones[3]!, ...twos]))
        expect(idsOf(yield* take(one))).toEqual(idsOf(ones.slice(0, 3)))
        expect(yield* store.due([one, two], now, now)).toEqual([])
        expect(yield* store.due([one, two], now + 1, now + 1)).toEqual([{ ...two, at: now + 1 }])
        expect(idsOf(yield* take(two, now + 1))).toEqual([later.id])
        expect(yield* store.due([], now, now + lease)).toEqual([])
      })
    )

    it.effect("claims each notification once in concurrent claims", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        const added = times(40, () => draft(line))
        yield* store.insert(added)
        const exits = yield* atOnce(times(12, () => take(line, now, 5)))
        const claimed = successes(exits).flat()
        expect(new Set(idsOf(claimed)).size).toBe(claimed.length)
        const rest = yield* take(line)
        expect(idsOf([...claimed, ...rest])).toEqual(idsOf(added))
      })
    )

    it.effect("never waits for another claim", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const { run } = yield* Transaction
        const line = yield* freshLine
        yield* store.insert([draft(line)])
        // In memory, transactions run one after another, so this one must end soon.
        const holding = yield* Effect.forkChild(run(Effect.andThen(take(line), pause(300))))
        yield* pause(50)
        expect(yield* endsWithin(Effect.asVoid(take(line)), 2000)).toBe(true)
        yield* Fiber.join(holding)
      })
    )

    it.effect("lets an expired claim be taken over, and fences it", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        yield* store.insert([draft(line)])
        const [lost] = yield* take(line)
        expect(yield* take(line, now + lease - 1)).toEqual([])
        const [taken] = yield* take(line, now + lease)
        expect(taken).toMatchObject({ id: lost!.id, attempts: 0, claims: 2 })
        expect(yield* store.complete([done(lost!)])).toEqual([])
        yield* store.release([lost!], now)
        expect(yield* take(line, now + lease)).toEqual([])
        expect(yield* store.complete([done(taken!)])).toEqual([lost!.id])
        expect(yield* store.complete([done(taken!)])).toEqual([])
        expect((yield* store.log(line, firstPage)).items).toHaveLength(1)
      })
    )

    it.effect("returns the webhooks with claimed notifications, not those that wait for an attempt", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        yield* store.insert(times(2, () => draft(line)))
        const [one, two] = yield* take(line)
        yield* store.complete([again(one!, now + 1000)])
        expect(yield* store.due([line], now, now + lease)).toEqual([{ ...line, at: now + lease }])
        expect(yield* store.due([line], now, now + lease - 1)).toEqual([])
        expect(yield* store.due([line], now + 1000, now + lease)).toEqual([{ ...line, at: now + 1000 }])
        yield* store.complete([done(two!)])
        expect(yield* store.due([line], now, now + lease)).toEqual([])
      })
    )

    it.effect("makes a released claim due at once", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        yield* store.insert(times(3, () => draft(line)))
        const claimed = yield* take(line)
        yield* store.release(claimed.slice(0, 2), now)
        yield* store.release([], now)
        expect(yield* store.due([line], now, now)).toEqual([{ ...line, at: now }])
        const back = yield* take(line)
        expect(idsOf(back)).toEqual(idsOf(claimed.slice(0, 2)))
        expect(back.every(({ attempts }) => attempts === 0)).toBe(true)
      })
    )

    it.effect("settles many at once, and logs each attempt", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        const [one, two, three] = times(3, () => draft(line))
        yield* store.insert([one!, two!, three!])
        const before = yield* store.log(line, firstPage)
        expect(before.totalCount).toBe(3)
        expect(before.items[0]).toEqual({
          notificationId: three!.id,
          type: "email.sent",
          attempt: 0,
          at: now,
          httpStatus: null,
          error: null,
          durationMs: null,
          nextAttemptAt: now,
          state: "Pending"
        })
        const [first, second, third] = yield* take(line)
        const failed: CompletedNotification = {
          notification: third!,
          answer: { httpStatus: null, error: "timeout", durationMs: 10_000, answer: null },
          at: now + 6,
          state: "Failed",
          nextAttemptAt: null
        }
        expect(
          (yield* store.complete([failed, done(first!), again(second!, now + minute)])).toSorted()
        ).toEqual(idsOf([first!, second!, third!]))
        expect(yield* store.complete([])).toEqual([])
        expect(yield* take(line, now + minute - 1)).toEqual([])
        const [retried] = yield* take(line, now + minute)
        expect(retried).toMatchObject({ id: second!.id, attempts: 1, claims: expect.any(Number) })
        yield* store.complete([done(retried!, now + minute + 9)])
        const entry = { type: "email.sent", nextAttemptAt: null, error: null }
        expect((yield* store.log(line, firstPage)).items).toEqual([
          {
            ...entry,
            notificationId: second!.id,
            attempt: 2,
            at: now + minute + 9,
            httpStatus: 204,
            durationMs: 7,
            state: "Succeeded"
          },
          {
            ...entry,
            notificationId: third!.id,
            attempt: 1,
            at: now + 6,
            httpStatus: null,
            error: "timeout",
            durationMs: 10_000,
            state: "Failed"
          },
          {
            ...entry,
            notificationId: second!.id,
            attempt: 1,
            at: now + 5,
            httpStatus: 500,
            durationMs: 12,
            state: "Failed"
          },
          {
            ...entry,
            notificationId: first!.id,
            attempt: 1,
            at: now + 5,
            httpStatus: 204,
            durationMs: 7,
            state: "Succeeded"
          }
        ])
      })
    )

    it.effect("cancels Pending notifications, claimed or not, and keeps them cancelled", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        const other = { ...line, webhookId: newId() }
        yield* store.insert([...times(3, () => draft(line)), draft(other)])
        const [first, second] = yield* take(line, now, 2)
        yield* store.complete([done(first!)])
        yield* store.cancel([line, { ...line, webhookId: newId() }])
        yield* store.cancel([])
        expect(yield* take(line, now + 10 * lease)).toEqual([])
        yield* store.complete([again(second!, now + minute)])
        expect(yield* take(line, now + 10 * minute)).toEqual([])
        const states = (yield* store.log(line, firstPage)).items.map(({ attempt, nextAttemptAt, state }) => [
          attempt,
          state,
          nextAttemptAt
        ])
        expect(states.toSorted()).toEqual([
          [0, "Cancelled", null],
          [1, "Cancelled", null],
          [1, "Succeeded", null]
        ])
        expect(yield* take(other)).toHaveLength(1)
      })
    )

    it.effect("makes notifications due again, whatever their state, but those that are being attempted", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        const other = { ...line, webhookId: newId() }
        const added = times(5, () => draft(line))
        const [well, failed, retried, held, pruned] = added.map(({ id }) => id)
        const foreign = draft(other)
        yield* store.insert([...added.slice(0, 4), foreign])
        const claimed = yield* take(line)
        const of = (id: string | undefined) => claimed.find((one) => one.id === id)!
        const bitter: CompletedNotification = {
          ...again(of(failed), 0),
          state: "Failed",
          nextAttemptAt: null
        }
        yield* store.complete([done(of(well)), bitter, again(of(retried), now + 10 * minute)])
        const asked = [well!, failed!, retried!, held!, pruned!, foreign.id, newId(), well!]
        expect(yield* store.resend(line, [], now + 9)).toEqual([])
        expect(yield* store.resend({ ...line, accountId: newId() }, asked, now + 9)).toEqual([])
        const resent = yield* store.resend(line, asked, now + 9)
        expect(idsOf(resent)).toEqual([well!, failed!, retried!, held!].toSorted())
        expect(resent.every(({ isDue }) => isDue)).toBe(true)
        expect(yield* take(line, now + 8)).toEqual([])
        const due = yield* take(line, now + 9)
        expect(due.map(({ attempts, id }) => [id, attempts])).toEqual(
          [well!, failed!, retried!].toSorted().map((id) => [id, 1])
        )
        expect(yield* store.complete([done(of(held), now + 10)])).toEqual([held])
        const last = due.find(({ id }) => id === well)!
        yield* store.complete([{ ...again(last, 0, now + 20), state: "Failed", nextAttemptAt: null }])
        const states = (yield* store.log(line, firstPage)).items
          .filter(({ notificationId }) => notificationId === well)
          .map(({ attempt, httpStatus, state }) => [attempt, httpStatus, state])
        expect(states).toEqual([
          [2, 500, "Failed"],
          [1, 204, "Succeeded"]
        ])
        expect(yield* store.get(line.accountId, well!)).toEqual({
          id: well,
          webhookId: line.webhookId,
          type: "email.sent",
          deliveryId: added[0]!.deliveryId,
          state: "Failed",
          attempts: 2,
          createdAt: now,
          nextAttemptAt: null,
          body: "{}",
          log: [
            { attempt: 1, at: now + 5, ...ok },
            { attempt: 2, at: now + 20, ...bad }
          ]
        })
        expect(yield* store.get(line.accountId, newId())).toBeNull()
        expect(yield* store.get(newId(), well!)).toBeNull()
      })
    )

    it.effect("makes a notification due until it had 100 attempts", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        const one = draft(line)
        yield* store.insert([one])
        for (let attempt = 1; attempt <= maxLoggedAttempts; attempt++) {
          const at = now + attempt
          expect(yield* store.resend(line, [one.id], at)).toEqual([{ id: one.id, isDue: true }])
          yield* store.complete((yield* take(line, at)).map((claimed) => done(claimed, at)))
        }
        expect(yield* store.resend(line, [one.id], now + 1000)).toEqual([{ id: one.id, isDue: false }])
        expect(yield* take(line, now + 1000)).toEqual([])
        yield* store.erase(line.accountId, [one.deliveryId!])
        expect((yield* store.log(line, firstPage)).totalCount).toBe(0)
      })
    )

    it.effect("erases notifications of emails with their log, claimed ones included", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        const [gone, left] = times(2, () => newId())
        yield* store.insert([
          draft(line, { deliveryId: gone! }),
          draft(line, { deliveryId: gone!, type: "email.opened" }),
          draft(line, { deliveryId: left! }),
          draft(line, { deliveryId: null, type: "webhook.test" })
        ])
        const claimed = yield* take(line)
        const of = (type: string, id: string) =>
          claimed.find((one) => one.type === type && one.deliveryId === id)!
        yield* store.complete([done(of("email.sent", gone!)), done(of("email.sent", left!))])
        yield* store.erase(yield* freshAccountId, [gone!])
        expect((yield* store.log(line, firstPage)).totalCount).toBe(4)
        yield* store.erase(line.accountId, [gone!, newId()])
        yield* store.erase(line.accountId, [])
        expect(yield* store.complete([done(of("email.opened", gone!))])).toEqual([])
        expect((yield* store.log(line, firstPage)).items.map(({ type }) => type).toSorted()).toEqual([
          "email.sent",
          "webhook.test"
        ])
      })
    )

    it.effect("lists the log newest first, page by page", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        yield* store.insert(times(9, (index) => draft(line, { createdAt: now + index * 10 })))
        const claimed = yield* take(line, now + 60)
        yield* store.complete(claimed.slice(0, 4).map((one, index) => done(one, now + 15 + index * 10)))
        const entries = yield* readPages((page) => store.log(line, page), 2)
        const ats = entries.map(({ at }) => at)
        expect(ats).toEqual(ats.toSorted((a, b) => b - a))
        expect(new Set(entries.map(({ notificationId }) => notificationId)).size).toBe(9)
        expect((yield* store.log(line, { page: 9, pageSize: 2 })).items).toEqual([])
      })
    )

    it.effect("prunes old notifications with their log, a bounded number at a time", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        const old = times(5, () => draft(line, { createdAt: 1000 }))
        yield* store.insert([...old, draft(line)])
        const claimed = yield* take(line, 1000)
        yield* store.complete(claimed.map((one) => done(one, 1001)))
        expect(yield* store.prune(1001, 3)).toBe(3)
        expect(yield* store.prune(1001, 3)).toBe(2)
        expect(yield* store.prune(1001, 3)).toBe(0)
        expect((yield* store.log(line, firstPage)).items).toMatchObject([{ attempt: 0, at: now }])
      })
    )

    it.effect("lists an account's notifications by webhook, type, state, time and what they are about", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        const other = { ...line, webhookId: newId() }
        const email = newEmail()
        const submission = draftSubmission(line.accountId, {}, { email })
        yield* (yield* SubmissionStore).insert(line.accountId, [submission], [])
        const made = times(9, (index) =>
          draft(index % 3 === 0 ? other : line, {
            type: index % 2 === 0 ? "email.sent" : "email.opened",
            deliveryId: index === 4 || index === 7 ? submission.id : newId()
          })
        )
        yield* store.insert(made)
        yield* store.insert([draft(yield* freshLine)])
        const [held] = yield* take(line, now, 1)
        yield* store.complete([done(held!)])
        const idsBy = (filter: NotificationFilter, ascending = false) =>
          Effect.map(
            readOn((page) => store.list(line.accountId, filter, page), 2, ascending),
            (found) => found.map(({ id }) => id)
          )
        const newest = (test: (one: NewNotification, index: number) => boolean) =>
          made
            .filter(test)
            .map(({ id }) => id)
            .toReversed()
        expect(yield* idsBy({})).toEqual(newest(() => true))
        expect(yield* idsBy({}, true)).toEqual(newest(() => true).toReversed())
        expect(yield* idsBy({ webhookId: [other.webhookId] })).toEqual(newest((_, index) => index % 3 === 0))
        expect(
          yield* idsBy({ webhookId: [other.webhookId, line.webhookId], type: ["email.opened"] })
        ).toEqual(newest((_, index) => index % 2 === 1))
        expect(yield* idsBy({ state: ["Succeeded", "Failed"] })).toEqual([held!.id])
        expect(yield* idsBy({ state: ["Pending"] })).toEqual(newest(({ id }) => id !== held!.id))
        for (const q of [email, submission.id, submission.id.toUpperCase()]) {
          expect(yield* idsBy({ q })).toEqual(newest((_, index) => index === 4 || index === 7))
        }
        expect(yield* idsBy({ q: "nobody@example.org" })).toEqual([])
        expect(yield* idsBy({ until: 0 })).toEqual([])
        const { items } = yield* store.list(line.accountId, { state: ["Succeeded"] }, firstPage)
        expect(items).toMatchObject([{ webhookId: line.webhookId, attempts: 1, nextAttemptAt: null }])
      })
    )

    it.effect("never accepts the same complaint twice, however old, until it is erased", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const line = yield* freshLine
        const [tried, waiting] = times(2, () =>
          draft(line, { type: "email.complained", body: "ada@example.org", createdAt: 1000 })
        )
        yield* store.insert([tried!])
        const claimed = yield* take(line, 1000)
        yield* store.complete(claimed.map((one) => done(one, 1001)))
        yield* store.insert([waiting!])
        const held = yield* take(line, 1000)
        expect(yield* store.prune(1001, 10)).toBe(2)
        expect(yield* store.prune(1001, 10)).toBe(0)
        expect(yield* store.resend(line, [tried!.id], now)).toEqual([])
        expect(yield* store.get(line.accountId, tried!.id)).toBeNull()
        expect(yield* store.complete(held.map((one) => done(one)))).toEqual([])
        expect((yield* store.log(line, firstPage)).totalCount).toBe(0)
        expect(yield* take(line, now + 2 * lease)).toEqual([])
        const repeated = [tried!, waiting!].map((one) => ({ ...one, id: newId(), createdAt: now }))
        expect(yield* store.insert(repeated)).toEqual([])
        yield* store.erase(line.accountId, [tried!.deliveryId!])
        expect(yield* store.insert(repeated)).toEqual([repeated[0]!.id])
      })
    )
  })
}
