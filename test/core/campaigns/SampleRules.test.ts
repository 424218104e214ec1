import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sampleOf, sampleSize } from "../../../core/campaigns/SampleRules.ts"
import { newContact } from "../../../core/model/Contact.ts"

describe("the people for whom a check renders a campaign", () => {
  it("are half those with the fewest fields and half those of the lowest slots, whatever the order", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9_999), fc.boolean()), { maxLength: 80 }), (given) => {
        const people = given.map(([, isRich], index) => ({
          ...newContact(String(index), "", 0),
          ...(isRich && { firstName: "Ada", city: "London" })
        }))
        const slotOf = ({ id }: { readonly id: string }) => given[Number(id)]![0]
        const sample = sampleOf(people, slotOf)
        expect(new Set(sample).size).toBe(Math.min(sampleSize, people.length))
        const poor = people.filter(({ firstName }) => firstName === null)
        const isPoor = ({ firstName }: (typeof people)[number]) => firstName === null
        expect(sample.filter(isPoor).length).toBeGreaterThanOrEqual(Math.min(sampleSize / 2, poor.length))
        const slots = (of: ReadonlyArray<(typeof people)[number]>) => of.map(slotOf).toSorted((a, b) => a - b)
        const poorest = Math.min(sampleSize / 2, poor.length)
        expect(slots(sample.filter(isPoor)).slice(0, poorest)).toEqual(slots(poor).slice(0, poorest))
        expect(slots(sampleOf(people.toReversed(), slotOf))).toEqual(slots(sample))
      })
    )
  })
})
