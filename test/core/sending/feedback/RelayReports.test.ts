/**
 * The effects of providers' reports: each counts once, whatever their order and number, and only for the company's own
 * deliveries.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { ConsentUpdates } from "../../../../core/audience/contacts/ConsentUpdates.ts"
import { ContactEvents } from "../../../../core/audience/timeline/ContactEvents.ts"
import { FlowDispatcher } from "../../../../core/automation/runs/FlowDispatcher.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { newContact } from "../../../../core/model/Contact.ts"
import type { DeliveryStatus } from "../../../../core/model/DeliveryStatus.ts"
import type { EmailEvent } from "../../../../core/model/EmailEvent.ts"
import type { RelayReport } from "../../../../core/model/RelayReport.ts"
import { AccountStore } from "../../../../core/ports/AccountStore.ts"
import { ContactStore } from "../../../../core/ports/ContactStore.ts"
import { Crypto } from "../../../../core/ports/Crypto.ts"
import { SubmissionStore } from "../../../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import { returnPathTokens } from "../../../../core/sending/delivery/ReturnPath.ts"
import { EmailEvents } from "../../../../core/sending/fanout/EmailEvents.ts"
import { readFeedback } from "../../../../core/sending/feedback/Feedback.ts"
import { RelayReports } from "../../../../core/sending/feedback/RelayReports.ts"
import { draftSubmission } from "../../../contract/drafts.ts"
import { draftCompany, newId } from "../../../contract/fixtures.ts"
import { installationKeys, ringOf } from "../../../support/keys.ts"

const key = new Uint8Array(32).fill(3)
const email = "jane@example.net"

/** The email events recorded. */
class RecordedEvents extends Context.Service<RecordedEvents, Array<EmailEvent>>()("test/RelayEvents") {}

const events = Layer.effect(
  EmailEvents,
  Effect.map(RecordedEvents, (list) =>
    EmailEvents.of({ record: (added) => Effect.sync(() => void list.push(...added)) })
  )
)

const services = RelayReports.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      events,
      ConsentUpdates.layer,
      ContactEvents.layer.pipe(Layer.provideMerge(FlowDispatcher.layer)),
      Layer.succeed(PublicEndpoint, {
        baseUrl: () => "https://mail.example",
        mailHost: "mail.example",
        takesReports: false
      })
    )
  ),
  Layer.provideMerge(
    Layer.mergeAll(
      Layer.sync(RecordedEvents, (): Array<EmailEvent> => []),
      Ids.layer
    )
  ),
  Layer.provideMerge(Layer.mergeAll(Layer.fresh(memory), crypto, installationKeys(key)))
)

const report = (kind: RelayReport["kind"], values: Partial<RelayReport> = {}): RelayReport => ({
  delivery: { references: [], providerIds: [], recipient: email },
  kind,
  failure: kind === "Failed" ? "Refused" : null,
  code: null,
  words: null,
  at: 1_000,
  visit: null,
  ...values
})

/** A company with a contact and a delivery to it in a state, and reports about that delivery. */
const setUp = Effect.fnUntraced(function* (status: DeliveryStatus) {
  const { company, live, sandbox } = draftCompany()
  yield* (yield* AccountStore).insert([company], [live, sandbox])
  const submission = draftSubmission(live.id, {}, { email, status })
  yield* (yield* SubmissionStore).insert(live.id, [submission], [])
  yield* (yield* ContactStore).write(live.id, {
    inserts: [newContact(newId(), email, 0)],
    updates: [],
    released: [],
    updatedFields: "Any",
    consents: [],
    contactLimit: null
  })
  const ref = { accountId: live.id, id: submission.deliveries[0]!.id }
  const tokens = returnPathTokens(yield* Crypto, ringOf(key))
  const { take } = yield* RelayReports
  const list = yield* RecordedEvents
  const about = (one: RelayReport, reference = tokens.token(ref)): RelayReport => ({
    ...one,
    delivery: { ...one.delivery, references: ["other", reference] }
  })
  return {
    company,
    about,
    messageId: tokens.messageId(ref, "example.com"),
    take: (reports: ReadonlyArray<RelayReport>, companyId: string | null = company.id) =>
      take(
        companyId,
        reports.map((one) => (one.delivery.references.length > 0 ? one : about(one)))
      ),
    /** Everything there is to see of it. */
    state: Effect.gen(function* () {
      const [delivery] = yield* (yield* SubmissionStore).deliveries([ref])
      const [entry] = yield* (yield* SuppressionStore).find([{ accountId: live.id, email }])
      const [contact] = yield* (yield* ContactStore).find(live.id, {
        ids: [],
        externalIds: [],
        emails: [email]
      })
      return {
        status: delivery!.status,
        reason: delivery!.reason,
        listed: entry?.kind ?? null,
        consent: contact!.consentStatus,
        source: contact!.consentSource,
        events: list.filter((event) => event.accountId === live.id).map((event) => event.type)
      }
    })
  }
})

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
      // Others' reports in the same batch, and the relay of the installation.
      const batch = [forged, other.about(report("Bounced")), named(messageId.toUpperCase())]
      expect(yield* take(batch)).toEqual({ taken: 1, unmatched: 1, foreign: 1, pending: 0 })
      expect(yield* state).toMatchObject({ status: "Bounced", listed: "Bounced" })
      expect(yield* other.state).toEqual({ ...untouched, status: "Accepted" })
      yield* other.take([report("Delivered")], null)
      expect(yield* other.state).toMatchObject({ status: "Delivered" })
      expect(company.id).not.toBe(other.company.id)
    }).pipe(Effect.provide(services))
  )

  it.effect("waits while its delivery is being transmitted, and holds up no other", () =>
    Effect.gen(function* () {
      const busy = yield* setUp("HandingOff")
      const { about, state } = yield* setUp("Accepted")
      const taken = yield* busy.take([report("Delivered"), about(report("Delivered"))], null)
      expect(taken).toEqual({ taken: 1, unmatched: 0, foreign: 0, pending: 1 })
      expect(yield* state).toMatchObject({ status: "Delivered" })
      expect(yield* busy.state).toEqual({ ...untouched, status: "HandingOff" })
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

  it.effect("leads to the same state in any order, repeated, and divided into any batches", () =>
    Effect.gen(function* () {
      const histories = [
        [report("Deferred"), report("Delivered", { at: 2_000 }), report("Bounced", { at: 3_000 })],
        [report("Deferred"), report("Failed", { at: 2_000, failure: "Deferred" })],
        [report("Deferred"), report("Suppressed", { at: 2_000 })],
        [
          report("Delivered", { at: 2_000 }),
          report("Opened", { at: 2_100 }),
          report("Unsubscribed", { at: 2_200 }),
          report("Complained", { at: 2_300 })
        ]
      ]
      const arrivals = fc.sample(
        fc.constantFrom(...histories).chain((history) =>
          fc.record({
            history: fc.constant(history),
            shuffled: fc
              .shuffledSubarray([...history, ...history], { minLength: 2 * history.length })
              .map((list) => list),
            size: fc.integer({ min: 1, max: 4 })
          })
        ),
        { numRuns: 40, seed: 7 }
      )
      for (const { history, shuffled, size } of arrivals) {
        const [ordered, mixed] = [yield* setUp("Accepted"), yield* setUp("Accepted")]
        yield* ordered.take(history)
        for (let start = 0; start < shuffled.length; start += size) {
          yield* mixed.take(shuffled.slice(start, start + size))
        }
        const { events: inOrder, source: _, ...expected } = yield* ordered.state
        const { events: mixedUp, source: __, ...found } = yield* mixed.state
        expect(found).toEqual(expected)
        expect(inOrder).toEqual(expect.arrayContaining(mixedUp))
      }
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
