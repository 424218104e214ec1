/**
 * Tests the rules for new users.
 *
 * @module
 */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { firstIdAt, isUuid, timeOfId } from "../../../core/shared/Uuid.ts"
import { undatedId } from "../../../core/users/UserRules.ts"

const time = fc.integer({ min: 0, max: 2 ** 47 })

it("an undated id has any time from the first to its own, and is as unique as before", () => {
  fc.assert(
    fc.property(
      time,
      time,
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (own, from, fraction) => {
        const id = `${firstIdAt(own).slice(0, 13)}-7abc-8def-0123456789ab`
        const undated = undatedId(id, from, fraction)
        expect(isUuid(undated)).toBe(true)
        expect(undated.slice(13)).toBe(id.slice(13))
        expect(timeOfId(undated)).toBeGreaterThanOrEqual(from)
        expect(timeOfId(undated)).toBeLessThanOrEqual(Math.max(from, own))
      }
    )
  )
  const half = undatedId(`${firstIdAt(1_000).slice(0, 13)}-7abc-8def-0123456789ab`, 0, 0.5)
  expect(timeOfId(half)).toBe(500)
})
