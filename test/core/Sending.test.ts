/**
 * The states of a delivery, its retries, and who an email leaves from, against the tables of decisions 1 and 5.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Account, defaultSettings } from "../../core/accounts/Account.ts"
import { decideTurn, moveTo, retryAt, statesAfter } from "../../core/sending/DeliveryRules.ts"
import {
  canMove,
  commonReason,
  commonStatus,
  deliveryMoves,
  deliveryReasons,
  type DeliveryStatus,
  deliveryStatuses
} from "../../core/sending/DeliveryStatus.ts"
import type { SendingDomain } from "../../core/sending/Domain.ts"
import type { Outcome } from "../../core/sending/Message.ts"
import { sandboxOutcome } from "../../core/sending/SandboxRules.ts"
import { senderOf } from "../../core/sending/SenderChoice.ts"
import type { Delivery } from "../../core/sending/Submission.ts"
import { suppressionKinds } from "../../core/sending/Suppression.ts"

const minute = 60_000
const now = Date.UTC(2031, 3, 6)

/** The table of decisions 5; anything not listed cannot happen. */
const table = [
  "Queued > HandingOff",
  "HandingOff > Delivered",
  "HandingOff > Accepted",
  "HandingOff > Sent",
  "HandingOff > Queued",
  "HandingOff > Bounced",
  "HandingOff > Failed",
  "HandingOff > Unknown",
  "Sent > Delivered",
  "Sent > Bounced",
  "Sent > Failed",
  "Accepted > Delivered",
  "Accepted > Bounced",
  "Accepted > Failed",
  "Delivered > Bounced",
  "Queued > PendingReview",
  "PendingReview > Queued",
  "PendingReview > Failed",
  "Queued > Suppressed"
]

const outcomes: ReadonlyArray<Outcome> = [
  { _tag: "Delivered" },
  { _tag: "Complained" },
  { _tag: "Deferred" },
  { _tag: "Bounced" },
  { _tag: "Refused" }
]

const sender = { email: "hello@example.com", name: "Sandbox" }

const delivery = (values: Partial<Delivery> = {}): Delivery => ({
  id: "delivery",
  submissionId: "submission",
  accountId: "account",
  email: "jane@example.com",
  name: null,
  kind: "To",
  status: "Queued",
  reason: null,
  attempts: 0,
  updatedAt: now,
  ...values
})

describe("DeliveryStatus", () => {
  it("has the states of the public interface", () => {
    expect([...deliveryStatuses].sort()).toEqual(
      [
        "Queued",
        "Sent",
        "Failed",
        "Suppressed",
        "Delivered",
        "Bounced",
        "HandingOff",
        "Accepted",
        "Unknown",
        "PendingReview"
      ].sort()
    )
  })

  it("allows the moves of the table and no other", () => {
    for (const from of deliveryStatuses) {
      for (const to of deliveryStatuses) expect(canMove(from, to)).toBe(table.includes(`${from} > ${to}`))
    }
  })

  it("ends: Bounced, Failed, Suppressed and Unknown lead nowhere", () => {
    for (const status of ["Bounced", "Failed", "Suppressed", "Unknown"] as const) {
      expect(deliveryMoves[status]).toEqual([])
    }
  })

  it("never leaves the table, whatever is tried in whatever order", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...deliveryStatuses), { maxLength: 60 }), (tries) => {
        let status: DeliveryStatus = "Queued"
        const path: Array<string> = []
        for (const to of tries) {
          if (!canMove(status, to)) continue
          path.push(`${status} > ${to}`)
          status = to
        }
        for (const move of path) expect(table).toContain(move)
        const left = path.findIndex((move) => /^(Sent|Accepted|Delivered) /.test(move))
        if (left >= 0) for (const move of path.slice(left)) expect(move).not.toMatch(/> (Queued|HandingOff)$/)
      })
    )
  })

  it("answers the common status and reason of a submission", () => {
    const anyDelivery = fc.record({
      status: fc.constantFrom(...deliveryStatuses),
      reason: fc.constantFrom(null, ...deliveryReasons)
    })
    fc.assert(
      fc.property(fc.array(anyDelivery, { minLength: 1, maxLength: 4 }), (deliveries) => {
        const statuses = [...new Set(deliveries.map((entry) => entry.status))]
        const reasons = [...new Set(deliveries.map((entry) => entry.reason))]
        expect(commonStatus(deliveries)).toBe(statuses.length === 1 ? statuses[0] : "Mixed")
        expect(commonReason(deliveries)).toBe(reasons.length === 1 ? reasons[0] : null)
      })
    )
  })
})

describe("DeliveryRules", () => {
  it.each<[Outcome["_tag"], boolean, ReadonlyArray<readonly [DeliveryStatus, string | null]>]>([
    ["Bounced", false, [["Bounced", null]]],
    ["Refused", false, [["Failed", "sending.refused"]]],
    ["Deferred", true, [["Queued", "sending.retrying"]]],
    ["Deferred", false, [["Failed", "sending.retries_exhausted"]]]
  ])("%s, with another attempt to come: %s", (_tag, willRetry, expected) => {
    expect(statesAfter({ _tag }, willRetry)).toEqual(expected)
  })

  it("every outcome leads through moves of the table, and a sandbox email through Sent to Delivered", () => {
    for (const outcome of outcomes) {
      for (const willRetry of [true, false]) {
        let from: DeliveryStatus = "HandingOff"
        for (const [to, reason] of statesAfter(outcome, willRetry)) {
          expect(table).toContain(`${from} > ${to}`)
          if (reason !== null) expect(deliveryReasons).toContain(reason)
          from = to
        }
        if (outcome._tag === "Delivered" || outcome._tag === "Complained") {
          expect(statesAfter(outcome, willRetry).map(([to]) => to)).toEqual(["Sent", "Delivered"])
        }
      }
    }
  })

  it("retries after 1, 5, 15, 30 min, 1, 2, 4, 8, 12, 24 h, each 10 % more or less, and then no more", () => {
    const minutes = [1, 5, 15, 30, 60, 120, 240, 480, 720, 1440]
    for (const [index, wait] of minutes.entries()) {
      expect(retryAt(index + 1, now, 0.5)).toBe(now + wait * minute)
      expect(retryAt(index + 1, now, 0)).toBe(now + wait * minute * 0.9)
      expect(retryAt(index + 1, now, 1 - Number.EPSILON)).toBe(now + Math.round(wait * minute * 1.1))
    }
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, jitter) => {
          const at = retryAt(attempts, now, jitter)
          const wait = minutes[attempts - 1]
          if (wait === undefined) {
            expect(at).toBeNull()
            return
          }
          expect(Number.isInteger(at)).toBe(true)
          expect(at! - now).toBeGreaterThanOrEqual(wait * minute * 0.9)
          expect(at! - now).toBeLessThanOrEqual(wait * minute * 1.1)
        }
      )
    )
  })

  it("takes a turn only from Queued, or from HandingOff again; suppression counts before sending alone", () => {
    for (const status of deliveryStatuses) {
      for (const from of [sender, null]) {
        for (const kind of [undefined, ...suppressionKinds]) {
          const turn = decideTurn(delivery({ status }), from, kind)
          if (status !== "Queued" && status !== "HandingOff") expect(turn).toEqual({ _tag: "Done" })
          else if (status === "Queued" && kind !== undefined) {
            expect(turn).toEqual({ _tag: "Suppress", reason: `sending.gate_${kind.toLowerCase()}` })
          } else if (from === null) {
            expect(turn).toEqual({ _tag: "Park", reason: "sending.no_verified_sender" })
          } else expect(turn).toEqual({ _tag: "HandOver", sender })
        }
      }
    }
  })

  it("writes a move with the delivery's identity", () => {
    expect(moveTo(delivery(), "Queued", "HandingOff", null, 3, now)).toEqual({
      accountId: "account",
      id: "delivery",
      from: "Queued",
      to: "HandingOff",
      reason: null,
      attempts: 3,
      at: now
    })
  })
})

describe("SandboxRules", () => {
  it("acts out bounce, complaint and defer on any domain, and delivers all else", () => {
    fc.assert(
      fc.property(fc.domain(), fc.nat({ max: 20 }), (domain, earlier) => {
        expect(sandboxOutcome(`bounce@${domain}`, earlier)).toEqual({ _tag: "Bounced" })
        expect(sandboxOutcome(`complaint@${domain}`, earlier)).toEqual({ _tag: "Complained" })
        expect(sandboxOutcome(`defer@${domain}`, earlier)._tag).toBe(earlier === 0 ? "Deferred" : "Delivered")
      })
    )
    fc.assert(
      fc.property(fc.emailAddress(), fc.nat({ max: 20 }), (email, earlier) => {
        fc.pre(!/^(bounce|complaint|defer)@/.test(email))
        expect(sandboxOutcome(email, earlier)).toEqual({ _tag: "Delivered" })
      })
    )
    for (const local of ["bounces", "bounce+1", "no-bounce", "bounce.x"]) {
      expect(sandboxOutcome(`${local}@bounce`, 0)).toEqual({ _tag: "Delivered" })
    }
  })

  it("a deferred email is delivered at its only retry", () => {
    expect(retryAt(1, now, 0.5)).not.toBeNull()
    expect(sandboxOutcome("defer@example.com", 1)).toEqual({ _tag: "Delivered" })
  })
})

describe("SenderChoice", () => {
  const account = (defaultSender: Account["settings"]["defaultSender"]): Account => ({
    id: "account",
    companyId: "company",
    mode: "Live",
    name: "Account",
    settings: { ...defaultSettings, defaultSender },
    createdAt: now
  })
  const domain = (name: string, accountId = "account"): SendingDomain => ({
    id: `${accountId}/${name}`,
    accountId,
    domain: name,
    status: "Verified",
    records: [],
    verifiedAt: now,
    createdAt: now
  })

  it("is the default sender when its very domain is verified in its very account", () => {
    expect(senderOf(account(sender), [domain("other.com"), domain("example.com")])).toEqual(sender)
    expect(senderOf(account(sender), [])).toBeNull()
    expect(senderOf(account(null), [domain("example.com")])).toBeNull()
    expect(senderOf(account(sender), [domain("example.com", "other")])).toBeNull()
    for (const name of ["mail.example.com", "com", "ample.com", "example.com.evil.org"]) {
      expect(senderOf(account(sender), [domain(name)])).toBeNull()
    }
    const odd = { email: '"a@b"@example.com', name: null }
    expect(senderOf(account(odd), [domain("example.com")])).toEqual(odd)
  })
})
