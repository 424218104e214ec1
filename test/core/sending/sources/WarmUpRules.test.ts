/**
 * Tests of how much a source may send during its warm-up, and of how the plan advances, whatever processes request and whatever
 * happens to the mail.
 *
 * @module
 */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { blankDay, type MailSource, type SourceDay, type WarmUp } from "../../../../core/model/Source.ts"
import {
  afterBlock,
  afterDay,
  afterRequest,
  bucketsOf,
  capOf,
  dayOf,
  daysOfWarmUp,
  groupOf,
  isCounted,
  limitsOf,
  minuteOf,
  warmUpDays,
  warmUpFrom,
  warmUpGroups
} from "../../../../core/sending/sources/WarmUpRules.ts"
import { WarmUpShares } from "../../../../core/sending/sources/WarmUpShares.ts"

const dayMillis = 86_400_000
const hourMillis = 3_600_000
const minuteMillis = 60_000
const start = Date.UTC(2031, 3, 6)
const key = { sourceId: "source", day: dayOf(start), bucket: "google" }

/** What a process requests in a minute, and whether it uses it or returns it. */
interface Step {
  readonly at: number
  readonly wanted: number
  readonly isUsed: boolean
}

const anySteps = fc
  .array(
    fc.record({
      at: fc.integer({ min: 0, max: dayMillis - 1 }),
      wanted: fc.integer({ min: 0, max: 3_000 }),
      isUsed: fc.boolean()
    }),
    { maxLength: 60 }
  )
  .map((steps): ReadonlyArray<Step> => steps.toSorted((one, other) => one.at - other.at))

const within = (shares: ReadonlyMap<number, number>, most: number) =>
  [...shares.values()].every((count) => count <= most)

it("a campaign takes no longer than the shares of the plan's days need, and no less", () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3_000_000 }),
      fc.array(fc.integer({ min: 1, max: warmUpDays }), { maxLength: 3 }),
      (count, days) => {
        const passed = daysOfWarmUp(count, days)
        /** How many messages can be sent in the first days. After the end of the plan there is no limit. */
        const sentIn = (first: number) =>
          days.reduce((sum, day) => {
            for (let on = day; on < day + first; on++) sum += on > warmUpDays ? Infinity : capOf(on)
            return sum
          }, 0)
        if (days.length === 0) expect(passed).toBe(0)
        else {
          expect(sentIn(passed)).toBeLessThan(count)
          expect(sentIn(passed + 1)).toBeGreaterThanOrEqual(count)
        }
      }
    )
  ))

it("processes together take no more than a day, an hour and a minute have, whatever they give back", () =>
  fc.assert(
    fc.property(anySteps, fc.integer({ min: 1, max: warmUpDays }), (steps, day) => {
      const limits = limitsOf(capOf(day))
      let row: SourceDay = blankDay(key)
      let total = 0
      const hours = new Map<number, number>()
      const minutes = new Map<number, number>()
      let unused: { readonly minute: number; readonly count: number } | null = null
      for (const { at, isUsed, wanted } of steps) {
        const now = start + at
        // A share is returned once its minute has ended.
        const back: typeof unused = unused !== null && unused.minute < minuteOf(now) ? unused : null
        const given = afterRequest(row, { limits, wanted, unused: back, beyond: 0, counts: {} }, now)
        if (back !== null) unused = null
        row = given.row
        const slice = Math.max(wanted, Math.ceil(limits.minute / 10))
        expect(given.granted).toBeLessThanOrEqual(wanted === 0 ? 0 : slice)
        if (wanted > 0 && given.granted < wanted) expect(given.nextAt).toBeGreaterThan(now)
        if (isUsed || unused !== null) {
          total += given.granted
          const hour = Math.floor(now / hourMillis)
          hours.set(hour, (hours.get(hour) ?? 0) + given.granted)
          minutes.set(minuteOf(now), (minutes.get(minuteOf(now)) ?? 0) + given.granted)
        } else unused = { minute: minuteOf(now), count: given.granted }
        expect(row.taken).toBe(total + (unused?.count ?? 0))
      }
      expect(total).toBeLessThanOrEqual(limits.day)
      expect(within(hours, limits.hour)).toBe(true)
      expect(within(minutes, limits.minute)).toBe(true)
    })
  ))

it("a day's messages are all taken where there are enough, spread over its hours and minutes", () => {
  for (const day of [1, 5, 20]) {
    const limits = limitsOf(capOf(day))
    expect(limits.hour).toBeLessThanOrEqual(capOf(day) / 12)
    let row = blankDay(key)
    let hoursUsed = 0
    for (let hour = 0; hour < 24; hour++) {
      const before = row.taken
      for (let minute = 0; minute < 60; minute++) {
        const now = start + hour * hourMillis + minute * minuteMillis
        row = afterRequest(row, { limits, wanted: 1e9, unused: null, beyond: 0, counts: {} }, now).row
      }
      if (row.taken > before) hoursUsed++
    }
    expect(row.taken).toBe(capOf(day))
    expect(hoursUsed).toBeGreaterThanOrEqual(12)
  }
})

it("what is sent beyond a share counts, and leaves none to others", () => {
  const limits = limitsOf(50)
  const first = afterRequest(
    blankDay(key),
    { limits, wanted: 0, unused: null, beyond: 60, counts: { sent: 60, bounced: 1 } },
    start
  )
  expect(first.row).toMatchObject({ taken: 60, sent: 60, bounced: 1, policy: 0 })
  const next = afterRequest(
    first.row,
    { limits, wanted: 5, unused: null, beyond: 0, counts: {} },
    start + hourMillis
  )
  expect([next.granted, next.nextAt]).toEqual([0, start + dayMillis])
})

it("one site of no group's provider gets a quarter of the group at most", () => {
  expect(warmUpGroups).toEqual(["google", "microsoft", "yahoo", "apple", "other"])
  expect([groupOf("outlook"), groupOf("office365@192.0.2.1"), groupOf("mimecast:192.0.2.7")]).toEqual([
    "microsoft",
    "microsoft",
    "other"
  ])
  expect(bucketsOf("google@192.0.2.1", 9).map(({ bucket, limits }) => [bucket, limits.day])).toEqual([
    ["google", 3_000]
  ])
  expect(bucketsOf("ip:192.0.2.7@192.0.2.1", 9).map(({ bucket, limits }) => [bucket, limits.day])).toEqual([
    ["other", 3_000],
    ["ip:192.0.2.7", 750]
  ])
})

const dayWith = (values: Partial<SourceDay>): SourceDay => ({ ...blankDay(key), ...values })
const tomorrow = start + dayMillis

it("a day counts once a quarter of it was sent to a group and was taken well; else it is repeated", () => {
  const warmUp = warmUpFrom(10, start)
  const well = { sent: 1_000, policy: 9, deferred: 49, bounced: 19, complained: 0 }
  const next = (values: Partial<SourceDay>) =>
    afterDay(warmUp, [dayWith({ ...well, ...values })], tomorrow)?.day
  expect(next({})).toBe(11)
  expect(next({ sent: 999, policy: 0 })).toBe(10)
  expect(next({ policy: 10 })).toBe(10)
  expect(next({ deferred: 50 })).toBe(10)
  expect(next({ bounced: 20 })).toBe(10)
  expect(next({ complained: 1 })).toBe(10)
  expect(next({ day: dayOf(tomorrow) })).toBe(10)
  expect(afterDay(warmUp, [dayWith(well)], start + hourMillis)).toBe(warmUp)
  expect(afterDay({ ...warmUp, day: warmUpDays }, [dayWith({ sent: 390_000 })], tomorrow)).toBeNull()
})

it("a block moves the plan three days back, once a day, and its day does not count", () => {
  const blocked = afterBlock(warmUpFrom(12, start), start + hourMillis)
  expect(blocked.day).toBe(9)
  expect(afterBlock(blocked, start + 2 * hourMillis)).toBe(blocked)
  expect(isCounted(blocked, [dayWith({ sent: 50_000 })])).toBe(false)
  expect(afterBlock(warmUpFrom(2, start), start).day).toBe(1)
  expect(afterBlock(blocked, tomorrow).day).toBe(6)
})

it("a month with fewer than a hundred messages leaves a third of the plan", () => {
  const warmUp = warmUpFrom(20, start)
  const later = start + 30 * dayMillis
  const sent = (count: number) => [dayWith({ day: dayOf(start + 10 * dayMillis), sent: count })]
  expect(afterDay(warmUp, sent(99), later)).toMatchObject({ day: 6, movedBackAt: later })
  expect(afterDay(warmUp, sent(100), later)?.day).toBe(20)
  expect(afterDay(warmUp, [], later - dayMillis)?.day).toBe(20)
  const again = afterDay(warmUp, [], later)!
  expect(afterDay(again, [], later + dayMillis)?.day).toBe(6)
})

it("a plan stays within its days, and goes on by one of them at most, whatever happens", () =>
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          sent: fc.integer({ min: 0, max: 400_000 }),
          bounced: fc.integer({ min: 0, max: 50 }),
          isBlocked: fc.boolean()
        }),
        { maxLength: 80 }
      ),
      (days) => {
        let warmUp: WarmUp | null = warmUpFrom(1, start)
        const rows: Array<SourceDay> = []
        for (const [index, { bounced, isBlocked, sent }] of days.entries()) {
          const at: number = start + index * dayMillis
          const before: WarmUp = warmUp
          rows.push(dayWith({ day: dayOf(at), sent, bounced }))
          const blocked: WarmUp = isBlocked ? afterBlock(warmUp, at + hourMillis) : warmUp
          warmUp = afterDay(blocked, rows, at + dayMillis)
          if (warmUp === null) {
            expect(before.day).toBe(warmUpDays)
            break
          }
          expect(warmUp.day).toBeGreaterThanOrEqual(1)
          expect(warmUp.day).toBeLessThanOrEqual(isBlocked ? Math.max(1, before.day - 3) : before.day + 1)
          expect(warmUp.on).toBe(dayOf(at + dayMillis))
        }
      }
    )
  ))

it("a long backlog asks for a share in order for an hour, and the rest spread over the next", () => {
  const shares = new WarmUpShares()
  const hour = 3_600_000
  const now = 1_000 * 24 * hour
  const source: MailSource = {
    id: "source",
    address: "192.0.2.1",
    name: null,
    pool: "default",
    mode: "Active",
    isForced: false,
    reverse: null,
    warmUp: { ...warmUpFrom(15, now), day: 15 },
    createdAt: 0
  }
  const times = Array.from({ length: 10_000 }, () => shares.waitUntil(source, "google", now) - now)
  const first = times.filter((at) => at < hour)
  expect(first.length).toBeGreaterThan(1_000)
  expect(first).toEqual(first.toSorted((a, b) => a - b))
  const perMinute = Map.groupBy(
    times.filter((at) => at >= hour),
    (at) => Math.floor(at / 60_000)
  )
  expect(perMinute.size).toBe(60)
  const counts = [...perMinute.values()].map(({ length }) => length)
  expect(Math.max(...counts)).toBeLessThan(1.2 * Math.min(...counts))
})
