import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "@effect/vitest"
import {
  audienceOf,
  baselineOf,
  type CampaignAction,
  countsOf,
  decideAction,
  isEditable,
  isHeldOut,
  isSent,
  mayLeave,
  namesOfEmail,
  namesOfRecipient,
  pauseReasonOf,
  slotOf
} from "../../../core/campaigns/CampaignRules.ts"
import { dueAt, scheduleProblem, startOf, zoneOf } from "../../../core/campaigns/CampaignSchedules.ts"
import { timestampOfLocal, parseLocalTime } from "../../../core/kernel/TimeOfDay.ts"
import {
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
  openedAt: fc.constantFrom(null, 1),
  clickedAt: fc.constantFrom(null, 1)
})

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
    expect(pauseReasonOf(emails(19, 0), emptyBaseline)).toBeNull()
    expect(pauseReasonOf(emails(20, 380), emptyBaseline)).toBe("campaigns.bounces")
    expect(pauseReasonOf(emails(20, 381), emptyBaseline)).toBeNull()
    const before = baselineOf(emails(20, 380))
    expect(pauseReasonOf(emails(39, 380), before)).toBeNull()
    expect(pauseReasonOf(emails(40, 380), before)).toBe("campaigns.bounces")
    const failed = counted(
      Array.from({ length: 20 }, () => namesOfRecipient("Skipped", "campaigns.render_failed")).flat()
    )
    expect(pauseReasonOf(failed, emptyBaseline)).toBe("campaigns.render_failures")
  })
})

describe("the holdout of a campaign", () => {
  it("is of the size that was asked for, the same at each call, and grows by adding people", () => {
    const people = Array.from({ length: 20_000 }, (_, index) => `contact ${index}`)
    const slots = people.map((id) => slotOf(sha256Hex, "campaign", id))
    expect(people.map((id) => slotOf(sha256Hex, "campaign", id))).toEqual(slots)
    const size = (percent: number) => slots.filter((slot) => isHeldOut(slot, percent)).length
    expect(size(0)).toBe(0)
    // Six standard deviations.
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
        const at = dueAt(schedule, { countryCode }, 0, 0)!
        const shown = new Date(at).toLocaleString("sv-SE", { timeZone: zoneOf({ countryCode }) })
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
          // A minute before, the clocks showed less, also where they were turned back later.
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
    expect(dueAt({ localTime, late: "Skip" }, { countryCode: "JP" }, 0, noon)).toBeNull()
    expect(dueAt({ localTime, late: "SendNow" }, { countryCode: "JP" }, 0, noon)).toBe(
      Date.UTC(2026, 5, 1, 0)
    )
    expect(scheduleProblem({ at: noon - 1 }, noon)).toBe("campaigns.schedule_past")
    expect(scheduleProblem({ at: noon + 367 * 86_400_000 }, noon)).toBe("campaigns.schedule_invalid")
    expect(scheduleProblem({ localTime: "2026-05-30T09:00", late: "Skip" }, noon)).toBe(
      "campaigns.schedule_past"
    )
    expect(parseLocalTime("2026-02-30T09:00")).toBeNull()
  })
})
