/**
 * Tests the transitions of consent against the table in docs/contributing/decisions.md 3.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  basisOf,
  consentBases,
  type ConsentProof,
  type ConsentStatus,
  consentStatuses,
  type ConsentTrigger,
  nextConsent
} from "../../../../core/model/Consent.ts"

const proof: ConsentProof = {
  text: "Yes, please",
  textVersion: null,
  locale: null,
  ipAddress: null,
  givenAt: null
}

/** The rows of the table: the current status, then that after Customer, Subscribed with proof, Unsubscribed. */
const ladder = `
  Unknown             | SoftOptIn           | Subscribed | Unsubscribed
  CheckoutStarted     | SoftOptIn           | Subscribed | Unsubscribed
  SoftOptIn           | SoftOptIn           | Subscribed | Unsubscribed
  PendingConfirmation | PendingConfirmation | Subscribed | Unsubscribed
  Subscribed          | Subscribed          | Subscribed | Unsubscribed
  Unsubscribed        | Unsubscribed        | Subscribed | Unsubscribed
  Bounced             | Bounced             | Bounced    | Bounced
  Complained          | Complained          | Complained | Complained
`

const apiTriggers: ReadonlyArray<ConsentTrigger> = [
  { _tag: "Customer" },
  { _tag: "Subscribed", proof },
  { _tag: "Unsubscribed" }
]

const rows = ladder
  .trim()
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))

const otherTriggers: ReadonlyArray<ConsentTrigger> = [
  { _tag: "HardBounce" },
  { _tag: "Complaint" },
  { _tag: "FormSubmitted" },
  { _tag: "Confirmed", proof },
  { _tag: "CheckoutWithoutConsent" }
]

const anyTrigger = fc.constantFrom(...apiTriggers, ...otherTriggers)
const anyApiTrigger = fc.constantFrom(...apiTriggers)
const anyStatus = fc.constantFrom(...consentStatuses)

const isFinal = (status: ConsentStatus) => status === "Bounced" || status === "Complained"

const walk = (from: ConsentStatus, triggers: ReadonlyArray<ConsentTrigger>): ConsentStatus =>
  triggers.reduce(nextConsent, from)

describe("nextConsent", () => {
  it("has the statuses and bases of the public interface", () => {
    expect([...consentStatuses].sort()).toEqual(rows.map(([now]) => now).sort())
    expect(consentBases).toEqual(["Customer", "Subscribed", "Unsubscribed"])
  })

  it.each(rows)("changes %s to %s, %s, %s", (now, ...expected) => {
    expect(apiTriggers.map((trigger) => nextConsent(now as ConsentStatus, trigger))).toEqual(expected)
  })

  it("returns the specified status after a bounce, a complaint, a form and a checkout", () => {
    for (const status of consentStatuses) {
      if (isFinal(status)) continue
      expect(nextConsent(status, { _tag: "HardBounce" })).toBe("Bounced")
      expect(nextConsent(status, { _tag: "Complaint" })).toBe("Complained")
    }
    expect(nextConsent("Unknown", { _tag: "FormSubmitted" })).toBe("PendingConfirmation")
    expect(nextConsent("PendingConfirmation", { _tag: "Confirmed", proof })).toBe("Subscribed")
    expect(nextConsent("Unknown", { _tag: "CheckoutWithoutConsent" })).toBe("CheckoutStarted")
  })

  it("never returns Subscribed without proof", () => {
    fc.assert(
      fc.property(anyStatus, fc.array(anyTrigger), (from, triggers) => {
        const withoutProof = triggers.filter((trigger) => !("proof" in trigger))
        fc.pre(from !== "Subscribed")
        expect(walk(from, withoutProof)).not.toBe("Subscribed")
      })
    )
  })

  it("neither lowers a status nor ends an unsubscribe for the basis Customer", () => {
    const rank = [
      "Unsubscribed",
      "Unknown",
      "CheckoutStarted",
      "SoftOptIn",
      "PendingConfirmation",
      "Subscribed"
    ]
    for (const status of consentStatuses) {
      const after = nextConsent(status, { _tag: "Customer" })
      expect(rank.indexOf(after)).toBeGreaterThanOrEqual(rank.indexOf(status))
      if (status === "Unsubscribed") expect(after).toBe("Unsubscribed")
    }
  })

  it("keeps Bounced and Complained for every API write", () => {
    fc.assert(
      fc.property(fc.constantFrom("Bounced", "Complained"), fc.array(anyApiTrigger), (from, triggers) => {
        expect(walk(from, triggers)).toBe(from)
      })
    )
  })

  it("keeps Bounced and Complained for every trigger", () => {
    fc.assert(
      fc.property(fc.constantFrom("Bounced", "Complained"), fc.array(anyTrigger), (from, triggers) => {
        expect(walk(from, triggers)).toBe(from)
      })
    )
  })

  it("applies a confirmation only to PendingConfirmation", () => {
    for (const status of consentStatuses) {
      const after = status === "PendingConfirmation" ? "Subscribed" : status
      expect(nextConsent(status, { _tag: "Confirmed", proof })).toBe(after)
    }
  })

  it("applies an unsubscribe to every status, and keeps it until proof is given", () => {
    fc.assert(
      fc.property(anyStatus, fc.array(anyTrigger), fc.array(anyApiTrigger), (from, before, after) => {
        const reached = walk(from, before)
        const unsubscribed = nextConsent(reached, { _tag: "Unsubscribed" })
        expect(unsubscribed).toBe(isFinal(reached) ? reached : "Unsubscribed")
        expect(
          walk(
            unsubscribed,
            after.filter((trigger) => trigger._tag !== "Subscribed")
          )
        ).toBe(unsubscribed)
      })
    )
  })

  it("changes nothing for a repeated API write", () => {
    fc.assert(
      fc.property(anyStatus, anyApiTrigger, (from, trigger) => {
        const once = nextConsent(from, trigger)
        expect(nextConsent(once, trigger)).toBe(once)
      })
    )
  })

  it("records the given basis, and null where none was given", () => {
    expect(apiTriggers.map(basisOf)).toEqual(consentBases)
    expect(otherTriggers.map(basisOf)).toEqual([null, null, null, "Subscribed", null])
  })
})
