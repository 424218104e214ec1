/**
 * Tests of where a stream resumes, and of how several changes of one item are combined.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { coalesced, isBroken, parseEventId } from "../../../core/live/LiveRules.ts"
import type { LiveEntry } from "../../../core/model/LiveEntry.ts"

const entry = (number: number, itemId = "a", change: LiveEntry["change"] = "Updated"): LiveEntry => ({
  number,
  topic: "emails",
  change,
  itemId,
  body: null
})

const entries = fc
  .array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("Created", "Updated")), { maxLength: 20 })
  .map((drafts) =>
    drafts.map(([itemId, change], index) => entry(index + 1, itemId, change as LiveEntry["change"]))
  )

describe("a stream", () => {
  it("continues behind a number only where nothing behind it is missing", () => {
    const kept = [entry(5), entry(6), entry(7)]
    const read = (after: number) => ({
      entries: kept.filter(({ number }) => number > after),
      last: 7,
      floor: 2
    })
    expect([4, 5, 6, 7].map((after) => isBroken(after, read(after)))).toEqual([false, false, false, false])
    expect([-1, 0, 1, 2, 3, 8].map((after) => isBroken(after, read(after)))).toEqual(
      Array.from({ length: 6 }, () => true)
    )
    expect(isBroken(3, { entries: [], last: 4, floor: 1 })).toBe(true)
  })

  it("resumes behind a number alone", () => {
    expect(["0", "41", "123456789012345"].map(parseEventId)).toEqual([0, 41, 123_456_789_012_345])
    expect(["", "-1", "1.5", "x", "1e3", "9".repeat(16), "٣"].map(parseEventId)).toEqual(
      Array.from({ length: 7 }, () => -1)
    )
  })

  it("shows the latest change of each item, in order, and what was made meanwhile as made", () => {
    fc.assert(
      fc.property(entries, (given) => {
        const shown = coalesced(given)
        const numbers = shown.map(({ number }) => number)
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
        for (const itemId of ["a", "b", "c"]) {
          const changes = given.filter((one) => one.itemId === itemId)
          const own = shown.filter((one) => one.itemId === itemId)
          expect(own.map(({ number }) => number)).toEqual(changes.slice(-1).map(({ number }) => number))
          const isMade = changes.some(({ change }) => change === "Created")
          if (own.length > 0) expect(own[0]!.change).toBe(isMade ? "Created" : "Updated")
        }
      })
    )
  })
})
