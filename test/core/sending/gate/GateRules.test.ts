import * as fc from "fast-check"
import { describe, expect, it } from "@effect/vitest"
import { consentStatuses, isMailable } from "../../../../core/model/Consent.ts"
import { suppressionKinds } from "../../../../core/model/Suppression.ts"
import { contactAt, gateRefusal, marketingRefusal } from "../../../../core/sending/gate/GateRules.ts"

const topic = { id: "t", accountId: "a", key: "news", name: "News", description: null, createdAt: 0 }

const facts = fc.record({
  suppression: fc.constantFrom(undefined, ...suppressionKinds),
  consentStatus: fc.constantFrom(...consentStatuses),
  email: fc.constantFrom("a@one.example", "b@one.example", null),
  topic: fc.constantFrom("None", "Gone", "Archived", "On", "Off"),
  isHeldOut: fc.boolean(),
  cappedUntil: fc.constantFrom(null, 5),
  quietUntil: fc.constantFrom(null, 6),
  windowAt: fc.constantFrom(null, 7)
})

describe("the gate of marketing", () => {
  it("takes the first condition of the table that matches, and nothing else decides", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const { consentStatus, email, suppression } = given
        const topicOf = {
          None: null,
          Gone: undefined,
          Archived: { ...topic, defaultOn: true, isArchived: true },
          On: { ...topic, defaultOn: false, isArchived: false },
          Off: { ...topic, defaultOn: true, isArchived: false }
        }[given.topic]
        const person = { email, consentStatus, topics: { t: given.topic === "On" } }
        const contact = contactAt(person, "a@one.example")
        const refusal = marketingRefusal({ suppression, marketing: { contact, topic: topicOf } }, given)
        const expected = [
          [suppression !== undefined, "Suppressed"],
          [!isMailable(consentStatus) || email !== "a@one.example", "NoConsent"],
          [!["None", "On"].includes(given.topic), "TopicOff"],
          [given.isHeldOut, "HeldOut"],
          [given.cappedUntil !== null, "OverCap"],
          [given.quietUntil !== null, "QuietHours"],
          [given.windowAt !== null, "OutsideWindow"]
        ].find(([matches]) => matches)?.[1]
        expect(refusal?._tag).toBe(expected)
        // Transactional email is blocked only by suppressions.
        const transactional = marketingRefusal({ suppression, marketing: null }, given)
        expect(transactional).toEqual(gateRefusal({ suppression, marketing: null }))
      })
    )
  })
})
