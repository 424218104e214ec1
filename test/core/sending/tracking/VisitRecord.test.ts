/**
 * Tests of counting the clicks on each link of a delivery.
 *
 * @module
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type DeliveryVisits,
  furtherLinks,
  maxCountedLinks,
  noVisits,
  trapLink,
  visitVerdicts
} from "../../../../core/model/Visit.ts"
import { makeMachines } from "../../../../core/sending/tracking/Machines.ts"
import { addVisits, type DeliveryVisitor } from "../../../../core/sending/tracking/VisitRecord.ts"

const machines = makeMachines()
const delivered = { deliveredAt: 0, links: null }

const visitor = (link: string | null, at: number, isProgram: boolean): DeliveryVisitor => ({
  at,
  kind: link === null ? "Open" : "Click",
  link,
  isSecure: true,
  opens: true,
  request: {
    method: "GET",
    userAgent: isProgram
      ? "curl/8.5.0"
      : "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
    address: "203.0.113.7",
    purposes: [],
    hasLanguage: true,
    hasFetchMode: true
  }
})

const record = (visitors: ReadonlyArray<DeliveryVisitor>): DeliveryVisits =>
  visitors.reduce(
    (before, one) => addVisits(before, [one], delivered, machines),
    noVisits("account", "delivery")
  )

describe("the clicks of links", () => {
  it("add up to the clicks of the kept visits of each link, whatever verdicts later ones change", () => {
    const visits = fc.array(
      fc.record({
        link: fc.constantFrom(null, "a", "b", "c", trapLink),
        at: fc.integer({ min: 0, max: 60_000 }),
        isProgram: fc.boolean()
      }),
      { maxLength: 12 }
    )
    fc.assert(
      fc.property(visits, (given) => {
        const after = record(given.map(({ at, isProgram, link }) => visitor(link, at, isProgram)))
        const named = after.visits.filter(({ kind, link }) => kind === "Click" && link !== trapLink)
        expect(Object.keys(after.links).toSorted()).toEqual(
          [...new Set(named.map(({ link }) => link!))].toSorted()
        )
        for (const [link, { clicks, firstAt, lastAt }] of Object.entries(after.links)) {
          const own = named.filter((one) => one.link === link)
          for (const verdict of visitVerdicts) {
            expect(clicks[verdict]).toBe(own.filter((one) => one.verdict === verdict).length)
          }
          const times = own.map(({ at }) => at)
          expect([firstAt, lastAt]).toEqual([Math.min(...times), Math.max(...times)])
        }
      })
    )
  })

  it("are counted by the name of a link where it has one, and judged by its URL", () => {
    const named = ["a", "b", "c"].map((link, index) => ({
      ...visitor(link, 60_000 + index, false),
      name: "n"
    }))
    const { links, visits } = record([...named, visitor("d", 70_000, false)])
    expect(Object.keys(links)).toEqual(["n", "d"])
    expect(links["n"]).toEqual({
      clicks: { Human: 0, Machine: 3, Unknown: 0 },
      firstAt: 60_000,
      lastAt: 60_002
    })
    expect(visits.filter(({ kind }) => kind === "Open").every(({ name }) => name === undefined)).toBe(true)
  })

  it("are counted together beyond 128 links", () => {
    const { links } = record(
      Array.from({ length: maxCountedLinks + 5 }, (_, index) => visitor(`l${index}`, index * 10_000, false))
    )
    expect(Object.keys(links)).toHaveLength(maxCountedLinks + 1)
    const { Human, Machine, Unknown } = links[furtherLinks]!.clicks
    expect(Human + Machine + Unknown).toBe(5)
  })
})
