/**
 * Caches the lists of segments, and of the contacts in a segment, until anything on which they depend changes.
 *
 * Like the counts in `SegmentCounting`, a cached list is used only for the same marks of the audience and on the same UTC day. Of
 * contacts only the ids are cached: the contacts are read together with the marks, which must still be the same.
 *
 * @module
 */
import { Cache, Clock, Context, Effect, Layer, Option } from "effect"
import type { Contact } from "../../model/Contact.ts"
import type { Segment } from "../../model/Segment.ts"
import type { SegmentDefinition } from "../../model/SegmentDefinition.ts"
import { type SegmentCount, SegmentStore } from "../../ports/SegmentStore.ts"
import { offsetOf, type Page, pageOf, type PageRequest, placeBy } from "../../shared/Page.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { dayMillis } from "./DayRange.ts"
import { isMarked } from "./SegmentCounting.ts"

/** A segment with the number of contacts that match it now. */
export interface CountedSegment extends Segment, SegmentCount {}

/** Segments with their counts, and their definitions. */
export interface CountedList {
  readonly segments: ReadonlyArray<CountedSegment>
  readonly definitions: ReadonlyArray<SegmentDefinition>
}

/** The most lists of segments cached in a process, and the most characters of one. */
const maxLists = 50
const maxListText = 250_000
/** The most pages of contacts cached in a process, each with at most 200 ids, and the most totals. */
const maxPages = 1_000
const maxTotals = 5_000

/** The place of a contact in its list. */
const placeOf = placeBy("addedAt")

/** The lookup of a cache that its caller fills, which never runs. */
const lookup = (key: string): Effect.Effect<never> => Effect.die(new Error(`looked up ${key}`))

/** The cached lists. */
export class KeptLists extends Context.Service<
  KeptLists,
  {
    /** All segments of an account: the same array until something changes, otherwise the result of `read`. */
    readonly segments: <E, R>(
      accountId: string,
      read: Effect.Effect<CountedList, E, R>
    ) => Effect.Effect<ReadonlyArray<CountedSegment>, E | Unavailable, R>
    /** A page of the contacts in a segment, by page number. `definition` reads the segment's definition. */
    readonly contacts: <E, R>(
      accountId: string,
      segmentId: string,
      page: PageRequest,
      definition: Effect.Effect<SegmentDefinition, E, R>
    ) => Effect.Effect<Page<Contact>, E | Unavailable, R>
  }
>()("svc/audience/KeptLists") {
  static readonly layer = Layer.effect(
    KeptLists,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const store = yield* SegmentStore
  const lists = yield* Cache.make({
    capacity: maxLists,
    lookup: lookup as (key: string) => Effect.Effect<ReadonlyArray<CountedSegment>>
  })
  const pages = yield* Cache.make({
    capacity: maxPages,
    lookup: lookup as (key: string) => Effect.Effect<ReadonlyArray<string>>
  })
  const totals = yield* Cache.make({
    capacity: maxTotals,
    lookup: lookup as (key: string) => Effect.Effect<number>
  })

  /** The key of everything on which cached results of an account depend. */
  const keyOf = (accountId: string, marks: string, now: number): string =>
    `${accountId} ${Math.floor(now / dayMillis)} ${marks}`

  return KeptLists.of({
    segments: Effect.fnUntraced(function* (accountId, read) {
      const stateOf = Effect.zipWith(store.marks(accountId), Clock.currentTimeMillis, (marks, now) =>
        keyOf(accountId, marks, now)
      )
      const state = yield* stateOf
      const kept = yield* Cache.getOption(lists, state)
      if (Option.isSome(kept)) return kept.value
      const { definitions, segments } = yield* read
      // Marks never recur, so if they are still the same, everything that was read belongs to this state.
      if (
        definitions.every(isMarked) &&
        JSON.stringify(segments).length <= maxListText &&
        (yield* stateOf) === state
      )
        yield* Cache.set(lists, state, segments)
      return segments
    }),
    contacts: Effect.fnUntraced(function* (accountId, segmentId, page, definition) {
      const marks = yield* store.marks(accountId)
      const now = yield* Clock.currentTimeMillis
      const ofSegment = `${keyOf(accountId, marks, now)} ${segmentId}`
      const ofPage = `${ofSegment} ${page.page} ${page.pageSize}`
      const total = yield* Cache.getOption(totals, ofSegment)
      if (Option.isSome(total)) {
        const shownOf = (items: ReadonlyArray<Contact>): Page<Contact> => {
          const isLast = offsetOf(page) + items.length >= total.value
          const found = { totalCount: total.value, totalIsExact: true }
          return { ...pageOf(page, items, placeOf, found), next: isLast ? null : placeOf(items.at(-1)!) }
        }
        if (offsetOf(page) >= total.value) return shownOf([])
        const ids = yield* Cache.getOption(pages, ofPage)
        if (Option.isSome(ids)) {
          const shown = yield* store.shown(accountId, ids.value)
          if (shown.marks === marks) return shownOf(shown.contacts)
        }
      }
      const rules = yield* definition
      const found = yield* store.contacts(accountId, rules, page, now)
      if (found.marks === marks && isMarked(rules)) {
        yield* Cache.set(totals, ofSegment, found.totalCount)
        yield* Cache.set(
          pages,
          ofPage,
          found.items.map(({ id }) => id)
        )
      }
      return found
    })
  })
})
