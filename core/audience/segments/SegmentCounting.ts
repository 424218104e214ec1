/**
 * Counts the contacts of segments, exactly, and caches counts until anything on which they depend changes.
 *
 * A cached count is used only for the same marks of the audience and on the same UTC day. This is sufficient because definitions
 * use dates only with the precision of days, and contain the contact fields and topics that they name. The marks do not cover
 * campaigns, so counts of rules about campaigns are not cached.
 *
 * @module
 */
import { Cache, Clock, Context, Effect, Layer, Option } from "effect"
import type { SegmentDefinition, SegmentRule } from "../../model/SegmentDefinition.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { type SegmentCount, SegmentStore } from "../../ports/SegmentStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { dayMillis } from "./DayRange.ts"

/** The most counts cached in a process. Counts of earlier marks are never used again, and are evicted as the oldest. */
const maxKept = 20_000

/**
 * The most rules tested by a call's first pass over the contacts, and by any pass; a single definition may have more. After a
 * pass faster than `brisk`, the next pass tests `growth` times as many rules. Few contacts are thus counted in few passes, while
 * each pass over many contacts ends in time, and its counts stay cached even if the call then times out.
 */
const rulesAtFirst = 60
const maxRules = 1_000
const growth = 4
/** The most events and campaigns that a pass reads in addition to the contacts; see `readBeside`. */
const maxRead = 30
/** The duration below which a pass counts as fast, milliseconds. */
const brisk = 1_000

/** Counts of segments. */
export class SegmentCounting extends Context.Service<
  SegmentCounting,
  {
    /** The counts of definitions now, in order. */
    readonly count: (
      accountId: string,
      definitions: ReadonlyArray<SegmentDefinition>
    ) => Effect.Effect<ReadonlyArray<SegmentCount>, Unavailable>
  }
>()("svc/audience/SegmentCounting") {
  static readonly layer = Layer.effect(
    SegmentCounting,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const crypto = yield* Crypto
  const store = yield* SegmentStore
  // `count` fills the cache, for several definitions at once; the cache's own lookup is never used.
  const kept = yield* Cache.make({
    capacity: maxKept,
    lookup: (key: string): Effect.Effect<SegmentCount> => Effect.die(new Error(`looked up ${key}`))
  })

  const keyOf = (accountId: string, marks: string, now: number, digest: string): string =>
    crypto.sha256Hex(`${accountId} ${marks} ${Math.floor(now / dayMillis)} ${digest}`)

  return SegmentCounting.of({
    count: Effect.fn("SegmentCounting.count")(function* (accountId, definitions) {
      const digests = definitions.map((definition) => crypto.sha256Hex(JSON.stringify(definition)))
      const marks = yield* store.marks(accountId)
      const now = yield* Clock.currentTimeMillis
      const counted = new Map<string, SegmentCount>()
      const missing = new Map<string, SegmentDefinition>()
      for (const [index, digest] of digests.entries()) {
        const count = yield* Cache.getOption(kept, keyOf(accountId, marks, now, digest))
        if (Option.isSome(count)) counted.set(digest, count.value)
        else missing.set(digest, definitions[index]!)
      }
      let rules = rulesAtFirst
      let began = now
      for (let left = [...missing]; left.length > 0;) {
        const group = left.slice(0, fitting(left, rules))
        left = left.slice(group.length)
        const state = yield* store.count(
          accountId,
          group.map(([, definition]) => definition),
          now
        )
        for (const [index, [digest]] of group.entries()) {
          const count = state.counts[index]!
          counted.set(digest, count)
          if (isMarked(group[index]![1]))
            yield* Cache.set(kept, keyOf(accountId, state.marks, now, digest), count)
        }
        const ended = yield* Clock.currentTimeMillis
        if (ended - began < brisk) rules = Math.min(rules * growth, maxRules)
        began = ended
      }
      return digests.map((digest) => counted.get(digest)!)
    })
  })
})

/** Whether the marks of the audience cover everything on which a definition depends. They do not cover campaigns. */
export const isMarked = ({ rules }: SegmentDefinition): boolean =>
  rules.every(({ field }) => field._tag !== "Campaign" && field._tag !== "Campaigns")

/** What a rule reads in addition to the contacts, for which a pass keeps data per contact; null for nothing. */
const readBeside = ({ field, test }: SegmentRule): string | null => {
  switch (field._tag) {
    case "Events":
      return `event ${field.name}`
    case "Campaign":
      return `campaign ${field.campaignId}`
    case "Campaigns":
      return `campaigns ${test.operator}`
    default:
      return null
  }
}

/** The number of definitions, at least one, that a pass can count when it tests at most the given number of rules. */
const fitting = (
  wanted: ReadonlyArray<readonly [digest: string, definition: SegmentDefinition]>,
  mostRules: number
): number => {
  let tested = 0
  const read = new Set<string | null>()
  const first = wanted.findIndex(([, { rules }]) => {
    tested += rules.length
    for (const rule of rules) read.add(readBeside(rule))
    return tested > mostRules || read.size > maxRead
  })
  return first === -1 ? wanted.length : Math.max(1, first)
}
