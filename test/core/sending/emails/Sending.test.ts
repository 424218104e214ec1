/**
 * Tests of the states of a delivery, its retries, and the sender of an email, against the tables in
 * docs/contributing/decisions.md 1 and 5.
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
  nextDeliveryAttemptAt,
  sandboxOutcome,
  stateAfter,
  type DispatchFacts
} from "../../../../core/sending/delivery/DeliveryRules.ts"
import {
  canMove,
  commonReason,
  commonStatus,
  deliveryMoves,
  deliveryReasons,
  type DeliveryStatus,
  deliveryStatuses,
  isPending
} from "../../../../core/model/DeliveryStatus.ts"
import { newDomain, type SendingDomain } from "../../../../core/model/Domain.ts"
import type { Outcome } from "../../../../core/model/Message.ts"
import { verifiedDomainOf, senderOf } from "../../../../core/sending/domains/SenderChoice.ts"
import type { Delivery } from "../../../../core/model/Submission.ts"
import { suppressionKinds } from "../../../../core/model/Suppression.ts"

const minute = 60_000
const now = Date.UTC(2031, 3, 6)

/** The allowed transitions (docs/contributing/decisions.md 5). */
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
  "Accepted > Suppressed",
  "Unknown > Delivered",
  "Unknown > Bounced",
  "Unknown > Failed",
  "Delivered > Bounced",
  "Failed > Delivered",
  "Failed > Bounced",
  "Suppressed > Delivered",
  "Suppressed > Bounced",
  "Suppressed > Failed",
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
  { _tag: "MailboxFull" },
  { _tag: "Refused" },
  {
    _tag: "Held",
    lane: "ip:192.0.2.1",
    rejection: {
      lane: "ip:192.0.2.1",
      words: "554 5.7.1 blocked",
      answer: { action: "PauseSource", scope: "source", rule: "5.7.*", remedy: "", source: "RFC 3463" }
    }
  },
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
  lane: null,
  provider: null,
  line: "",
  heldSince: null,
  notDue: 0,
  contentHash: null,
  complainedAt: null,
  unsubscribedAt: null,
  topicOffAt: null,
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

  it("allows the listed moves and no other", () => {
    for (const from of deliveryStatuses) {
      for (const to of deliveryStatuses) expect(canMove(from, to)).toBe(table.includes(`${from} > ${to}`))
    }
  })

  it("never sends again what ended, nor moves it from Bounced", () => {
    expect(deliveryMoves.Bounced).toEqual([])
    for (const status of ["Delivered", "Failed", "Suppressed"] as const) {
      expect(
        deliveryMoves[status].filter((to) => isPending(to) || to === "Sent" || to === "Accepted")
      ).toEqual([])
    }
  })

  it("allows only listed moves in any order of attempts", () => {
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

  it("computes the common status and reason of a submission", () => {
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
  it.each<[Outcome["_tag"], boolean, readonly [DeliveryStatus, string | null], ReadonlyArray<string>]>([
    ["Delivered", false, ["Delivered", null], ["email.sent", "email.delivered"]],
    ["Accepted", false, ["Accepted", null], ["email.sent"]],
    ["Sent", false, ["Sent", null], ["email.sent"]],
    ["Bounced", false, ["Bounced", null], ["email.bounced"]],
    ["MailboxFull", true, ["Failed", "sending.mailbox_full"], []],
    ["Refused", false, ["Failed", "sending.refused"], []],
    ["Deferred", true, ["Queued", "sending.retrying"], []],
    ["Deferred", false, ["Failed", "sending.retries_exhausted"], []],
    ["Unknown", false, ["Unknown", "sending.outcome_unknown"], []],
    ["Held", true, ["Queued", "sending.provider_held"], []],
    ["Busy", true, ["Queued", null], []],
    ["Withdrawn", true, ["Queued", null], []]
  ])("moves a delivery after %s (another attempt left: %s)", (_tag, willRetry, state, events) => {
    const outcome = { _tag, at: now } as Outcome
    const hold = _tag === "Held" ? ({ reason: "sending.provider_held", lane: "ip:192.0.2.1" } as const) : null
    expect(stateAfter(outcome, delivery(), willRetry, hold)).toEqual(state)
    expect(eventsAfter(outcome).map(({ type }) => type)).toEqual(events)
    expect(attemptsAfter(delivery({ attempts: 3 }), outcome)).toBe(
      _tag === "Busy" || _tag === "Withdrawn" || _tag === "Held" ? 3 : 4
    )
  })

  it("moves a delivery by listed moves after every outcome", () => {
    for (const outcome of outcomes) {
      for (const willRetry of [true, false]) {
        const [to, reason] = stateAfter(outcome, delivery(), willRetry, null)
        expect(table).toContain(`HandingOff > ${to}`)
        if (reason !== null) expect(deliveryReasons).toContain(reason)
      }
    }
  })

  it("gives the server's last reply as the reason of a bounce, and the feedback type as that of a complaint", () => {
    const conversation = { host: "mx", tls: null, replies: ["250 ok", "550 5.1.1 nobody"], error: null }
    expect(eventsAfter({ _tag: "Bounced", conversation })).toEqual([
      { type: "email.bounced", reason: "550 5.1.1 nobody" }
    ])
    expect(
      eventsAfter({ _tag: "Bounced", conversation: { ...conversation, replies: [], error: "no_mx" } })
    ).toEqual([{ type: "email.bounced", reason: "no_mx" }])
    expect(eventsAfter({ _tag: "Complained" }).at(-1)).toEqual({ type: "email.complained", reason: "abuse" })
  })

  it("makes Unknown only what may have been sent", () => {
    for (const commitment of ["NotAsked", "Granted", "Refused", "Unavailable"] as const) {
      for (const interrupted of [true, false]) {
        for (const reported of [undefined, ...outcomes]) {
          const { _tag } = outcomeOf(reported, commitment, interrupted, now)
          const left = commitment === "Granted"
          if (left && (reported === undefined || reported._tag === "Busy")) expect(_tag).toBe("Unknown")
          if (!left) expect(_tag).not.toBe("Unknown")
          if (reported !== undefined && !["Unknown", "Busy", "Withdrawn"].includes(reported._tag)) {
            expect(_tag).toBe(reported._tag)
          }
        }
      }
    }
    expect(outcomeOf(undefined, "NotAsked", true, now)).toEqual({ _tag: "Busy", at: now })
    expect(outcomeOf({ _tag: "Withdrawn" }, "Unavailable", false, now)._tag).toBe("Busy")
    expect(outcomeOf({ _tag: "Withdrawn" }, "Refused", false, now)._tag).toBe("Withdrawn")
  })

  it("waits as long as the server requests, up to a day, and never less than the schedule", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.nat({ max: 10 ** 9 }), (attempts, retryAfter) => {
        const own = nextDeliveryAttemptAt(attempts, now, 0.5)!
        const at = nextDeliveryAttemptAt(attempts, now, 0.5, retryAfter)!
        expect(at).toBeGreaterThanOrEqual(own)
        expect(at).toBeGreaterThanOrEqual(now + Math.min(retryAfter, 1440 * minute))
        expect(at).toBeLessThanOrEqual(Math.max(own, now + Math.min(retryAfter + 10_000, 1440 * minute)))
      })
    )
  })

  it("counts a delivery once against the daily cap, by the day in UTC", () => {
    expect(capDay(Date.UTC(2032, 1, 29, 23, 59, 59, 999))).toEqual({
      day: "2032-02-29",
      next: Date.UTC(2032, 2, 1)
    })
    expect(needsQuota(delivery(), { isSystem: false })).toBe(true)
    expect(needsQuota(delivery({ claims: 1 }), { isSystem: false })).toBe(false)
    expect(needsQuota(delivery(), { isSystem: true })).toBe(false)
  })

  it("retries after 1, 5, 15, 30 min, 1, 2, 4, 8, 12, 24 h, each 10 % more or less, and then ends", () => {
    const minutes = [1, 5, 15, 30, 60, 120, 240, 480, 720, 1440]
    for (const [index, wait] of minutes.entries()) {
      expect(nextDeliveryAttemptAt(index + 1, now, 0.5)).toBe(now + wait * minute)
      expect(nextDeliveryAttemptAt(index + 1, now, 0)).toBe(now + wait * minute * 0.9)
      expect(nextDeliveryAttemptAt(index + 1, now, 1 - Number.EPSILON)).toBe(
        now + Math.round(wait * minute * 1.1)
      )
    }
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, jitter) => {
          const at = nextDeliveryAttemptAt(attempts, now, jitter)
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
    refusal: null,
    busyUntil: null,
    dueSince: now,
    wait: null,
    maxHeld: 5 * 1440 * minute,
    now,
    ...values
  })

  it("sends only a Queued delivery, or one that a dead sender left before the last byte", () => {
    for (const status of deliveryStatuses) {
      for (const committedAt of [null, now]) {
        const dispatch = decideDispatch(facts({ delivery: delivery({ status, committedAt }) }))
        if (status !== "Queued" && status !== "HandingOff") expect(dispatch).toEqual({ _tag: "Done" })
        else if (status === "HandingOff" && committedAt !== null) {
          expect(dispatch).toEqual({ _tag: "End", steps: [["Unknown", "sending.outcome_unknown"]] })
        } else expect(dispatch).toEqual({ _tag: "Send", sender })
      }
    }
  })

  it("checks the gate, schedule, sender and destination in that order, by listed moves", () => {
    const refusals = [
      null,
      ...suppressionKinds.map((kind) => ({ _tag: "Suppressed", kind }) as const),
      { _tag: "NoConsent" } as const,
      { _tag: "TopicOff" } as const
    ]
    for (const status of ["Queued", "HandingOff"] as const) {
      for (const refusal of refusals) {
        for (const sendAt of [null, now, now + minute]) {
          for (const from of [sender, null]) {
            for (const busyUntil of [null, now + minute]) {
              const one = delivery({ status })
              const dispatch = decideDispatch(
                facts({ delivery: one, refusal, sendAt, sender: from, busyUntil })
              )
              const last = "steps" in dispatch ? dispatch.steps.at(-1) : undefined
              if ("steps" in dispatch) {
                for (const move of movesThrough(one, dispatch.steps, 0, now)) {
                  if (move.from !== move.to) expect(table).toContain(`${move.from} > ${move.to}`)
                }
              }
              if (refusal !== null) {
                const why = refusal._tag === "Suppressed" ? refusal.kind.toLowerCase() : "consent"
                expect([dispatch._tag, last]).toEqual(["End", ["Suppressed", `sending.gate_${why}`]])
              } else if (sendAt === now + minute) {
                expect(dispatch).toMatchObject({
                  _tag: "Wait",
                  at: sendAt,
                  steps: [["Queued", "sending.scheduled"]]
                })
              } else if (from === null) {
                expect([dispatch._tag, last]).toEqual(["End", ["Queued", "sending.no_verified_sender"]])
              } else if (busyUntil !== null) {
                expect(dispatch).toMatchObject({ _tag: "Wait", at: busyUntil })
              } else expect(dispatch).toEqual({ _tag: "Send", sender })
            }
          }
        }
      }
    }
  })

  it("holds a delivery for at most 5 days from when it was first due, whenever it was first held", () => {
    const maxHeld = 5 * 1440 * minute
    const times = fc.integer({ min: 0, max: 2 * maxHeld })
    const reasons = fc.constantFrom("sending.provider_held", "sending.sender_held", "sending.warming_up")
    fc.assert(
      fc.property(times, fc.option(times), reasons, (due, held, reason) => {
        const heldSince = held === null || held > due ? null : now - held
        const wait = { at: now + minute, hold: { reason, lane: "google" } } as const
        const dueSince = now - due
        const dispatch = decideDispatch(facts({ delivery: delivery({ heldSince }), dueSince, wait, maxHeld }))
        if (due >= maxHeld)
          expect(["steps" in dispatch && dispatch.steps.at(-1), dispatch._tag]).toEqual([
            ["Failed", "sending.held_too_long"],
            "End"
          ])
        else expect(dispatch).toMatchObject({ _tag: "Wait", at: wait.at })
      })
    )
    // A delivery that only waits for a slow lane was never held.
    const paced = { at: now + minute, hold: { reason: "sending.retrying", lane: "google" } } as const
    expect(decideDispatch(facts({ dueSince: now - 2 * maxHeld, wait: paced }))._tag).toBe("Wait")
  })

  it("returns the moves through states in order, within the delivery's claim", () => {
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

describe("sandboxOutcome", () => {
  it("simulates bounce, complaint and defer at any domain, and delivers to any other address", () => {
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

  it("delivers a deferred email at its only retry", () => {
    expect(nextDeliveryAttemptAt(1, now, 0.5)).not.toBeNull()
    expect(sandboxOutcome("defer@example.com", 1)).toEqual({ _tag: "Delivered" })
  })
})

describe("senderOf", () => {
  const account = (defaultSender: Account["settings"]["defaultSender"]): Account => ({
    id: "account",
    companyId: "company",
    mode: "Live",
    name: "Account",
    settings: { ...defaultSettings, defaultSender },
    deletedAt: null,
    createdAt: now,
    updatedAt: now,
    updatedBy: null
  })
  const domain = (name: string, accountId = "account"): SendingDomain =>
    newDomain({ id: `${accountId}/${name}`, accountId, domain: name, createdAt: now }, true)

  it("returns the default sender when its exact domain is verified in its account", () => {
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

  it("returns the sender of the email by the same rule, whatever the default sender", () => {
    const from = { email: "news@mail.example.com", name: "News" }
    expect(senderOf(account(sender), [domain("mail.example.com")], from)).toEqual(from)
    expect(senderOf(account(null), [domain("mail.example.com")], from)).toEqual(from)
    expect(senderOf(account(sender), [domain("example.com")], from)).toBeNull()
    expect(
      verifiedDomainOf("account", from.email, [
        domain("mail.example.com", "other"),
        domain("mail.example.com")
      ])?.id
    ).toBe("account/mail.example.com")
  })
})
