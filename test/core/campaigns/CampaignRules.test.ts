import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "@effect/vitest"
import {
  approvalOf,
  audienceOf,
  baselineOf,
  campaignDivision,
  type CampaignAction,
  type CampaignCounts,
  countsOf,
  decideAction,
  heldRecipient,
  isApprovalMissing,
  isChangeUnapproved,
  isEditable,
  isHeldOut,
  isSent,
  isUnsubscribedByMany,
  maxUntried,
  mayLeave,
  mayPartSend,
  namesOfEmail,
  namesOfRecipient,
  pauseReasonOf,
  queueState,
  shownApproval,
  slotOf,
  untriedHeld
} from "../../../core/campaigns/CampaignRules.ts"
import {
  dueAt,
  dueByZone,
  paceRoom,
  repaced,
  scheduleProblem,
  startOf
} from "../../../core/campaigns/CampaignSchedules.ts"
import { chanceOf, variantBounds, variantOf, winnerOf } from "../../../core/campaigns/VariantRules.ts"
import { defaultSettings } from "../../../core/model/Account.ts"
import {
  cappedUntil,
  isInHoldout,
  quietUntil,
  windowAt,
  zoneOf
} from "../../../core/sending/gate/MarketingRules.ts"
import { timestampOfLocal, parseLocalTime } from "../../../core/kernel/TimeOfDay.ts"
import {
  type ApprovalState,
  approvalStates,
  type CampaignBaseline,
  campaignStatuses,
  emptyBaseline,
  recipientReasons,
  recipientStates
} from "../../../core/model/Campaign.ts"
import { deliveryStatuses } from "../../../core/model/DeliveryStatus.ts"

const actions: ReadonlyArray<CampaignAction> = ["launch", "unschedule", "pause", "resume", "cancel"]
const sha256Hex = (text: string) => createHash("sha256").update(text).digest("hex")

/** The counts of recipients and emails. */
const counted = (names: ReadonlyArray<string>) =>
  countsOf(new Map([...Map.groupBy(names, (name) => name)].map(([name, group]) => [name, group.length])))

describe("the transitions of a campaign", () => {
  it("are those of the table, and repeat without effect", () => {
    const found = campaignStatuses.flatMap((status) =>
      actions.map((action) => [status, action, decideAction(action, status, 0)].join(" "))
    )
    expect(found.filter((line) => !line.endsWith("Conflict"))).toEqual([
      "Draft launch Make",
      "Draft unschedule Holds",
      "Scheduled launch Holds",
      "Scheduled unschedule Make",
      "Scheduled cancel Make",
      "Sending launch Holds",
      "Sending pause Make",
      "Sending resume Holds",
      "Sending cancel Make",
      "Paused pause Holds",
      "Paused resume Make",
      "Paused cancel Make",
      "Cancelled cancel Holds"
    ])
    expect(decideAction("cancel", "Sent", 1)).toBe("Make")
  })

  it("let emails leave only while it is sending or sent", () => {
    expect(campaignStatuses.filter(mayLeave)).toEqual(["Sending", "Sent"])
  })

  it("allow edits of a draft, of the content of a paused one, and of names always", () => {
    expect(isEditable("Draft", "audience")).toBe(true)
    expect(isEditable("Paused", "content")).toBe(true)
    expect(isEditable("Paused", "audience")).toBe(false)
    for (const status of campaignStatuses) expect(isEditable(status, "name")).toBe(true)
    expect(isEditable("Sending", "content")).toBe(false)
  })
})

const recipient = fc.record({
  state: fc.constantFrom(...recipientStates),
  reason: fc.constantFrom(...recipientReasons)
})
const email = fc.record({
  status: fc.constantFrom(...deliveryStatuses),
  reason: fc.constantFrom(null, "sending.mailbox_full"),
  attempts: fc.nat(2),
  complainedAt: fc.constantFrom(null, 1),
  unsubscribedAt: fc.constantFrom(null, 1),
  topicOffAt: fc.constantFrom(null, 1)
})

const { campaignLimits } = defaultSettings
const reasonFor = (counts: CampaignCounts, before: CampaignBaseline) =>
  pauseReasonOf(counts, before, campaignLimits)

describe("the counts of a campaign", () => {
  it("add up to the audience, whatever the states", () => {
    fc.assert(
      fc.property(fc.array(recipient), fc.array(email), (people, emails) => {
        const counts = counted([
          ...people.flatMap(({ reason, state }) => namesOfRecipient(state, reason)),
          ...emails.flatMap(namesOfEmail)
        ])
        expect(audienceOf(counts)).toBe(people.length)
        const skipped = Object.values(counts.skippedBy).reduce((sum, count) => sum + count, 0)
        expect(skipped).toBe(counts.recipients.Skipped)
        expect(Object.values(counts.emails).reduce((sum, count) => sum + count, 0)).toBe(emails.length)
        const isOver = isSent({ isComplete: true }, counts)
        const isWaiting = people.some(({ state }) => state === "Pending")
        const isUntried = emails.some(
          ({ attempts, status }) =>
            attempts === 0 && ["Queued", "HandingOff", "PendingReview"].includes(status)
        )
        expect(isOver).toBe(!isWaiting && !isUntried)
        expect(isSent({ isComplete: false }, counts)).toBe(false)
      })
    )
  })

  it("pause it at 20 bounces of 5 percent, counted from the last resume", () => {
    const emails = (bounced: number, delivered: number) =>
      counted([
        ...Array.from({ length: bounced }, () => "d:Bounced"),
        ...Array.from({ length: delivered }, () => "d:Delivered")
      ])
    expect(reasonFor(emails(19, 0), emptyBaseline)).toBeNull()
    expect(reasonFor(emails(20, 380), emptyBaseline)).toBe("campaigns.bounces")
    expect(reasonFor(emails(20, 381), emptyBaseline)).toBeNull()
    const before = baselineOf(emails(20, 380))
    expect(reasonFor(emails(39, 380), before)).toBeNull()
    expect(reasonFor(emails(40, 380), before)).toBe("campaigns.bounces")
    const failed = counted(
      Array.from({ length: 20 }, () => namesOfRecipient("Skipped", "campaigns.render_failed")).flat()
    )
    expect(reasonFor(failed, emptyBaseline)).toBe("campaigns.render_failures")
  })
})

it("emails that wait for another attempt do not count as held before their first", () => {
  const namesOf = (reason: string | null, attempts: number) =>
    namesOfEmail({
      status: "Queued",
      reason,
      attempts,
      complainedAt: null,
      unsubscribedAt: null,
      topicOffAt: null
    })
  const emails = [
    namesOf(null, 0),
    namesOf("sending.provider_held", 0),
    namesOf("sending.provider_held", 1),
    namesOf("sending.retrying", 1),
    namesOf("sending.retrying", 2)
  ].flat()
  const counts = countsOf(
    new Map([...Map.groupBy(emails, (name) => name)].map(([name, all]) => [name, all.length]))
  )
  expect([counts.untried, untriedHeld(counts)]).toEqual([2, 1])
})

describe("complaints about a campaign", () => {
  const complained = (complaints: number, delivered: number) =>
    counted([
      ...Array.from({ length: complaints }, () => "d:complained"),
      ...Array.from({ length: delivered }, () => "d:Delivered")
    ])

  it("pause it at five and 0.3 % of delivered, unless the account has no limit", () => {
    expect(reasonFor(complained(4, 5), emptyBaseline)).toBeNull()
    expect(reasonFor(complained(5, 1_666), emptyBaseline)).toBe("campaigns.complaints")
    expect(reasonFor(complained(5, 1_667), emptyBaseline)).toBeNull()
    const none = { ...campaignLimits, complaintPercent: null }
    expect(pauseReasonOf(complained(50, 60), emptyBaseline, none)).toBeNull()
    expect(reasonFor(complained(50, 60), baselineOf(complained(50, 60)))).toBeNull()
  })
})

describe("unsubscribes by a campaign", () => {
  const unsubscribed = (people: number, delivered: number) =>
    counted([
      ...Array.from({ length: people }, () => "d:unsubscribed"),
      ...Array.from({ length: delivered }, () => "d:Delivered")
    ])

  it("are many from 2 % of 1,000 or more delivered on, pause nothing, and are reported once", () => {
    expect(isUnsubscribedByMany(unsubscribed(500, 999))).toBe(false)
    expect(isUnsubscribedByMany(unsubscribed(19, 1_000))).toBe(false)
    expect(isUnsubscribedByMany(unsubscribed(20, 1_000))).toBe(true)
    expect(isUnsubscribedByMany(unsubscribed(20, 1_001))).toBe(false)
    const many = unsubscribed(900, 1_000)
    expect(reasonFor(many, emptyBaseline)).toBeNull()
    const reported = { ...emptyBaseline, isUnsubscribingReported: true }
    expect(baselineOf(many, reported).isUnsubscribingReported).toBe(true)
    expect(baselineOf(many, emptyBaseline).isUnsubscribingReported).toBeUndefined()
  })
})

describe("a test of variants", () => {
  const variants = (["a", "b", "c"] as const).map((id) => ({ id }))

  it("divides people by chance alone, each always into the same part", () => {
    const people = Array.from({ length: 100_000 }, (_, index) =>
      slotOf(sha256Hex, "campaign test", `${index}`)
    )
    const parts = people.map((slot) => variantOf(variantBounds({ share: 60, variants }), slot))
    const sizes = ["a", "b", "c", null].map((part) => parts.filter((one) => one === part).length)
    const expected = [20_000, 20_000, 20_000, 40_000]
    const chi = sizes.reduce((sum, size, index) => sum + (size - expected[index]!) ** 2 / expected[index]!, 0)
    // With three degrees of freedom, 0.1 % of fair divisions exceed this value.
    expect(chi).toBeLessThan(16.27)
    expect(people.map((slot) => variantOf(variantBounds({ share: 100, variants }), slot))).not.toContain(null)
  })

  it("is won by the best variant only where chance seldom makes the difference", () => {
    const of = (variant: "a" | "b", delivered: number, reached: number) => ({ variant, delivered, reached })
    expect(winnerOf([of("a", 1_000, 100), of("b", 1_000, 150)], 0.95)).toBe("b")
    expect(winnerOf([of("a", 1_000, 100), of("b", 1_000, 110)], 0.95)).toBeNull()
    expect(winnerOf([of("a", 0, 0), of("b", 0, 0)], 0.8)).toBeNull()
    // z = 1.96 for a two-sided 5 %.
    expect(chanceOf(of("a", 10_000, 1_000), of("b", 10_000, 1_085))).toBeCloseTo(0.0499, 2)
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), fc.nat(500), fc.nat(500), (one, two, lost, missed) => {
        const [a, b] = [of("a", one + lost, one), of("b", two + missed, two)]
        const chance = chanceOf(a, b)
        expect(chance).toBeGreaterThanOrEqual(0)
        expect(chance).toBeLessThanOrEqual(1)
        expect(chance).toBeCloseTo(chanceOf(b, a), 12)
        expect(winnerOf([a, b], 0.95)).toBe(winnerOf([b, a], 0.95))
      })
    )
  })
})

describe("a pace", () => {
  it("never allows more in any unit of time than it says, however often it is asked and whatever is sent of it", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 100_000 })),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 30_000 }), fc.double({ min: 0, max: 1, noNaN: true })), {
          maxLength: 50
        }),
        (emails, asked) => {
          const pace = { emails, per: "Minute" as const }
          const batches: Array<readonly [at: number, count: number]> = []
          let now = 1_000_000
          let pacedAt: number | null = null
          for (const [pause, unused] of asked) {
            const { after, room } = paceRoom(pace, pacedAt, now)
            // A slower previous pace delays the next emails no longer than this pace does.
            const next = repaced(pace, now + 86_400_000, now)!
            expect(paceRoom(pace, next, next).room).toBeGreaterThan(0)
            expect(next - now).toBeLessThanOrEqual(Math.ceil(61_000 / emails))
            expect(repaced(pace, now - 1, now)).toBe(now - 1)
            const sent = Math.ceil(room * (1 - unused))
            batches.push([now, sent])
            pacedAt = after(sent)
            now += pause
          }
          for (const [from] of batches) {
            const within = batches.filter(([at]) => at >= from && at < from + 60_000)
            expect(within.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(emails)
          }
        }
      )
    )
  })

  it("is almost reached where it is asked often enough", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 100, max: 900 }),
        (emails, pause) => {
          const pace = { emails, per: "Minute" as const }
          const end = 600_000
          let [sent, pacedAt] = [0, null as number | null]
          for (let now = 0; now < end; now += pause) {
            const { after, room } = paceRoom(pace, pacedAt, now)
            sent += room
            pacedAt = after(room)
          }
          // Emails that are more than a second apart are delayed by the interval between calls.
          const apart = 61_000 / emails + (emails > 60 ? 0 : pause)
          expect(sent).toBeGreaterThanOrEqual(Math.floor((0.98 * end) / apart))
        }
      )
    )
  })
})

describe("the division of a campaign among workers", () => {
  const anyDue = fc.array(fc.record({ dueAt: fc.nat(3) }), { minLength: 1 })
  const sorted = anyDue.map((due) => due.toSorted((one, other) => one.dueAt - other.dueAt))
  const free = { pace: null, unreviewed: 0, isOrdered: false }

  it("is none at a pace, which all would count, or before its first emails are reviewed", () => {
    fc.assert(
      fc.property(sorted, fc.boolean(), (due, isOrdered) => {
        const pace = { emails: 1_000_000, per: "Minute" as const }
        for (const held of [{ pace }, { unreviewed: 1 }]) {
          const rules = { ...free, isOrdered, ...held }
          expect(campaignDivision(rules, due)).toBeNull()
          expect(mayPartSend(rules, 0)).toBe(false)
        }
      })
    )
  })

  it("keeps an order: parts have those of one time, while no one is due before", () => {
    fc.assert(
      fc.property(sorted, (due) => {
        expect(campaignDivision(free, due)).toEqual({})
        const rules = { ...free, isOrdered: true }
        const division = campaignDivision(rules, due)
        const times = new Set(due.map((one) => one.dueAt))
        expect(division).toEqual(times.size === 1 ? { dueUntil: due[0]!.dueAt } : null)
        if (division !== null) expect(mayPartSend(rules, division.dueUntil)).toBe(true)
        // It was divided before an order existed.
        expect(mayPartSend(rules, undefined)).toBe(false)
      })
    )
  })
})

describe("frequency caps", () => {
  const day = 86_400_000
  const caps = fc.array(
    fc.record({ emails: fc.integer({ min: 1, max: 20 }), days: fc.integer({ min: 1, max: 31 }) }),
    { maxLength: 3 }
  )

  it("are never exceeded in any span of their days, and hold no longer than they must", () => {
    fc.assert(
      fc.property(
        caps,
        fc.array(fc.integer({ min: 0, max: 5 * day }), { maxLength: 60 }),
        (limits, pauses) => {
          const sent: Array<number> = []
          let now = 0
          for (const pause of pauses) {
            now += pause
            const until = cappedUntil(limits, sent, now)
            if (until === null) sent.push(now)
            else {
              expect(until).toBeGreaterThan(now)
              expect(cappedUntil(limits, sent, until)).toBeNull()
              expect(cappedUntil(limits, sent, until - 1)).not.toBeNull()
            }
          }
          for (const { days, emails } of limits) {
            for (const at of sent) {
              const within = sent.filter((other) => other > at - days * day && other <= at).length
              expect(within).toBeLessThanOrEqual(emails)
            }
          }
        }
      )
    )
  })
})

describe("quiet hours and windows", () => {
  const zone = fc.constantFrom("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe")
  const time = fc
    .tuple(fc.nat(23), fc.nat(59))
    .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"))
  const hours = fc.tuple(time, time).filter(([from, to]) => from !== to)
  const at = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })

  it("end where quiet hours end, by the clocks of the zone", () => {
    fc.assert(
      fc.property(zone, hours, at, (name, [from, to], now) => {
        const until = quietUntil({ from, to }, name, now)
        if (until === null) return
        expect(until).toBeGreaterThan(now)
        expect(quietUntil({ from, to }, name, until)).toBeNull()
      })
    )
  })

  it("open on a day of the window alone", () => {
    const days = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 })
    fc.assert(
      fc.property(zone, hours, days, at, (name, [from, to], chosen, now) => {
        const window = { from, to, days: chosen }
        const opens = windowAt(window, name, now)
        if (opens === null) return
        expect(opens).toBeGreaterThan(now)
        expect(windowAt(window, name, opens)).toBeNull()
      })
    )
    const monday = { from: "09:00", to: "17:00", days: [1] }
    const sunday = Date.UTC(2026, 5, 7, 12)
    expect(new Date(windowAt(monday, "UTC", sunday)!).toISOString()).toBe("2026-06-08T09:00:00.000Z")
  })
})

describe("the group that gets no marketing", () => {
  it("is of about its percentage, and grows by adding people", () => {
    const people = Array.from({ length: 20_000 }, (_, index) => sha256Hex(`${index}`))
    const of = (percent: number) => people.filter((hash) => isInHoldout(hash, percent))
    expect(of(0)).toEqual([])
    expect(Math.abs(of(10).length - 2_000)).toBeLessThan(200)
    const larger = new Set(of(20))
    expect(of(10).every((hash) => larger.has(hash))).toBe(true)
  })
})

describe("the time zone of a person", () => {
  it("is that of the attribute, else of the country, else of the account", () => {
    const settings = { timeZone: "Asia/Tokyo", timeZoneAttribute: "zone" }
    const zone = (countryCode: string | null, attributes: Record<string, string>) =>
      zoneOf({ countryCode, attributes }, settings)
    expect(zone("AT", { zone: "Europe/Lisbon" })).toBe("Europe/Lisbon")
    expect(zone("AT", { zone: "nowhere" })).toBe("Europe/Vienna")
    expect(zone("US", {})).toBe("Asia/Tokyo")
    expect(zone(null, {})).toBe("Asia/Tokyo")
  })
})

describe("the holdout of a campaign", () => {
  it("is of the size that was asked for, the same at each call, and grows by adding people", () => {
    const people = Array.from({ length: 20_000 }, (_, index) => `contact ${index}`)
    const slots = people.map((id) => slotOf(sha256Hex, "campaign", id))
    expect(people.map((id) => slotOf(sha256Hex, "campaign", id))).toEqual(slots)
    const size = (percent: number) => slots.filter((slot) => isHeldOut(slot, percent)).length
    expect(size(0)).toBe(0)
    // Within six standard deviations.
    expect(Math.abs(size(10) - 2_000)).toBeLessThan(260)
    for (const slot of slots) if (isHeldOut(slot, 10)) expect(isHeldOut(slot, 11)).toBe(true)
  })
})

const zones = Intl.supportedValuesOf("timeZone")
const countries = ["AT", "JP", "NZ", "GB", "US", "XX", null]

describe("the schedule of a campaign", () => {
  it("is never early for anyone, and starts before the first zone", () => {
    const local = fc.date({ min: new Date("2026-01-01"), max: new Date("2026-12-31"), noInvalidDate: true })
    fc.assert(
      fc.property(local, fc.constantFrom(...countries), (date, countryCode) => {
        const localTime = date.toISOString().slice(0, 16)
        const schedule = { localTime, late: "SendNow" as const }
        const at = dueAt(schedule, { countryCode, attributes: {} }, defaultSettings, 0, 0)!
        const shown = new Date(at).toLocaleString("sv-SE", {
          timeZone: zoneOf({ countryCode, attributes: {} }, defaultSettings)
        })
        expect(shown.replace(" ", "T") >= localTime).toBe(true)
        expect(startOf(schedule, 0)).toBeLessThanOrEqual(at)
      })
    )
  })

  it("meets each local time in each zone, the first after a gap and the first of two", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.date({ min: new Date("2026-01-01"), max: new Date("2026-12-31"), noInvalidDate: true }),
        (zone, date) => {
          const localTime = date.toISOString().slice(0, 16)
          const at = timestampOfLocal(parseLocalTime(localTime)!, zone)
          const shown = (time: number) =>
            new Date(time).toLocaleString("sv-SE", { timeZone: zone }).replace(" ", "T")
          expect(shown(at) >= localTime).toBe(true)
          // One minute earlier, the clocks showed an earlier time, even where they were later turned back.
          expect(shown(at - 60_000) < localTime).toBe(true)
        }
      ),
      { numRuns: 300 }
    )
    const berlin = (time: string) =>
      new Date(timestampOfLocal(parseLocalTime(time)!, "Europe/Berlin")).toISOString()
    expect(berlin("2026-03-29T02:30")).toBe("2026-03-29T01:00:00.000Z")
    expect(berlin("2026-10-25T02:30")).toBe("2026-10-25T00:30:00.000Z")
  })

  it("skips those whose time has passed, where that is asked for", () => {
    const localTime = "2026-06-01T09:00"
    const noon = Date.UTC(2026, 5, 1, 12)
    expect(
      dueAt({ localTime, late: "Skip" }, { countryCode: "JP", attributes: {} }, defaultSettings, 0, noon)
    ).toBeNull()
    expect(
      dueAt({ localTime, late: "SendNow" }, { countryCode: "JP", attributes: {} }, defaultSettings, 0, noon)
    ).toBe(Date.UTC(2026, 5, 1, 0))
    // Only a pending recipient who waited for the local time when the time zone changed can be too late.
    const again = (countryCode: string, movedAt: number | null, late: "SendNow" | "Skip" = "Skip") =>
      dueByZone({ localTime, late }, { countryCode, attributes: {} }, defaultSettings, {
        dueAt: noon,
        movedAt
      })
    const [japan, lima] = [Date.UTC(2026, 5, 1, 0), Date.UTC(2026, 5, 1, 14)]
    expect(again("JP", noon)).toBeNull()
    expect(again("JP", null)).toBe(japan)
    expect(again("JP", noon, "SendNow")).toBe(japan)
    expect(again("JP", japan + 10 * 60_000)).toBe(japan)
    expect(again("JP", japan + 10 * 60_000 + 1)).toBeNull()
    expect(again("PE", noon)).toBe(lima)
    expect(
      dueByZone(null, { countryCode: "JP", attributes: {} }, defaultSettings, { dueAt: 5, movedAt: noon })
    ).toBe(5)
    expect(scheduleProblem({ at: noon - 1 }, noon)).toBe("campaigns.schedule_past")
    expect(scheduleProblem({ at: noon + 367 * 86_400_000 }, noon)).toBe("campaigns.schedule_invalid")
    expect(scheduleProblem({ localTime: "2026-05-30T09:00", late: "Skip" }, noon)).toBe(
      "campaigns.schedule_past"
    )
    expect(parseLocalTime("2026-02-30T09:00")).toBeNull()
  })
})

describe("the approval of a campaign", () => {
  const editor = { kind: "User", id: "ada", name: null } as const
  const of = (
    state: ApprovalState,
    digest: string | null,
    status: "Draft" | "Paused" | "Sent" = "Draft"
  ) => ({
    approval: { state, by: null, at: null, comment: null, digest, editor },
    createdBy: editor,
    updatedBy: null,
    status
  })
  const rule = (required: boolean, above: number) => ({
    settings: { ...defaultSettings, campaignApproval: { required, above } }
  })

  it("is missing unless it is of what is sent, for more people than the account allows without", () => {
    const digests = fc.option(fc.constantFrom("a", "b"))
    fc.assert(
      fc.property(
        fc.constantFrom(...approvalStates),
        digests,
        digests,
        fc.boolean(),
        fc.nat(3),
        fc.nat(3),
        (state, approved, sent, required, above, people) => {
          const isOfThis = state === "Approved" && approved !== null && approved === sent
          expect(isApprovalMissing(of(state, approved), rule(required, above), people, sent)).toBe(
            required && people > above && !isOfThis
          )
        }
      )
    )
  })

  it("is needed again to resume after a change, and not for what was launched without one", () => {
    const missing = (state: ApprovalState) => isChangeUnapproved(of(state, null, "Paused"), rule(true, 5), 6)
    expect(approvalStates.filter(missing)).toEqual(["Missing", "Requested", "Rejected"])
    expect(isChangeUnapproved({ ...of("Missing", null), approval: null }, rule(true, 5), 6)).toBe(false)
    expect(isChangeUnapproved(of("Missing", null), rule(true, 6), 6)).toBe(false)
    expect(isChangeUnapproved(of("Missing", null), rule(false, 0), Infinity)).toBe(false)
  })

  it("is that of its creator's draft while no one changed it, and shown where it is asked for", () => {
    expect(approvalOf({ ...of("Missing", null), approval: null })).toMatchObject({ state: "Missing", editor })
    expect(shownApproval(of("Requested", null), rule(true, 0))).toBe("Requested")
    expect(shownApproval(of("Requested", null), rule(false, 0))).toBe("NotNeeded")
    expect(shownApproval(of("Missing", null, "Sent"), rule(true, 0))).toBe("NotNeeded")
    expect(shownApproval(of("Approved", "a", "Sent"), rule(true, 0))).toBe("Approved")
  })
})

describe("the queue of a campaign", () => {
  const queues = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 9_000 }))

  it("is full by what can leave, and never by servers that take nothing until there is four times as much", () => {
    fc.assert(
      fc.property(queues, fc.subarray(["a", "b", "c"]), fc.boolean(), (queue, held, isBehind) => {
        const byDomain = new Map(Object.entries(queue))
        const untried = Object.values(queue).reduce((sum, count) => sum + count, 0)
        const { crowded, isFull } = queueState(untried, byDomain, (domain) => held.includes(domain), isBehind)
        const moving = [...byDomain].filter(([domain]) => !crowded.has(domain))
        const others = moving.reduce((sum, [, count]) => sum + count, 0)
        expect(isFull).toBe(others >= maxUntried || untried >= 4 * maxUntried)
        for (const domain of crowded) expect(isBehind || held.includes(domain)).toBe(true)
        // A single server at full speed fills the queue.
        if (!isBehind && held.length === 0) expect(isFull).toBe(untried >= maxUntried)
      })
    )
  })

  it("takes people back one after the other, and gives them up after 72 hours", () => {
    const hour = 3_600_000
    const held = { at: 2 * hour, reason: "sending.provider_held" as const }
    const of = (heldSince: number | null, now: number, slot = 0, wasDue = now, sendingSince = -100 * hour) =>
      heldRecipient(held, false, { heldSince, sendingSince, slot, waiting: 100_000, wasDue }, now)
    const first = { heldSince: null, sendingSince: 0, slot: 0, waiting: 0, wasDue: 0 }
    expect(heldRecipient(undefined, false, first, 0)).toBeNull()
    expect(of(null, hour)).toEqual({
      state: "Pending",
      reason: "sending.provider_held",
      heldSince: hour,
      dueAt: 2 * hour
    })
    expect(of(null, hour, 5_000)!.dueAt).toBe(2 * hour + 100_000)
    expect(of(-71 * hour, 0)!.dueAt).toBe(hour)
    expect(of(-72 * hour, 0)).toEqual({
      state: "Skipped",
      reason: "sending.held_too_long",
      heldSince: null
    })
    expect(heldRecipient(undefined, true, first, 0)!.dueAt).toBe(10_000)
    // Time in which the recipient waited for a pace or for a paused campaign does not count.
    expect(of(-80 * hour, 0, 0, -70 * hour)).toMatchObject({ state: "Pending", heldSince: -10 * hour })
    expect(of(-80 * hour, 0, 0, 0, -hour)).toMatchObject({ state: "Pending", heldSince: -hour })
  })
})
