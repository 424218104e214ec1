import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { audienceReachOf, reachOf } from "../../../core/campaigns/ReachRules.ts"
import { consentStatuses, isMailable } from "../../../core/model/Consent.ts"
import { suppressionKinds } from "../../../core/model/Suppression.ts"
import type { Topic } from "../../../core/model/Topic.ts"

const topic: Topic = {
  id: "topic",
  accountId: "account",
  key: "news",
  name: "News",
  description: null,
  defaultOn: true,
  isArchived: false,
  createdAt: 0
}

const groups = fc.array(
  fc.record({
    consentStatus: fc.constantFrom(...consentStatuses),
    suppression: fc.constantFrom(null, ...suppressionKinds),
    hasAddress: fc.boolean(),
    hasTopic: fc.boolean(),
    count: fc.integer({ min: 1, max: 1_000_000 })
  })
)

const sum = (of: ReadonlyArray<{ readonly count: number }>) => of.reduce((all, { count }) => all + count, 0)

describe("the reach of a segment", () => {
  it("counts everybody once, as reached or for one reason", () => {
    fc.assert(
      fc.property(groups, fc.constantFrom(null, topic), (all, asked) => {
        const reach = reachOf({ groups: all, topic: asked })
        expect(reach.count).toBe(sum(all))
        expect(reach.reached + sum(reach.rest)).toBe(reach.count)
        const causes = reach.rest.map(({ cause, consentStatus }) => `${cause} ${consentStatus}`)
        expect(new Set(causes).size).toBe(causes.length)
        expect(reach.reached).toBe(
          sum(
            all.filter(
              ({ consentStatus, hasAddress, hasTopic, suppression }) =>
                hasAddress &&
                suppression === null &&
                isMailable(consentStatus) &&
                (asked === null || hasTopic)
            )
          )
        )
      })
    )
  })

  it("adds up for an audience: everyone is reachable or has one reason, and is in one zone", () => {
    const settings = fc.record({
      holdoutPercent: fc.integer({ min: 0, max: 20 }),
      timeZone: fc.constant("UTC"),
      timeZoneAttribute: fc.constantFrom(null, "zone")
    })
    const choices = fc.record({
      holdoutPercent: fc.integer({ min: 0, max: 50 }),
      schedule: fc.constantFrom(null, { localTime: "2031-05-06T09:00", late: "Skip" as const }),
      whenCapped: fc.constantFrom({ action: "Skip" as const }, { action: "Wait" as const, hours: 2 })
    })
    const zones = fc.array(
      fc.record({
        own: fc.constantFrom(null, "Europe/Vienna", "Mars/Olympus"),
        countryCode: fc.constantFrom(null, "AT", "US"),
        count: fc.integer({ min: 1, max: 1000 })
      })
    )
    fc.assert(
      fc.property(groups, zones, fc.nat(1000), choices, settings, (all, places, capped, chosen, given) => {
        const reach = audienceReachOf({ topic: null, groups: all, zones: places, capped }, chosen, given)
        const others = Object.values(reach.by)
        expect(reach.reachable + others.reduce((total, count) => total + count, 0)).toBe(reach.count)
        expect(others.every((count) => count > 0) && reach.reachable >= 0).toBe(true)
        expect(reach.by["sending.gate_frequency"] ?? 0).toBeLessThanOrEqual(
          chosen.whenCapped.action === "Skip" ? capped : 0
        )
        expect(sum(reach.zones)).toBe(sum(places))
        expect(new Set(reach.zones.map(({ zone }) => zone)).size).toBe(reach.zones.length)
        for (const { at, zone } of reach.zones) {
          expect(["UTC", "Europe/Vienna"]).toContain(zone)
          const hours = zone === "UTC" ? 9 : 7
          expect(at).toBe(chosen.schedule === null ? null : Date.UTC(2031, 4, 6, hours))
        }
      })
    )
  })

  it("reaches none where the topic is archived", () => {
    const all = [
      { consentStatus: "Subscribed", hasAddress: true, suppression: null, hasTopic: true, count: 2 }
    ] as const
    expect(reachOf({ groups: all, topic: { ...topic, isArchived: true } })).toEqual({
      count: 2,
      reached: 0,
      rest: [{ reason: "sending.gate_consent", cause: "TopicOff", consentStatus: null, count: 2 }]
    })
  })
})
