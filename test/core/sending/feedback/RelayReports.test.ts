/**
 * Tests of the effects of providers' reports: each counts once, whatever their order and number, and only for the company's own
 * deliveries.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import type { DeliveryStatus } from "../../../../core/model/DeliveryStatus.ts"
import type { RelayReport } from "../../../../core/model/RelayReport.ts"
import { readFeedback } from "../../../../core/sending/feedback/Feedback.ts"
import { newId } from "../../../contract/fixtures.ts"
import {
  RecordedEvents,
  recipient as email,
  report,
  reporting,
  setUp
} from "../../../support/reportedDeliveries.ts"
import { reportOrdersSuite } from "../../../support/reportOrders.ts"

const services = reporting.pipe(Layer.provideMerge(Layer.fresh(memory)))

const untouched = { reason: null, listed: null, consent: "Unknown", source: null, events: [] }

describe("a provider's report", () => {
  it.effect("has the effects of its kind on each state, once", () =>
    Effect.gen(function* () {
      const delivered = { ...untouched, status: "Delivered", events: ["email.delivered"] }
      const bounced = {
        ...untouched,
        status: "Bounced",
        listed: "Bounced",
        consent: "Bounced",
        source: "Bounce",
        events: ["email.bounced"]
      }
      const failed = (reason: string) => ({ ...untouched, status: "Failed", reason })
      const cases: ReadonlyArray<readonly [DeliveryStatus, RelayReport, object]> = [
        ["Accepted", report("Delivered"), delivered],
        ["Sent", report("Delivered"), delivered],
        ["Unknown", report("Delivered"), { ...delivered, events: ["email.sent", "email.delivered"] }],
        ["Accepted", report("Bounced"), bounced],
        ["Delivered", report("Bounced"), bounced],
        ["Unknown", report("Bounced"), bounced],
        ["Accepted", report("Failed"), failed("sending.refused")],
        ["Accepted", report("Failed", { failure: "MailboxFull" }), failed("sending.mailbox_full")],
        ["Accepted", report("Failed", { failure: "Deferred" }), failed("sending.retries_exhausted")],
        ["Delivered", report("Failed"), { ...untouched, status: "Delivered" }],
        [
          "Accepted",
          report("Suppressed"),
          { ...untouched, status: "Suppressed", reason: "sending.relay_suppressed" }
        ],
        ["Sent", report("Suppressed"), { ...untouched, status: "Sent" }],
        ["Accepted", report("Deferred"), { ...untouched, status: "Accepted" }],
        [
          "Delivered",
          report("Unsubscribed"),
          { ...untouched, status: "Delivered", consent: "Unsubscribed", source: "Relay" }
        ],
        ["Queued", report("Unsubscribed"), { ...untouched, status: "Queued" }],
        ["Queued", report("Complained"), { ...untouched, status: "Queued" }],
        ["Failed", report("Delivered"), { ...untouched, status: "Failed" }],
        ["Bounced", report("Delivered"), { ...untouched, status: "Bounced" }],
        ["Suppressed", report("Delivered"), { ...untouched, status: "Suppressed" }]
      ]
      for (const [status, one, expected] of cases) {
        const { state, take } = yield* setUp(status)
        for (const time of ["once", "again"]) {
          const taken = yield* take([one, one])
          expect(taken).toEqual({ taken: 2, unmatched: 0, foreign: 0, pending: 0 })
          const about = `${status} ${one.kind} ${time}`
          expect({ about, ...(yield* state) }).toEqual({ about, ...expected })
        }
      }
      const { state, take } = yield* setUp("Accepted")
      yield* take([report("Complained"), report("Complained", { at: 2_000 })])
      expect(yield* state).toEqual({
        ...untouched,
        status: "Accepted",
        listed: "Complained",
        consent: "Complained",
        source: "Complaint",
        events: ["email.complained"]
      })
    }).pipe(Effect.provide(services))
  )

  it.effect("counts by a reference that this installation signed, of its own company's deliveries", () =>
    Effect.gen(function* () {
      const { about, company, messageId, state, take } = yield* setUp("Accepted")
      const other = yield* setUp("Accepted")
      const named = (reference: string) => about(report("Bounced"), reference)
      const forged = named(`b${"a".repeat(63)}`)
      expect(yield* take([forged, named("")])).toEqual({ taken: 0, unmatched: 2, foreign: 0, pending: 0 })
      expect(yield* take([report("Bounced")], newId())).toEqual({
        taken: 0,
        unmatched: 0,
        foreign: 1,
        pending: 0
      })
      expect(yield* state).toEqual({ ...untouched, status: "Accepted" })
      // Reports about other accounts' deliveries in the same batch, and the installation's relay.
      const batch = [forged, other.about(report("Bounced")), named(messageId.toUpperCase())]
      expect(yield* take(batch)).toEqual({ taken: 1, unmatched: 1, foreign: 1, pending: 0 })
      expect(yield* state).toMatchObject({ status: "Bounced", listed: "Bounced" })
      expect(yield* other.state).toEqual({ ...untouched, status: "Accepted" })
      yield* other.take([report("Delivered")], null)
      expect(yield* other.state).toMatchObject({ status: "Delivered" })
      expect(company.id).not.toBe(other.company.id)
    }).pipe(Effect.provide(services))
  )

  it.effect("about the delivery's own recipient counts before one about another", () =>
    Effect.gen(function* () {
      const { about, state, take } = yield* setUp("Accepted")
      const other = { references: [], providerIds: [], recipient: "alias@example.org" }
      yield* take([about(report("Bounced", { delivery: other })), about(report("Delivered"))])
      expect(yield* state).toMatchObject({ status: "Delivered", listed: null })
      const alias = yield* setUp("Accepted")
      yield* alias.take([alias.about(report("Delivered", { delivery: other }))])
      expect(yield* alias.state).toMatchObject({ status: "Delivered" })
    }).pipe(Effect.provide(services))
  )

  it.effect("is applied from what a provider posts", () =>
    Effect.gen(function* () {
      const { about, state, take } = yield* setUp("Accepted")
      const [reference] = about(report("Delivered")).delivery.references.slice(-1)
      const entry = (event: string, more = {}) => ({ email, event, "svc-delivery": reference, ...more })
      const posted = readFeedback(
        "SendGrid",
        [
          entry("processed"),
          entry("delivered", { response: "250 OK" }),
          "broken",
          entry("bounce", { type: "bounce", status: "5.1.1", reason: "550 5.1.1 User unknown" })
        ],
        5_000
      )
      yield* take(posted.reports)
      expect(yield* state).toMatchObject({
        status: "Bounced",
        events: ["email.delivered", "email.bounced"]
      })
      const [, bounce] = (yield* RecordedEvents).slice(-2)
      expect(bounce?.reason).toBe("550 5.1.1 User unknown")
    }).pipe(Effect.provide(services))
  )
})

reportOrdersSuite("memory", Layer.fresh(memory))
