/**
 * Deliveries with provider reports, and their observable state, for use cases over any storage.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import { ConsentUpdates } from "../../core/audience/contacts/ConsentUpdates.ts"
import { ContactEvents } from "../../core/audience/timeline/ContactEvents.ts"
import { FlowDispatcher } from "../../core/automation/runs/FlowDispatcher.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { newContact } from "../../core/model/Contact.ts"
import type { DeliveryStatus } from "../../core/model/DeliveryStatus.ts"
import type { EmailEvent } from "../../core/model/EmailEvent.ts"
import type { AttemptOutcome } from "../../core/model/Message.ts"
import type { RelayReport } from "../../core/model/RelayReport.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { AttemptStore } from "../../core/ports/AttemptStore.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { Crypto } from "../../core/ports/Crypto.ts"
import { RelayStore } from "../../core/ports/RelayStore.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { moveUnclaimed } from "../../core/sending/delivery/DeliveryRules.ts"
import { returnPathTokens } from "../../core/sending/delivery/ReturnPath.ts"
import { EmailEvents } from "../../core/sending/fanout/EmailEvents.ts"
import { RelayReports } from "../../core/sending/feedback/RelayReports.ts"
import { draftAttempt } from "../contract/AttemptStore.ts"
import { draftSubmission } from "../contract/drafts.ts"
import { draftCompany, newId } from "../contract/fixtures.ts"
import { installationKeys, ringOf } from "./keys.ts"

const key = new Uint8Array(32).fill(3)

/** The recipient of each delivery. */
export const recipient = "jane@example.net"

/** The email events recorded. */
export class RecordedEvents extends Context.Service<RecordedEvents, Array<EmailEvent>>()(
  "test/RelayEvents"
) {}

const events = Layer.effect(
  EmailEvents,
  Effect.map(RecordedEvents, (list) =>
    EmailEvents.of({ record: (added) => Effect.sync(() => void list.push(...added)) })
  )
)

/** `RelayReports` and its dependencies except storage. */
export const reporting = RelayReports.layer.pipe(
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
  Layer.provideMerge(Layer.mergeAll(crypto, installationKeys(key)))
)

/** A report about the recipient. */
export const report = (kind: RelayReport["kind"], values: Partial<RelayReport> = {}): RelayReport => ({
  delivery: { references: [], providerIds: [], recipient },
  kind,
  failure: kind === "Failed" ? "Refused" : null,
  code: null,
  words: null,
  at: 1_000,
  visit: null,
  ...values
})

/** The relay whose reports name their delivery. */
const relay = { id: newId(), kind: "Postmark" } as const

/**
 * A company with a contact, a delivery to it in a given state after an attempt with a given outcome, and functions to report
 * about the delivery.
 */
export const setUp = Effect.fnUntraced(function* (
  status: DeliveryStatus,
  outcome: AttemptOutcome | null = null
) {
  const { company, live, sandbox } = draftCompany()
  yield* (yield* AccountStore).insert([company], [live, sandbox])
  const submission = draftSubmission(live.id, {}, { email: recipient, status })
  yield* (yield* SubmissionStore).insert(live.id, [submission], [])
  yield* (yield* ContactStore).write(live.id, {
    inserts: [newContact(newId(), recipient, 0)],
    updates: [],
    released: [],
    updatedFields: "Any",
    consents: [],
    contactLimit: null
  })
  const ref = { accountId: live.id, id: submission.deliveries[0]!.id }
  if (outcome !== null) {
    yield* (yield* AttemptStore).put([draftAttempt(ref.accountId, ref.id, 1, { outcome })])
  }
  const tokens = returnPathTokens(yield* Crypto, ringOf(key))
  const { take } = yield* RelayReports
  const relays = yield* RelayStore
  const list = yield* RecordedEvents
  const about = (one: RelayReport, reference = tokens.token(ref)): RelayReport => ({
    ...one,
    delivery: { ...one.delivery, references: ["other", reference] }
  })
  return {
    company,
    ref,
    about,
    messageId: tokens.messageId(ref, "example.com"),
    take: (reports: ReadonlyArray<RelayReport>, companyId: string | null = company.id) =>
      take(
        companyId,
        reports.map((one) => (one.delivery.references.length > 0 ? one : about(one))),
        relay
      ),
    /** Ends the transmission as accepted. */
    accepted: Effect.gen(function* () {
      const store = yield* SubmissionStore
      const [delivery] = yield* store.deliveries([ref])
      yield* store.move([moveUnclaimed(delivery!, ["Accepted", null], 0)])
    }),
    /** Writes what an attempt by a relay writes. */
    accept: (relayId: string, providerId: string) =>
      relays.noteMessages([
        { accountId: ref.accountId, deliveryId: ref.id, relayId, providerId, sentAt: 1_000 }
      ]),
    /** The observable state of the delivery. */
    state: Effect.gen(function* () {
      const [delivery] = yield* (yield* SubmissionStore).deliveries([ref])
      const [entry] = yield* (yield* SuppressionStore).find([{ accountId: live.id, email: recipient }])
      const [contact] = yield* (yield* ContactStore).find(live.id, {
        ids: [],
        externalIds: [],
        emails: [recipient]
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
