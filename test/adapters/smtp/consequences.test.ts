/**
 * Tests the consequences of mail servers' replies, for any reply at any stage: for the recipient, and for the lane.
 *
 * @module
 */
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { Lane } from "../../../adapters/smtp/transport/Lane.ts"
import { consequenceOf, noConversation } from "../../../adapters/smtp/transport/TransactionResult.ts"
import type { AnswerAction } from "../../../core/model/Answer.ts"
import type { Outcome } from "../../../core/model/Message.ts"
import { type Suspension, suspensionKey } from "../../../core/model/Suspension.ts"
import { stateAfter } from "../../../core/sending/delivery/DeliveryRules.ts"
import { decideAnswer } from "../../../core/sending/shaping/Answers.ts"
import { parseReply, smtpStages } from "../../../core/sending/shaping/SmtpReply.ts"
import {
  afterRejection,
  heldReason,
  maxHeld,
  resolved,
  scopeOf
} from "../../../core/sending/shaping/SuspensionRules.ts"
import { draftMail } from "../../support/senders.ts"

const seen = readFileSync(
  join(import.meta.dirname, "../../../core/sending/shaping/answers.corpus.jsonl"),
  "utf8"
)
  .trim()
  .split("\n")
  .map((line) => (JSON.parse(line) as { readonly reply: string }).reply)

const reply = fc.oneof(
  fc.constantFrom(...seen),
  fc
    .tuple(
      fc.integer({ min: 200, max: 599 }),
      fc.option(
        fc
          .tuple(fc.constantFrom(2, 4, 5), fc.nat({ max: 8 }), fc.nat({ max: 700 }))
          .map((parts) => parts.join("."))
      ),
      fc.oneof(
        fc.string({ maxLength: 60 }),
        fc.constantFrom(...seen).map((text) => text.slice(4))
      )
    )
    .map(([code, status, text]) => [code, ...(status === null ? [] : [status]), text].join(" "))
)

/** The states that each action allows (docs/delivery.md "What a reply means"), and when they may occur at the earliest. */
const allowed: Readonly<Record<AnswerAction, ReadonlyArray<string>>> = {
  Retry: ["Queued sending.retrying", "Failed sending.refused"],
  SlowDown: ["Queued sending.retrying"],
  PauseSource: ["Queued sending.provider_held"],
  PauseSite: ["Queued sending.provider_held"],
  PauseSender: ["Queued sending.sender_held"],
  Probe: ["Queued sending.sender_held"],
  FailMessage: ["Failed sending.refused"],
  Mailbox: ["Failed sending.mailbox_full"],
  Bounce: ["Bounced null"]
}

it("every reply leads to a state of the table, and none widens the lane", () => {
  const [delivery] = draftMail("00000000-0000-4000-8000-000000000001", [["a@one.example", "To"]]).deliveries
  fc.assert(
    fc.property(
      reply,
      fc.constantFrom(...smtpStages),
      fc.boolean(),
      fc.nat({ max: 9 }),
      (text, stage, isRelay, attempts) => {
        const parsed = parseReply(text)
        if (parsed.code < 300) return
        const context = { name: "lane", provider: null, isRelay, domain: "one.example", attempts }
        const conversation = { ...noConversation(""), error: null, replies: [text] }
        const result = { _tag: "Rejected", stage, reply: parsed, conversation } as const
        const { feedback, outcome } = consequenceOf(result, "Delivered", context)
        const { action, scope } = decideAnswer(parsed, { stage, provider: null, isRelay })
        const [status, reason] = stateAfter(outcome, delivery!, true, holdOf(outcome))
        expect(allowed[action]).toContain(`${status} ${reason}`)
        expect(outcome._tag === "Bounced").toBe(action === "Bounce")
        if (outcome._tag === "Held" || outcome._tag === "Refused")
          expect(outcome.rejection?.words ?? "").not.toMatch(/[a-z0-9]@[a-z0-9]+\.[a-z]/i)

        const lane = new Lane({ startLimit: 3, maxLimit: 9, idleMillis: 1, maxUses: 9 })
        for (let round = 0; round < 20; round++) {
          const before = lane.limit(0)
          lane.release(lane.request(0, "account"), feedback, 0)
          expect(lane.limit(0)).toBeLessThanOrEqual(before)
        }
        const isNeutral = ["Bounce", "Mailbox", "FailMessage", "Probe", "PauseSender"].includes(action)
        if (isNeutral || scope === "mailbox" || scope === "greylist") expect(feedback).toBeNull()
      }
    ),
    { numRuns: 2000 }
  )
})

const holdOf = (outcome: Outcome) => {
  if (outcome._tag !== "Held") return null
  const delivery = { id: "1", accountId: "2", sender: "mail.example" }
  const scope = scopeOf(outcome.rejection, delivery)
  return { reason: scope === null ? ("sending.retrying" as const) : heldReason(scope), lane: "lane" }
}

it("suspensions end, are never longer than 12 hours, and hold what they were made for", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          text: reply,
          stage: fc.constantFrom(...smtpStages),
          id: fc.constantFrom("1", "2", "3"),
          wait: fc.nat({ max: 3 }),
          ends: fc.boolean()
        }),
        { minLength: 1, maxLength: 12 }
      ),
      (steps) => {
        const known = new Map<string, Suspension>()
        let now = 0
        for (const { ends, id, stage, text, wait } of steps) {
          const parsed = parseReply(text)
          if (parsed.code < 300) continue
          const answer = decideAnswer(parsed, { stage, provider: null, isRelay: false })
          const delivery = { id, accountId: "account", sender: "mail.example" }
          const rejection = { answer, lane: "lane", words: text }
          const scope = scopeOf(rejection, delivery)
          if (scope === null) continue
          const key = suspensionKey({ ...scope, cause: "Reply" })
          const previous = known.get(key) ?? null
          const after = afterRejection(previous, rejection, delivery, scope, "id", now)
          if (after._tag === "Refused") {
            expect([answer.action, previous?.resolvedAt]).toEqual(["Probe", expect.any(Number)])
            continue
          }
          const { suspension } = after
          expect(suspensionKey(suspension)).toBe(key)
          expect(suspension.until).toBeGreaterThan(now)
          expect(suspension.until - now).toBeLessThanOrEqual(12 * 3_600_000)
          expect(suspension.resolvedAt).toBeNull()
          now = wait === 0 ? now + 1 : suspension.until + wait
          known.set(key, ends && now > suspension.until ? resolved(suspension, now) : suspension)
        }
      }
    )
  )
  expect([maxHeld(true), maxHeld(false)]).toEqual([72 * 3_600_000, 120 * 3_600_000])
})

it("a connection that is lost halves the lane, whenever that was", () => {
  const context = { name: "lane", provider: null, isRelay: false, domain: "one.example", attempts: 0 }
  const lost = (progress: "none" | "pending" | "committed") =>
    consequenceOf({ _tag: "Lost", progress, conversation: noConversation("timeout") }, "Delivered", context)
  expect(
    (["none", "pending", "committed"] as const).map((one) => [lost(one).outcome._tag, lost(one).feedback])
  ).toEqual([
    ["Deferred", { _tag: "Unavailable", wait: null }],
    ["Deferred", { _tag: "Unavailable", wait: null }],
    ["Unknown", { _tag: "Unavailable", wait: null }]
  ])
})
