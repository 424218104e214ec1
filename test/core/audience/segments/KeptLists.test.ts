/**
 * Tests of caching the lists of segments and of their contacts: which lists are cached, and when they are read again.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type CountedList, KeptLists } from "../../../../core/audience/segments/KeptLists.ts"
import { type Contact, newContact } from "../../../../core/model/Contact.ts"
import type { SegmentDefinition, SegmentRule } from "../../../../core/model/SegmentDefinition.ts"
import { SegmentStore } from "../../../../core/ports/SegmentStore.ts"
import { pageOfAll, placeBy } from "../../../../core/shared/Page.ts"

const city: SegmentRule = {
  field: { _tag: "Text", column: "city" },
  test: { operator: "Equals", text: "Wien" }
}
const campaigns: SegmentRule = {
  field: { _tag: "Campaigns" },
  test: { operator: "SentAtLeast", count: 1, days: 30 }
} as SegmentRule
const rules = (...all: ReadonlyArray<SegmentRule>): SegmentDefinition => ({ join: "All", rules: all })

const people = Array.from({ length: 5 }, (_, index) =>
  newContact(`id${index}`, `p${index}@example.org`, index)
)

/** A storage with five people that counts its reads. */
const makeStore = () => {
  const state = { marks: "first", people, reads: [] as Array<string>, before: () => {} }
  const layer = Layer.mock(SegmentStore)({
    marks: () => Effect.sync(() => state.marks),
    contacts: (_accountId, _definition, page) =>
      Effect.sync(() => {
        state.reads.push("page")
        state.before()
        return { ...pageOfAll(state.people, page, placeBy("addedAt")), marks: state.marks }
      }),
    shown: (_accountId, ids) =>
      Effect.sync(() => {
        state.reads.push("shown")
        state.before()
        const shown = ids.map((id) => state.people.find((one) => one.id === id))
        return { marks: state.marks, contacts: shown.filter((one) => one !== undefined) }
      })
  })
  return { state, layer: KeptLists.layer.pipe(Layer.provide(layer)) }
}

const listOf = (read: () => CountedList) =>
  Effect.flatMap(KeptLists, (kept) => kept.segments("account", Effect.sync(read)))

const idsOf = (items: ReadonlyArray<Contact>) => items.map(({ id }) => id)

describe("KeptLists", () => {
  it.effect("reads the list of segments again when the marks or the day have changed", () => {
    const { layer, state } = makeStore()
    let reads = 0
    const list = listOf(() => {
      reads++
      return { segments: [], definitions: [rules(city)] }
    })
    return Effect.gen(function* () {
      const first = yield* list
      expect(yield* list).toBe(first)
      yield* TestClock.adjust("23 hours")
      expect(yield* list).toBe(first)
      expect(reads).toBe(1)
      yield* TestClock.adjust("1 hour")
      const second = yield* list
      state.marks = "second"
      yield* list
      expect(reads).toBe(3)
      state.marks = "first"
      expect(yield* list).toBe(second)
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps no list of which a part may be of another state, or that marks say nothing of", () => {
    const { layer, state } = makeStore()
    let reads = 0
    const list = (definition: SegmentDefinition, during: () => void) =>
      listOf(() => {
        reads++
        during()
        return { segments: [], definitions: [rules(), definition] }
      })
    return Effect.gen(function* () {
      yield* list(rules(city), () => (state.marks = "second"))
      yield* list(rules(city, campaigns), () => {})
      yield* list(rules(city, campaigns), () => {})
      expect(reads).toBe(3)
      yield* list(rules(city), () => {})
      yield* list(rules(city), () => {})
      expect(reads).toBe(4)
    }).pipe(Effect.provide(layer))
  })

  it.effect("shows a kept page as its contacts are, and looks for them again after a change", () => {
    const { layer, state } = makeStore()
    return Effect.gen(function* () {
      const kept = yield* KeptLists
      let definitions = 0
      const definition = Effect.sync(() => {
        definitions++
        return rules(city)
      })
      const page = (number: number, segmentId = "segment") =>
        kept.contacts("account", segmentId, { page: number, pageSize: 2 }, definition)
      const first = yield* page(1)
      expect(idsOf(first.items)).toEqual(["id4", "id3"])
      expect(yield* page(1)).toEqual({ ...first, marks: undefined })
      expect(idsOf((yield* page(3)).items)).toEqual(["id0"])
      expect((yield* page(3)).next).toBeNull()
      // A page beyond the last one reads nothing.
      expect((yield* page(4)).totalCount).toBe(5)
      expect(state.reads).toEqual(["page", "shown", "page", "shown"])
      expect(definitions).toBe(2)
      yield* page(1, "another")
      expect(state.reads).toHaveLength(5)

      // The marks change after they were read, before the contacts of the cached page are read.
      state.before = () => {
        state.marks = "second"
        state.people = people.slice(0, 4)
        state.before = () => {}
      }
      expect(idsOf((yield* page(1)).items)).toEqual(["id3", "id2"])
      expect(state.reads.slice(5)).toEqual(["shown", "page"])
      // The page is newer than the marks read first, so it is not cached; the next one is.
      yield* page(1)
      yield* page(1)
      expect(state.reads.slice(7)).toEqual(["page", "shown"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("looks for the contacts of rules about campaigns each time", () => {
    const { layer, state } = makeStore()
    return Effect.gen(function* () {
      const kept = yield* KeptLists
      const page = kept.contacts(
        "account",
        "segment",
        { page: 9, pageSize: 2 },
        Effect.succeed(rules(campaigns))
      )
      yield* page
      yield* page
      expect(state.reads).toEqual(["page", "page"])
    }).pipe(Effect.provide(layer))
  })
})
