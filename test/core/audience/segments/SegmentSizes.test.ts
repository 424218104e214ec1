/**
 * Tests that segments are counted once a day and that their sizes are stored.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { Bootstrap } from "../../../../core/accounts/Bootstrap.ts"
import { Contacts } from "../../../../core/audience/contacts/Contacts.ts"
import { Segments } from "../../../../core/audience/segments/Segments.ts"
import { SegmentSizes } from "../../../../core/audience/segments/SegmentSizes.ts"
import { Worker } from "../../../../core/jobs/Worker.ts"
import { systemActor } from "../../../../core/model/Actor.ts"
import { SegmentStore } from "../../../../core/ports/SegmentStore.ts"
import { makeFakeTransport } from "../../../support/fakeTransport.ts"
import { wholeCore } from "../../../support/wholeCore.ts"

const environment = Effect.provide(wholeCore({ act: Effect.void }, makeFakeTransport()))
const dayMillis = 86_400_000

/** An account with a contact. */
const setUp = Effect.gen(function* () {
  const accountId = (yield* (yield* Bootstrap).prepare(0))!.sandboxAccountId
  const contacts = yield* Contacts
  const add = (name: string) => contacts.write(accountId, { email: `${name}@people.example`, city: "Wien" })
  yield* add("ada")
  return { accountId, add, sizes: yield* SegmentSizes, worker: yield* Worker }
})

describe("SegmentSizes", () => {
  it.live("counts all segments of accounts with contacts once a day", () =>
    Effect.gen(function* () {
      const { accountId, add, sizes, worker } = yield* setUp
      const segments = yield* Segments
      yield* sizes.begin
      yield* worker.drain
      const first = yield* sizes.list(accountId, null, 1)
      expect(new Set(first.map(({ segmentId }) => segmentId))).toEqual(yield* segments.ids(accountId))
      yield* add("grace")
      yield* sizes.begin
      expect(yield* worker.nextDue).toBeNull()
      expect(yield* sizes.list(accountId, null, 1)).toEqual(first)
      // On the next day, today's sizes are still those of the day before.
      const store = yield* SegmentStore
      yield* store.pruneSizes((yield* Clock.currentTimeMillis) + dayMillis, 100)
      yield* store.saveSizes(first.map((size) => ({ ...size, day: size.day - dayMillis })))
      yield* sizes.begin
      yield* worker.drain
      const { id } = (yield* segments.all(accountId)).find(({ builtInKey }) => builtInKey === "all")!
      const days = yield* sizes.list(accountId, id, 30)
      expect(days.map(({ count, day }) => [day, count])).toEqual([
        [first[0]!.day - dayMillis, 1],
        [first[0]!.day, 2]
      ])
      expect(yield* sizes.list(accountId, id, 1)).toHaveLength(1)
    }).pipe(environment)
  )

  it.live("counts a new segment on the day of its creation, and those that have a size not again", () =>
    Effect.gen(function* () {
      const { accountId, add, sizes, worker } = yield* setUp
      const segments = yield* Segments
      const rules = [{ fieldKey: "city", operator: "Equals", value: "wien" }]
      const make = (name: string) =>
        segments.create(accountId, { name, definition: { join: "All", rules } }, systemActor)
      const one = yield* make("One")
      yield* worker.drain
      yield* add("grace")
      const other = yield* make("Other")
      yield* worker.drain
      const found = yield* sizes.list(accountId, null, 1)
      const countOf = (id: string) => found.find(({ segmentId }) => segmentId === id)?.count
      expect([countOf(one.id), countOf(other.id)]).toEqual([1, 2])
    }).pipe(environment)
  )
})
