/**
 * Tests the order in which people get a campaign during the warm-up of its sources, and that everyone gets it.
 *
 * @module
 */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { placeOf } from "../../../core/campaigns/CampaignSchedules.ts"
import { firstDayOf } from "../../../core/sending/sources/SourceRules.ts"
import { engagedSince, warmUpDays, warmUpFrom } from "../../../core/sending/sources/WarmUpRules.ts"
import type { MailSource } from "../../../core/model/Source.ts"

const dayMillis = 86_400_000
const now = Date.UTC(2031, 3, 6, 12)

const anyTime = fc.option(fc.integer({ min: now - 100 * dayMillis, max: now }))
const anyPerson = fc.record({ lastOpenAt: anyTime, lastClickAt: anyTime })

const visitOf = ({ lastClickAt, lastOpenAt }: { lastClickAt: number | null; lastOpenAt: number | null }) =>
  Math.max(lastClickAt ?? -Infinity, lastOpenAt ?? -Infinity)

it("those who opened or clicked within the plan's days come before all others, and none is left out", () =>
  fc.assert(
    fc.property(fc.array(anyPerson), fc.integer({ min: 1, max: warmUpDays }), (people, day) => {
      const since = engagedSince(day, now)
      const due = people
        .map((person) => ({ person, at: now + placeOf(person, since) }))
        .toSorted((one, other) => one.at - other.at)
      expect(due).toHaveLength(people.length)
      expect(due.every(({ at }) => at - now <= 1)).toBe(true)
      const days = day <= 14 ? 30 : day <= 28 ? 60 : null
      const engaged = due.map(({ person }) => days === null || visitOf(person) >= now - days * dayMillis)
      expect(engaged.lastIndexOf(true)).toBeLessThan(
        engaged.indexOf(false) === -1 ? Infinity : engaged.indexOf(false)
      )
    })
  ))

const source = (pool: string, day: number | null, values: Partial<MailSource> = {}): MailSource => ({
  id: `${pool} ${day}`,
  address: "192.0.2.1",
  name: null,
  pool,
  mode: "Active",
  isForced: true,
  reverse: null,
  warmUp: day === null ? null : warmUpFrom(day, now),
  createdAt: now,
  ...values
})

it("the first day of the sources of a pool, and of those that overflow takes it to, decides", () => {
  const pools = [{ key: "bulk", name: "Bulk", overflow: "default" }]
  const known = (...sources: ReadonlyArray<MailSource>) => ({ pools, sources })
  expect(firstDayOf("bulk", known())).toBeNull()
  expect(firstDayOf("bulk", known(source("bulk", null)))).toBeNull()
  expect(firstDayOf("bulk", known(source("bulk", 9), source("bulk", 3), source("bulk", null)))).toBe(3)
  expect(firstDayOf("bulk", known(source("default", 5), source("other", 1)))).toBe(5)
  expect(firstDayOf("default", known(source("bulk", 5)))).toBeNull()
  expect(
    firstDayOf("bulk", known(source("bulk", 2, { mode: "Paused" }), source("bulk", 4, { isForced: false })))
  ).toBeNull()
})
