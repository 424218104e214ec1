/**
 * Counts the contacts of segments, exactly, and keeps counts for as long as nothing they depend on has changed.
 *
 * A kept count is used at the marks of the audience and on the UTC day that it was counted for: definitions know dates to
 * the day, and the contact fields and topics they name are part of the definition. The marks say nothing of campaigns, so counts
 * of rules about them are not kept.
 *
 * @module
 */
import { Cache, Clock, Context, Effect, Layer, Option } from "effect"
import type { SegmentDefinition } from "../../model/SegmentDefinition.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { maxCounted, maxRulesCounted, type SegmentCount, SegmentStore } from "../../ports/SegmentStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { dayMillis } from "./DayRange.ts"

/** The most counts kept in a process. Those of earlier marks are never used again, and leave as the oldest. */
const maxKept = 20_000

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
  // `count` fills it, with several definitions at once; its own lookup is never used.
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
      for (const group of groupsOf([...missing])) {
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
      }
      return digests.map((digest) => counted.get(digest)!)
    })
  })
})

/** Whether the marks of the audience change with whom a definition selects: they say nothing of campaigns. */
export const isMarked = ({ rules }: SegmentDefinition): boolean =>
  rules.every(({ field }) => field._tag !== "Campaign" && field._tag !== "Campaigns")

/** Definitions in groups, in order, each small enough for one call of the port. */
const groupsOf = (
  wanted: ReadonlyArray<readonly [digest: string, definition: SegmentDefinition]>
): ReadonlyArray<typeof wanted> => {
  const groups: Array<Array<(typeof wanted)[number]>> = []
  let rules = 0
  for (const one of wanted) {
    const group = groups.at(-1)
    rules += one[1].rules.length
    if (group !== undefined && group.length < maxCounted && rules <= maxRulesCounted) group.push(one)
    else {
      groups.push([one])
      rules = one[1].rules.length
    }
  }
  return groups
}
