import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { reachOf } from "../../../core/campaigns/ReachRules.ts"
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
              ({ consentStatus, hasTopic, suppression }) =>
                suppression === null && isMailable(consentStatus) && (asked === null || hasTopic)
            )
          )
        )
      })
    )
  })

  it("reaches none where the topic is archived", () => {
    const all = [{ consentStatus: "Subscribed", suppression: null, hasTopic: true, count: 2 }] as const
    expect(reachOf({ groups: all, topic: { ...topic, isArchived: true } })).toEqual({
      count: 2,
      reached: 0,
      rest: [{ reason: "sending.gate_consent", cause: "TopicOff", consentStatus: null, count: 2 }]
    })
  })
})
