/**
 * The effects of receiving servers' reports: on deliveries, the suppression list, consent and email events. Only proven
 * reports have effects, each once.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { ConsentUpdates } from "../../../../core/audience/contacts/ConsentUpdates.ts"
import { newContact } from "../../../../core/model/Contact.ts"
import { ContactStore } from "../../../../core/ports/ContactStore.ts"
import { Crypto } from "../../../../core/ports/Crypto.ts"
import { SubmissionStore } from "../../../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import type { RecipientReport } from "../../../../core/sending/reports/DeliveryReport.ts"
import { canMove, type DeliveryStatus, deliveryStatuses } from "../../../../core/model/DeliveryStatus.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import type { EmailEvent } from "../../../../core/model/EmailEvent.ts"
import { EmailEvents } from "../../../../core/sending/fanout/EmailEvents.ts"
import { arrivalOf, findingOf } from "../../../../core/sending/reports/ReportRules.ts"
import { Reports, StillHandingOver } from "../../../../core/sending/reports/Reports.ts"
import { returnPathTokens } from "../../../../core/sending/delivery/ReturnPath.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { draftSubmission } from "../../../contract/drafts.ts"
import { newId } from "../../../contract/fixtures.ts"
import { installationKeys, ringOf } from "../../../support/keys.ts"

const key = new Uint8Array(32).fill(3)

const keys = installationKeys(key)

const publicEndpoint = Layer.succeed(PublicEndpoint, {
  baseUrl: () => "https://mail.example",
  mailHost: "mail.example",
  takesReports: true
})

/** The email events recorded. */
class RecordedEvents extends Context.Service<RecordedEvents, Array<EmailEvent>>()("test/RecordedEvents") {}

const recordedEvents = Layer.sync(RecordedEvents, (): Array<EmailEvent> => [])

const events = Layer.effect(
  EmailEvents,
  Effect.map(RecordedEvents, (list) =>
    EmailEvents.of({
      record: (added) => Effect.sync(() => void list.push(...added))
    })
  )
)

const services = Reports.layer.pipe(
  Layer.provideMerge(events),
  Layer.provide(ConsentUpdates.layer),
  Layer.provideMerge(Layer.mergeAll(recordedEvents, Ids.layer)),
  Layer.provideMerge(Layer.mergeAll(Layer.fresh(memory), crypto, keys, publicEndpoint))
)

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../../../fixtures/reports/${name}.eml`), "utf8")

const email = "jane@example.net"

/** An account with a contact and a delivery to it in a state. */
const setUp = Effect.fnUntraced(function* (status: DeliveryStatus) {
  const accountId = newId()
  const submission = draftSubmission(accountId, {}, { email, status })
  yield* (yield* SubmissionStore).insert(accountId, [submission], [])
  yield* (yield* ContactStore).write(accountId, {
    inserts: [newContact(newId(), email, 0)],
    updates: [],
    released: [],
    updatedFields: "Any",
    consents: [],
    contactLimit: null
  })
  const ref = { accountId, id: submission.deliveries[0]!.id }
  const paths = returnPathTokens(yield* Crypto, ringOf(key))
  const recipient = paths.address(ref, "example.com")
  const reports = yield* Reports
  const list = yield* RecordedEvents
  return {
    accountId,
    paths,
    ref,
    recipient,
    report: (name: string, to = recipient) =>
      reports.take([
        {
          recipients: [to],
          raw: new TextEncoder().encode(fixture(name).replaceAll("the-token", paths.token(ref)))
        }
      ]),
    /** Everything there is to see of it. */
    state: Effect.gen(function* () {
      const [delivery] = yield* (yield* SubmissionStore).deliveries([ref])
      const [entry] = yield* (yield* SuppressionStore).find([{ accountId, email }])
      const contacts = yield* (yield* ContactStore).find(accountId, {
        ids: [],
        externalIds: [],
        emails: [email]
      })
      return {
        status: delivery!.status,
        reason: delivery!.reason,
        listed: entry?.kind ?? null,
        consent: contacts[0]!.consentStatus,
        events: list.filter((event) => event.accountId === accountId).map((event) => event.type)
      }
    })
  }
})

const untouched = (status: DeliveryStatus) => ({
  status,
  reason: null,
  listed: null,
  consent: "Unknown",
  events: []
})

const bounced = {
  status: "Bounced",
  reason: null,
  listed: "Bounced",
  consent: "Bounced",
  events: ["email.bounced"]
}

describe("a proven report", () => {
  it.effect("moves its delivery by the table of decisions 5, and has no effect when repeated", () =>
    Effect.gen(function* () {
      const failed = (status: string, reason: string) => ({ ...untouched("Failed"), status, reason })
      const delivered = { ...untouched("Delivered"), events: ["email.delivered"] }
      const cases: ReadonlyArray<readonly [DeliveryStatus, string, object]> = [
        ["Accepted", "postfix-user-unknown", bounced],
        ["Sent", "office365-recipient-not-found", bounced],
        ["Delivered", "exim-text-unknown", bounced],
        ["Accepted", "postfix-blocklist", failed("Failed", "sending.refused")],
        ["Sent", "qmail-message-refused", failed("Failed", "sending.refused")],
        ["Accepted", "postfix-expired", failed("Failed", "sending.retries_exhausted")],
        ["Sent", "postfix-mailbox-full", failed("Failed", "sending.retries_exhausted")],
        ["Delivered", "postfix-blocklist", untouched("Delivered")],
        ["Accepted", "postfix-success", delivered],
        ["Sent", "postfix-expanded", delivered],
        ["Accepted", "postfix-delayed", untouched("Accepted")],
        ["Accepted", "postfix-relayed", untouched("Accepted")],
        ["Accepted", "alias-one-failed", untouched("Accepted")],
        ["Accepted", "alias-all-failed", failed("Failed", "sending.retries_exhausted")],
        ["Accepted", "vacation", untouched("Accepted")],
        ["Queued", "postfix-user-unknown", untouched("Queued")],
        ["Unknown", "postfix-user-unknown", untouched("Unknown")],
        ["Failed", "postfix-user-unknown", untouched("Failed")]
      ]
      for (const [status, name, expected] of cases) {
        const { report, state } = yield* setUp(status)
        for (const time of ["once", "again"]) {
          yield* report(name)
          const about = `${status} ${name} ${time}`
          expect({ about, ...(yield* state) }).toEqual({ about, ...expected })
        }
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("of a complaint suppresses the address, by the return path or by the quoted message alone", () =>
    Effect.gen(function* () {
      const complained = (status: string) => ({
        status,
        reason: null,
        listed: "Complained",
        consent: "Complained",
        events: ["email.complained"]
      })
      for (const status of ["Accepted", "Sent", "Delivered", "Unknown"] as const) {
        for (const name of ["arf-abuse", "arf-headers-only", "arf-opt-out", "outlook-complaint"]) {
          const { report, state } = yield* setUp(status)
          yield* report(name, "abuse@mail.example")
          const about = `${status} ${name}`
          expect({ about, ...(yield* state) }).toEqual({ about, ...complained(status) })
        }
      }
      const { report, state } = yield* setUp("Delivered")
      for (const name of ["arf-not-spam", "arf-auth-failure", "forwarded-message"]) {
        yield* report(name, "abuse@mail.example")
        expect({ name, ...(yield* state) }).toEqual({ name, ...untouched("Delivered") })
      }
      const unsent = yield* setUp("Queued")
      yield* unsent.report("arf-abuse", "abuse@mail.example")
      expect(yield* unsent.state).toEqual(untouched("Queued"))
    }).pipe(Effect.provide(services))
  )

  it.effect("is postponed while its delivery is being transmitted", () =>
    Effect.gen(function* () {
      const { report, state } = yield* setUp("HandingOff")
      expect(yield* Effect.flip(report("postfix-user-unknown"))).toBeInstanceOf(StillHandingOver)
      expect(yield* state).toEqual(untouched("HandingOff"))
    }).pipe(Effect.provide(services))
  )

  it.effect("gives customers the reason", () =>
    Effect.gen(function* () {
      const { accountId, report } = yield* setUp("Accepted")
      yield* report("postfix-user-unknown")
      const event = (yield* RecordedEvents).find((one) => one.accountId === accountId)
      expect(event).toMatchObject({ email, type: "email.bounced", reason: expect.stringContaining("5.1.1") })
    }).pipe(Effect.provide(services))
  )
})

describe("a report that proves nothing", () => {
  it.effect("has no effect", () =>
    Effect.gen(function* () {
      const { paths, recipient, ref, report, state } = yield* setUp("Accepted")
      const other = returnPathTokens(yield* Crypto, ringOf(new Uint8Array(32))).address(ref, "example.com")
      const missing = paths.address({ ...ref, id: newId() }, "example.com")
      const stranger = paths.address({ ...ref, accountId: newId() }, "example.com")
      const changed = (recipient[9] === "a" ? "b" : "a") + recipient.slice(10)
      for (const to of [
        other,
        missing,
        stranger,
        recipient.slice(0, 9) + changed,
        "postmaster@mail.example"
      ]) {
        yield* report("postfix-user-unknown", to)
        expect(yield* state).toEqual(untouched("Accepted"))
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("is not accepted, except at the operator's addresses", () =>
    Effect.gen(function* () {
      const { accepts } = yield* Reports
      const { recipient } = yield* setUp("Accepted")
      const yes = [
        recipient.toUpperCase(),
        "abuse@mail.example",
        "Postmaster@MAIL.example",
        "fbl@bounces.a.example"
      ]
      for (const address of yes) expect([address, yield* accepts(address)]).toEqual([address, true])
      const no = [
        "abuse@other.example",
        "info@mail.example",
        "abuse",
        "",
        "@",
        `x${recipient}`,
        "@mail.example"
      ]
      for (const address of no) expect([address, yield* accepts(address)]).toEqual([address, false])
    }).pipe(Effect.provide(services))
  )
})

describe("the rules of reports", () => {
  const outcomes = ["Bounced", "Refused", "Deferred", "Delivered", "Delayed"] as const

  it("make only listed moves, and none of a delivery that is being transmitted", () => {
    for (const status of deliveryStatuses) {
      for (const outcome of outcomes) {
        const arrival = arrivalOf(status, outcome)
        if (arrival !== null) expect(canMove(status, arrival.to)).toBe(true)
        if (status === "HandingOff") expect(arrival).toBeNull()
      }
    }
  })

  it("suppress only when every address behind the recipient was rejected", () => {
    const address = fc.constantFrom("a@example.net", "b@example.net", "c@example.net", null)
    const report: fc.Arbitrary<RecipientReport> = fc.record({
      recipient: address,
      original: address,
      outcome: fc.constantFrom(...outcomes),
      reason: fc.constant(null)
    })
    fc.assert(
      fc.property(fc.array(report, { maxLength: 5 }), (reports) => {
        const named = reports.filter((one) => [one.recipient, one.original].includes("a@example.net"))
        const counted = named.length > 0 ? named : reports
        const outcome = findingOf("a@example.net", reports)?.outcome
        expect(outcome === "Bounced").toBe(
          counted.length > 0 && counted.every((one) => one.outcome === "Bounced")
        )
        expect(outcome === "Delivered").toBe(
          counted.length > 0 && counted.every((one) => one.outcome === "Delivered")
        )
      })
    )
  })
})
