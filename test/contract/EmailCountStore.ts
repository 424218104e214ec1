/**
 * The contract of `core/ports/EmailCountStore`: the maintained counts equal a recount of all emails.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Conversion } from "../../core/model/Conversion.ts"
import { canMove, deliveryStatuses } from "../../core/model/DeliveryStatus.ts"
import {
  countDimensions,
  countedFacts,
  countedKeys,
  countUnits,
  type EmailCount,
  maxCountKeys,
  maxKeptKeys,
  otherKey,
  sumCounts,
  unitMillis,
  unitOf
} from "../../core/model/EmailCount.ts"
import { type Delivery, emailSources, type Submission } from "../../core/model/Submission.ts"
import { ConversionStore } from "../../core/ports/ConversionStore.ts"
import { EmailCountStore } from "../../core/ports/EmailCountStore.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { VisitStore } from "../../core/ports/VisitStore.ts"
import { draftMove, draftSubmission, draftToMany } from "./drafts.ts"
import { freshAccountId, makeRandom, newId, now, type Random, type StorageTest, times } from "./fixtures.ts"
import { draftVisits } from "./VisitStore.ts"

const hour = unitMillis.Hour

const campaign = { id: newId(), version: 1 }

/** A period that includes everything a test writes. */
const whole = {
  since: unitOf("Day", now) - 10 * unitMillis.Day,
  until: unitOf("Day", now) + 10 * unitMillis.Day
}

const sorted = (counts: ReadonlyArray<EmailCount>) =>
  counts.map(({ at, count, counter, key }) => `${at} ${key} ${counter} ${count}`).toSorted()

/** An account, with the emails that are counted. */
const open = Effect.map(freshAccountId, (accountId) => ({
  accountId,
  submissions: [] as Array<Submission>,
  conversions: [] as Array<Conversion>
}))
type World = Effect.Success<typeof open>

/** Recounts all remaining emails one by one. */
const recount = Effect.fnUntraced(function* ({ accountId, conversions, submissions }: World) {
  const refs = submissions.flatMap(({ deliveries }) => deliveries.map(({ id }) => ({ accountId, id })))
  const deliveries = yield* (yield* SubmissionStore).deliveries(refs)
  const visits = new Map((yield* (yield* VisitStore).of(refs)).map((one) => [one.deliveryId, one]))
  const found = new Map(submissions.map((submission) => [submission.id, submission]))
  return (by: (typeof countDimensions)[number], unit: (typeof countUnits)[number]) =>
    sumCounts(
      deliveries.flatMap((delivery) => {
        const submission = found.get(delivery.submissionId)!
        const own = conversions.filter(({ deliveryId }) => deliveryId === delivery.id)
        return countedFacts(delivery, submission.createdAt, visits.get(delivery.id) ?? null, own).flatMap(
          ({ at, counter }) =>
            countedKeys(by, submission, delivery).map((key) => ({
              at: unitOf(unit, at),
              key,
              counter,
              count: 1
            }))
        )
      }),
      maxCountKeys
    )
})

/** Makes a random change of the kinds that senders, readers and stores make. */
const step = Effect.fnUntraced(function* (random: Random, world: World) {
  const { accountId, conversions, submissions } = world
  const store = yield* SubmissionStore
  const visits = yield* VisitStore
  const deliveries: ReadonlyArray<Delivery> = yield* store.deliveries(
    submissions.flatMap((one) => one.deliveries.map(({ id }) => ({ accountId, id })))
  )
  const at = now + random.below(5) * hour
  const some = random.some(deliveries)
  const refs = some.map(({ id }) => ({ accountId, id }))
  switch (submissions.length === 0 ? 0 : random.below(8)) {
    case 0:
    case 1: {
      const made = times(1 + random.below(3), () =>
        draftToMany(
          accountId,
          times(1 + random.below(2), () => ({ email: `${newId()}@${random.pick(["a", "b"])}.example` })),
          {
            createdAt: at,
            flowId: random.pick([null, flowId]),
            marketing: random.pick([null, { contactId: newId(), topicId: null, campaign }]),
            templateId: random.pick([null, templateId]),
            source: random.pick([null, ...emailSources]),
            tags: random.pick([{}, { kind: "news" }, { kind: "receipt", shop: "1" }])
          }
        )
      )
      submissions.push(...made)
      return yield* store.insert(accountId, made, [])
    }
    case 2:
    case 3: {
      const moves = some.flatMap((delivery) => {
        const to = random.pick(deliveryStatuses.filter((status) => canMove(delivery.status, status)))
        const reason = random.pick([null, "sending.mailbox_full"] as const)
        return to === undefined ? [] : [draftMove(delivery, to, { reason, at })]
      })
      return yield* store.move(moves)
    }
    case 4:
      return yield* store.engage(random.pick(["complained", "unsubscribed"] as const), refs, at)
    case 5: {
      const count = () => ({ Human: random.below(2), Machine: 1, Unknown: random.below(2) })
      const time = () => random.pick([null, at, at + hour])
      return yield* visits.put(
        refs.map(({ id }) =>
          draftVisits(accountId, id, {
            opens: count(),
            clicks: count(),
            firstOpenedAt: at,
            firstClickedAt: time(),
            readerOpenedAt: time(),
            readerClickedAt: time()
          })
        )
      )
    }
    case 6: {
      const gone = random.some(conversions)
      const added = some.map(({ id }): Conversion => ({
        id: newId(),
        contactId: newId(),
        orderId: newId(),
        flowId,
        campaignId: null,
        deliveryId: id,
        clickedAt: at,
        orderedAt: at
      }))
      world.conversions = [...conversions.filter((one) => !gone.includes(one)), ...added]
      return yield* (yield* ConversionStore).write(accountId, gone, added)
    }
    default: {
      const erased = random.below(3) === 0 ? some.slice(0, 1) : []
      const ids = yield* store.erase(
        accountId,
        erased.map(({ email }) => email)
      )
      const lost = world.conversions.filter(({ deliveryId }) => ids.includes(deliveryId))
      world.conversions = world.conversions.filter((one) => !lost.includes(one))
      yield* (yield* ConversionStore).write(accountId, lost, [])
      return yield* visits.erase(ids.map((id) => ({ accountId, id })))
    }
  }
})

const [flowId, templateId] = [newId(), newId()]

/** Tests of the port `EmailCountStore`. */
export const emailCountStoreContract = (it: StorageTest): void => {
  describe("EmailCountStore", () => {
    it.effect.each([1, 2])("counts what counting again finds, through random changes %i", (seed) =>
      Effect.gen(function* () {
        const counts = yield* EmailCountStore
        const random = makeRandom(seed)
        const world = yield* open
        for (let round = 0; round < 60; round++) {
          yield* step(random, world)
          if (random.below(6) === 0) yield* counts.fold(1 + random.below(20))
          if (round % 10 !== 9) continue
          const expected = yield* recount(world)
          for (const by of countDimensions) {
            const unit = random.pick(countUnits)
            const found = yield* counts.count(world.accountId, { by, unit, ...whole })
            expect(sorted(found)).toEqual(sorted(expected(by, unit)))
          }
        }
      })
    )

    it.effect("limits counts to an account and a time, from the first hour on and before the last", () =>
      Effect.gen(function* () {
        const counts = yield* EmailCountStore
        const store = yield* SubmissionStore
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const first = unitOf("Hour", now)
        const made = [first - 1, first, first + hour - 1, first + hour].map((createdAt) =>
          draftSubmission(accountId, { createdAt })
        )
        yield* store.insert(accountId, made, [])
        const query = { by: "Source", unit: "Hour", since: first, until: first + hour } as const
        const expected = [{ at: first, key: "Api", counter: "Queued", count: 2 }]
        expect(yield* counts.count(accountId, query)).toEqual(expected)
        yield* counts.fold(1_000)
        expect(yield* counts.count(accountId, query)).toEqual(expected)
        expect(yield* counts.count(other, query)).toEqual([])
      })
    )

    it.effect("names the keys with the highest counts, and counts the others together", () =>
      Effect.gen(function* () {
        const counts = yield* EmailCountStore
        const store = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const made = times(maxKeptKeys + 5, (index) =>
          draftSubmission(accountId, { tags: { order: `${1_000 + index}` } })
        )
        const often = times(3, () => draftSubmission(accountId, { tags: { order: "often" } }))
        const query = { by: "Tag", unit: "Day", ...whole } as const
        const expectCounts = Effect.gen(function* () {
          const found = yield* counts.count(accountId, query)
          expect(found.find(({ key }) => key === "order=often")).toMatchObject({
            counter: "Queued",
            count: 3
          })
          expect(found.find(({ key }) => key === otherKey)?.count).toBe(made.length - maxCountKeys + 1)
          expect(found).toHaveLength(maxCountKeys + 1)
        })
        yield* store.insert(accountId, [...often, ...made], [])
        yield* expectCounts
        while ((yield* counts.fold(1_000)) > 0) yield* Effect.void
        yield* expectCounts
        const more = times(2, () => draftSubmission(accountId, { tags: { order: "later" } }))
        yield* store.insert(accountId, more, [])
        while ((yield* counts.fold(1_000)) > 0) yield* Effect.void
        const sum = (yield* counts.count(accountId, query)).reduce((total, { count }) => total + count, 0)
        expect(sum).toBe(made.length + often.length + more.length)
      })
    )

    it.effect("deletes old counters", () =>
      Effect.gen(function* () {
        const counts = yield* EmailCountStore
        const store = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const createdAt = Date.UTC(1990, 0, 1)
        yield* store.insert(accountId, [draftSubmission(accountId, { createdAt })], [])
        while ((yield* counts.fold(1_000)) > 0) yield* Effect.void
        for (const unit of countUnits) yield* counts.prune(unit, createdAt + unitMillis.Day, 1_000)
        expect(yield* counts.prune("Day", createdAt + unitMillis.Day, 1_000)).toBe(0)
        expect(yield* counts.prune("Hour", createdAt, 1_000)).toBe(0)
      })
    )
  })
}
