/**
 * The states of a delivery, its retries, and who an email leaves from, against the tables of decisions 1 and 5.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Account, defaultSettings } from "../../../../core/model/Account.ts"
import {
  attemptsAfter,
  capDay,
  decideDispatch,
  eventsAfter,
  movesThrough,
  needsQuota,
  outcomeOf,
  retryAt,
  statesAfter,
  type DispatchFacts
} from "../../../../core/sending/delivery/DeliveryRules.ts"
import {
  canMove,
  commonReason,
  commonStatus,
  deliveryMoves,
  deliveryReasons,
  type DeliveryStatus,
  deliveryStatuses
} from "../../../../core/model/DeliveryStatus.ts"
import { newDomain, type SendingDomain } from "../../../../core/model/Domain.ts"
import type { Outcome } from "../../../../core/model/Message.ts"
import { sandboxOutcome } from "../../../../core/sending/delivery/DeliveryRules.ts"
import { domainOf, senderOf } from "../../../../core/sending/domains/SenderChoice.ts"
import type { Delivery } from "../../../../core/model/Submission.ts"
import { suppressionKinds } from "../../../../core/model/Suppression.ts"

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
  { _tag: "Accepted" },
  { _tag: "Sent" },
  { _tag: "Deferred" },
  { _tag: "Bounced" },
  { _tag: "Refused" },
  { _tag: "Unknown" },
  { _tag: "Busy", at: now },
  { _tag: "Withdrawn" }
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
  claims: 0,
  committedAt: null,
  openedAt: null,
  clickedAt: null,
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
  it.each<
    [Outcome["_tag"], boolean, ReadonlyArray<readonly [DeliveryStatus, string | null]>, ReadonlyArray<string>]
  >([
    ["Delivered", false, [["Delivered", null]], ["email.sent", "email.delivered"]],
    ["Accepted", false, [["Accepted", null]], ["email.sent"]],
    ["Sent", false, [["Sent", null]], ["email.sent"]],
    ["Bounced", false, [["Bounced", null]], ["email.bounced"]],
    ["Refused", false, [["Failed", "sending.refused"]], []],
    ["Deferred", true, [["Queued", "sending.retrying"]], []],
    ["Deferred", false, [["Failed", "sending.retries_exhausted"]], []],
    ["Unknown", false, [["Unknown", "sending.outcome_unknown"]], []],
    ["Busy", true, [["Queued", null]], []],
    ["Withdrawn", true, [], []]
  ])("%s, with another attempt to come: %s", (_tag, willRetry, states, events) => {
    const outcome = { _tag, at: now } as Outcome
    expect(statesAfter(outcome, delivery(), willRetry, false)).toEqual(states)
    expect(eventsAfter(outcome).map(({ type }) => type)).toEqual(events)
    expect(attemptsAfter(delivery({ attempts: 3 }), outcome)).toBe(
      _tag === "Busy" || _tag === "Withdrawn" ? 3 : 4
    )
  })

  it("every outcome leads through moves of the table, and a sandbox email through Sent to Delivered", () => {
    for (const outcome of outcomes) {
      for (const willRetry of [true, false]) {
        for (const sandbox of [true, false]) {
          let from: DeliveryStatus = "HandingOff"
          for (const [to, reason] of statesAfter(outcome, delivery(), willRetry, sandbox)) {
            expect(table).toContain(`${from} > ${to}`)
            if (reason !== null) expect(deliveryReasons).toContain(reason)
            from = to
          }
        }
        if (outcome._tag === "Delivered" || outcome._tag === "Complained") {
          expect(statesAfter(outcome, delivery(), willRetry, true).map(([to]) => to)).toEqual([
            "Sent",
            "Delivered"
          ])
        }
      }
    }
  })

  it("tells why an email bounced by the server's last words, and of a complaint by its feedback type", () => {
    const conversation = { host: "mx", tls: null, replies: ["250 ok", "550 5.1.1 nobody"], error: null }
    expect(eventsAfter({ _tag: "Bounced", conversation })).toEqual([
      { type: "email.bounced", reason: "550 5.1.1 nobody" }
    ])
    expect(
      eventsAfter({ _tag: "Bounced", conversation: { ...conversation, replies: [], error: "no_mx" } })
    ).toEqual([{ type: "email.bounced", reason: "no_mx" }])
    expect(eventsAfter({ _tag: "Complained" }).at(-1)).toEqual({ type: "email.complained", reason: "abuse" })
  })

  it("never sends again what may have left, never gives up what cannot have", () => {
    for (const commitment of ["NotAsked", "Granted", "Refused", "Unavailable"] as const) {
      for (const interrupted of [true, false]) {
        for (const answer of [undefined, ...outcomes]) {
          const { _tag } = outcomeOf(answer, commitment, interrupted, now)
          const left = commitment === "Granted"
          if (left && (answer === undefined || answer._tag === "Busy")) expect(_tag).toBe("Unknown")
          if (!left) expect(_tag).not.toBe("Unknown")
          if (answer !== undefined && !["Unknown", "Busy", "Withdrawn"].includes(answer._tag)) {
            expect(_tag).toBe(answer._tag)
          }
        }
      }
    }
    expect(outcomeOf(undefined, "NotAsked", true, now)).toEqual({ _tag: "Busy", at: now })
    expect(outcomeOf({ _tag: "Withdrawn" }, "Unavailable", false, now)._tag).toBe("Busy")
    expect(outcomeOf({ _tag: "Withdrawn" }, "Refused", false, now)._tag).toBe("Withdrawn")
  })

  it("gives a server the wait it asks for, up to a day, never less than its own", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.nat({ max: 10 ** 9 }), (attempts, retryAfter) => {
        const own = retryAt(attempts, now, 0.5)!
        const at = retryAt(attempts, now, 0.5, retryAfter)!
        expect(at).toBeGreaterThanOrEqual(own)
        expect(at).toBeGreaterThanOrEqual(now + Math.min(retryAfter, 1440 * minute))
        expect(at).toBeLessThanOrEqual(Math.max(own, now + Math.min(retryAfter + 10_000, 1440 * minute)))
      })
    )
  })

  it("counts days in UTC, and a delivery against a day once", () => {
    expect(capDay(Date.UTC(2032, 1, 29, 23, 59, 59, 999))).toEqual({
      day: "2032-02-29",
      next: Date.UTC(2032, 2, 1)
    })
    expect(needsQuota(delivery())).toBe(true)
    expect(needsQuota(delivery({ claims: 1 }))).toBe(false)
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

  const facts = (values: Partial<DispatchFacts> = {}): DispatchFacts => ({
    delivery: delivery(),
    sendAt: null,
    sender,
    suppression: undefined,
    busyUntil: null,
    now,
    ...values
  })

  it("takes a turn only from Queued, or from what a dead sender left before the last byte", () => {
    for (const status of deliveryStatuses) {
      for (const committedAt of [null, now]) {
        const turn = decideDispatch(facts({ delivery: delivery({ status, committedAt }) }))
        if (status !== "Queued" && status !== "HandingOff") expect(turn).toEqual({ _tag: "Done" })
        else if (status === "HandingOff" && committedAt !== null) {
          expect(turn).toEqual({ _tag: "End", steps: [["Unknown", "sending.outcome_unknown"]] })
        } else expect(turn).toEqual({ _tag: "Send", sender })
      }
    }
  })

  it("suppression, schedule, sender and destination hold it up, in that order, by moves of the table", () => {
    const kinds = [undefined, ...suppressionKinds]
    for (const status of ["Queued", "HandingOff"] as const) {
      for (const suppression of kinds) {
        for (const sendAt of [null, now, now + minute]) {
          for (const from of [sender, null]) {
            for (const busyUntil of [null, now + minute]) {
              const one = delivery({ status })
              const turn = decideDispatch(
                facts({ delivery: one, suppression, sendAt, sender: from, busyUntil })
              )
              const last = "steps" in turn ? turn.steps.at(-1) : undefined
              if ("steps" in turn) {
                for (const move of movesThrough(one, turn.steps, 0, now)) {
                  if (move.from !== move.to) expect(table).toContain(`${move.from} > ${move.to}`)
                }
              }
              if (suppression !== undefined) {
                expect([turn._tag, last]).toEqual([
                  "End",
                  ["Suppressed", `sending.gate_${suppression.toLowerCase()}`]
                ])
              } else if (sendAt === now + minute) {
                expect(turn).toMatchObject({
                  _tag: "Wait",
                  at: sendAt,
                  steps: [["Queued", "sending.scheduled"]]
                })
              } else if (from === null) {
                expect([turn._tag, last]).toEqual(["End", ["Queued", "sending.no_verified_sender"]])
              } else if (busyUntil !== null) {
                expect(turn).toMatchObject({ _tag: "Wait", at: busyUntil })
              } else expect(turn).toEqual({ _tag: "Send", sender })
            }
          }
        }
      }
    }
  })

  it("writes the moves of a path one after the other, in the delivery's claim", () => {
    const left = delivery({ status: "HandingOff", claims: 7 })
    const common = { accountId: "account", id: "delivery", attempts: 3, claim: 7, at: now }
    expect(
      movesThrough(
        left,
        [
          ["Sent", null],
          ["Delivered", null]
        ],
        3,
        now
      )
    ).toEqual([
      { ...common, from: "HandingOff", to: "Sent", reason: null },
      { ...common, from: "Sent", to: "Delivered", reason: null }
    ])
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
  const domain = (name: string, accountId = "account"): SendingDomain =>
    newDomain({ id: `${accountId}/${name}`, accountId, domain: name, createdAt: now }, true)

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

  it("is the sender the email names, by the same rule, whatever the default sender", () => {
    const from = { email: "news@mail.example.com", name: "News" }
    expect(senderOf(account(sender), [domain("mail.example.com")], from)).toEqual(from)
    expect(senderOf(account(null), [domain("mail.example.com")], from)).toEqual(from)
    expect(senderOf(account(sender), [domain("example.com")], from)).toBeNull()
    expect(
      domainOf("account", from.email, [domain("mail.example.com", "other"), domain("mail.example.com")])?.id
    ).toBe("account/mail.example.com")
  })
})
