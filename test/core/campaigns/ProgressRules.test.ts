/**
 * Tests of a campaign's progress, of what people wait for, and of the additional orders of its recipients.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { countsOf, phaseOf } from "../../../core/campaigns/CampaignRules.ts"
import { afterTest } from "../../../core/campaigns/CampaignSchedules.ts"
import { fewestOrders, liftOf } from "../../../core/campaigns/HoldoutRules.ts"
import {
  perMinute,
  type ProgressFacts,
  shownProgress,
  withDecided
} from "../../../core/campaigns/ProgressRules.ts"
import {
  type CampaignDefinition,
  type CampaignStatus,
  emptyDefinition,
  type RecentDecisions,
  type TestState
} from "../../../core/model/Campaign.ts"

const minute = 60_000
const now = Date.UTC(2031, 4, 1, 12, 0, 30)

describe("the rate of a campaign", () => {
  it("is that of the last minute: within the decisions of this minute and of the one before", () => {
    const decisions = fc.array(fc.record({ after: fc.nat(90_000), count: fc.nat(500) }), { maxLength: 40 })
    fc.assert(
      fc.property(decisions, fc.nat(200_000), (made, later) => {
        let at = now
        let recent: RecentDecisions | null = null
        const all: Array<{ readonly at: number; readonly count: number }> = []
        for (const { after, count } of made) {
          at += after
          recent = withDecided(recent, count, at)
          all.push({ at, count })
        }
        const shownAt = at + later
        const begin = shownAt - (shownAt % minute)
        const within = (since: number) => all.reduce((sum, one) => sum + (one.at >= since ? one.count : 0), 0)
        expect(perMinute(recent, shownAt)).toBeGreaterThanOrEqual(within(begin))
        expect(perMinute(recent, shownAt)).toBeLessThanOrEqual(within(begin - minute))
      })
    )
    expect(perMinute(withDecided(null, 60, now), now)).toBe(60)
    expect(perMinute(withDecided(null, 60, now), now + minute)).toBe(30)
    expect(perMinute(withDecided(null, 60, now), now + 2 * minute)).toBe(0)
  })
})

describe("the progress of a campaign", () => {
  const facts = (
    stored: Readonly<Record<string, number>>,
    values: Partial<ProgressFacts> = {},
    definition: Partial<CampaignDefinition> = {},
    status: CampaignStatus = "Sending",
    test: TestState | null = null
  ): ProgressFacts => {
    const campaign = { definition: { ...emptyDefinition, ...definition }, status, test }
    const counts = countsOf(new Map(Object.entries(stored)))
    const { nextAt = null } = values
    return {
      campaign,
      progress: null,
      counts,
      phase: phaseOf(campaign, { isComplete: true }, counts, nextAt, now),
      nextAt,
      dueBy: new Map(),
      now,
      ...values
    }
  }

  it("tells how many are decided, and when the last is at the rate of the last minute", () => {
    const recent = withDecided(null, 600, now)
    const stored = { "r:Pending": 1_200, "r:Submitted": 800, "r:Skipped": 100 }
    const progress = { pacedAt: null, recent }
    expect(shownProgress(facts(stored, { nextAt: now, progress }))).toEqual({
      phase: "Delivering",
      done: 900,
      of: 2_100,
      perMinute: 600,
      etaAt: now + 2 * minute,
      nextAt: now,
      waiting: []
    })
    expect(shownProgress(facts(stored, { nextAt: now })).etaAt).toBeNull()
    const ended = facts({ "r:Submitted": 3, "q:sending.retrying": 1 }, { progress }, {}, "Sent")
    expect(shownProgress(ended)).toMatchObject({ phase: null, done: 3, of: 3, perMinute: 0, waiting: [] })
  })

  it("lists what people wait for, the most first, with when that ends where it is known", () => {
    const later = now + 9 * minute
    const stored = {
      "r:Pending": 10,
      "p:sending.quiet_hours": 3,
      "p:campaigns.test": 2,
      "r:Submitted": 4,
      "q:sending.retrying": 4
    }
    const dueBy = new Map([["sending.quiet_hours", later] as const, ["campaigns.test", afterTest] as const])
    const test = {
      variants: [],
      share: 50,
      metric: "Clicks",
      after: "PT4H",
      decide: "Auto",
      confidence: 0.95,
      undecided: "First"
    } as const
    const sentAt = now - minute
    const state = { sentAt, winner: null, isAsked: false }
    const waiting = (nextAt: number, asked = false) =>
      shownProgress(facts(stored, { nextAt, dueBy }, { test }, "Sending", { ...state, isAsked: asked }))
        .waiting
    expect(waiting(now + minute)).toEqual([
      { reason: null, count: 5, until: now + minute },
      { reason: "sending.retrying", count: 4, until: null },
      { reason: "sending.quiet_hours", count: 3, until: later },
      { reason: "campaigns.test", count: 2, until: sentAt + 4 * 60 * minute }
    ])
    // The next recipients due are those in quiet hours; for the others no time is known.
    expect(waiting(later)[0]).toEqual({ reason: null, count: 5, until: null })
    expect(waiting(later, true).at(-1)).toEqual({ reason: "campaigns.test", count: 2, until: null })
  })

  it("names the pace where it holds those who are due", () => {
    const pace = { emails: 60, per: "Hour" } as const
    const stored = { "r:Pending": 5, "r:Submitted": 1 }
    const progress = { pacedAt: now + minute, recent: null }
    expect(shownProgress(facts(stored, { nextAt: now, progress }, { pace })).waiting).toEqual([
      { reason: "campaigns.pace", count: 5, until: now + minute }
    ])
    expect(shownProgress(facts(stored, { nextAt: now }, { pace })).waiting).toEqual([])
  })
})

describe("the lift over those held out", () => {
  it("is in its interval, and that narrows with more orders of the same rates", () => {
    const group = fc.record({
      people: fc.integer({ min: 100, max: 10_000 }),
      orders: fc.integer({ min: 50, max: 90 })
    })
    fc.assert(
      fc.property(group, group, fc.integer({ min: 2, max: 50 }), (sent, heldOut, times) => {
        const lift = liftOf(sent, heldOut)!
        expect(lift.value).toBeGreaterThan(lift.from)
        expect(lift.value).toBeLessThan(lift.to)
        const more = (one: typeof sent) => ({ people: one.people * times, orders: one.orders * times })
        const narrower = liftOf(more(sent), more(heldOut))!
        expect(narrower.value).toBeCloseTo(lift.value, 9)
        expect(narrower.to - narrower.from).toBeLessThan(lift.to - lift.from)
      })
    )
    expect(liftOf({ people: 900, orders: 99 }, { people: 100, orders: 10 })!.value).toBeCloseTo(0.1, 9)
  })

  it("is not told of too few orders", () => {
    expect(liftOf({ people: 900, orders: fewestOrders - 2 }, { people: 100, orders: 1 })).toBeNull()
    expect(liftOf({ people: 900, orders: 500 }, { people: 100, orders: 0 })).toBeNull()
    expect(liftOf({ people: 0, orders: 0 }, { people: 100, orders: 500 })).toBeNull()
  })
})
