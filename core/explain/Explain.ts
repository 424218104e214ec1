/**
 * Explains why a person did or did not get an email, the emails of a flow, or a campaign
 * (docs/contributing/management-api.md).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ErasedAddresses } from "../audience/contacts/ErasedAddresses.ts"
import { keysOfReference, parseReference } from "../audience/contacts/Reference.ts"
import type { Contact } from "../model/Contact.ts"
import type { Delivery, SubmissionSummary } from "../model/Submission.ts"
import { AttemptStore } from "../ports/AttemptStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { FlowStore } from "../ports/FlowStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { type TimelineEntry, TimelineStore } from "../ports/TimelineStore.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { SuppressionLookup } from "../sending/suppressions/SuppressionLookup.ts"
import { maxPageSize, type Page, type PageRequest, type Place } from "../shared/Page.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import {
  erasedFinding,
  explainDelivery,
  explainFlow,
  explainRecipient,
  type Explanation,
  explanationOf,
  notRecipient
} from "./ExplainRules.ts"

/** The subject of an explanation: one email, the emails of a flow, or a campaign. */
export type Subject =
  | { readonly _tag: "Email"; readonly id: string }
  | { readonly _tag: "Flow"; readonly id: string }
  | { readonly _tag: "Campaign"; readonly id: string }

/** The most emails of a run that are explained. */
const maxEmails = 10
/** The most timeline pages that are searched for the event that starts a flow. */
const maxPages = 5

/** The person whom a reference identifies, as far as known. */
interface Person {
  readonly contact: Contact | null
  /** All normalized addresses of the person. */
  readonly addresses: ReadonlyArray<string>
  /** Null if the person was not erased. */
  readonly erased: { readonly at: number | null } | null
}

/** Explains what happened with emails. */
export class Explain extends Context.Service<
  Explain,
  {
    /**
     * Explains why the person of a reference did or did not get something. audience.contact_reference_invalid;
     * audience.contact_not_found, except for an address and an email; common.not_found for an unknown email, flow or campaign.
     */
    readonly explain: (
      accountId: string,
      reference: string,
      subject: Subject
    ) => Effect.Effect<Explanation, Problem | Unavailable>
  }
>()("svc/explain/Explain") {
  static readonly layer = Layer.effect(
    Explain,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(ErasedAddresses.layer))
}

const make = Effect.gen(function* () {
  const attempts = yield* AttemptStore
  const campaigns = yield* CampaignStore
  const contacts = yield* ContactStore
  const erasedAddresses = yield* ErasedAddresses
  const flows = yield* FlowStore
  const runs = yield* RunStore
  const submissions = yield* SubmissionStore
  const suppressions = yield* SuppressionLookup
  const timeline = yield* TimelineStore
  const topics = yield* TopicStore

  const personOf = Effect.fnUntraced(function* (
    accountId: string,
    given: string
  ): Effect.fn.Return<Person, Problem | Unavailable> {
    const reference = yield* Effect.mapError(Effect.fromResult(parseReference(given)), () =>
      Problem.of("audience.contact_reference_invalid", "contact")
    )
    const [contact] = yield* contacts.find(accountId, keysOfReference(reference))
    if (contact === undefined) {
      const addresses = reference._tag === "Email" ? [reference.email] : []
      const erased = yield* erasedAddresses.among(accountId, addresses)
      return { contact: null, addresses, erased: erased.size > 0 ? { at: null } : null }
    }
    const { email, erasedAt, formerEmails } = contact
    return erasedAt === null
      ? { contact, addresses: email === null ? [] : [email, ...formerEmails], erased: null }
      : { contact: null, addresses: [], erased: { at: erasedAt } }
  })

  /** The findings about deliveries to a person. */
  const findingsOf = Effect.fnUntraced(function* (
    accountId: string,
    { contact }: Person,
    found: ReadonlyArray<{ readonly submission: SubmissionSummary; readonly delivery: Delivery }>
  ) {
    const [made, suppressed, known] = yield* Effect.all(
      [
        attempts.of(found.map(({ delivery }) => delivery)),
        suppressions.find(
          [...new Set(found.map(({ delivery }) => delivery.email))].map((email) => ({ accountId, email }))
        ),
        topics.list(accountId)
      ],
      { concurrency: "unbounded" }
    )
    return found.map(({ delivery, submission }) =>
      explainDelivery(submission, delivery, {
        contact,
        topics: known,
        suppression: suppressed.find(({ email }) => email === delivery.email),
        attempts: made.filter(({ deliveryId }) => deliveryId === delivery.id)
      })
    )
  })

  /** The deliveries of emails that were addressed to a person. */
  const deliveriesTo = ({ addresses }: Person, emails: ReadonlyArray<SubmissionSummary>) =>
    emails.flatMap((submission) =>
      submission.deliveries
        .filter(({ email }) => addresses.includes(email))
        .map((delivery) => ({ submission, delivery }))
    )

  const explainEmail = Effect.fnUntraced(function* (accountId: string, person: Person, id: string) {
    const [submission] = yield* submissions.find(accountId, [id])
    const found = submission === undefined ? [] : deliveriesTo(person, [submission])
    const findings = (yield* findingsOf(accountId, person, found)).flat()
    const [first, ...others] = findings
    if (first !== undefined) return explanationOf([first, ...others])
    // Emails to an erased person no longer exist, so the email's id may be unknown.
    if (person.erased !== null) return explanationOf([erasedFinding(person.erased.at)])
    if (submission === undefined) return yield* Problem.of("common.not_found")
    return explanationOf([notRecipient(submission)])
  })

  /** A person's latest events with a name, newest first. */
  const eventsOf = Effect.fnUntraced(function* (accountId: string, contactId: string, name: string) {
    const found: Array<TimelineEntry> = []
    let after: Place | null = null
    for (let page = 0; page < maxPages; page++) {
      const request: PageRequest = { page: 1, pageSize: maxPageSize, after, total: "Bounded" }
      const { items, next }: Page<TimelineEntry> = yield* timeline.list(accountId, contactId, request)
      found.push(...items.filter((entry) => entry.name === name))
      if (next === null) break
      after = next
    }
    return found
  })

  /** The findings about the emails of a run, newest first. */
  const emailsOf = Effect.fnUntraced(function* (
    accountId: string,
    person: Person,
    flowId: string,
    runId: string
  ) {
    const filter = { flowId: [flowId], to: person.addresses }
    const page = { page: 1, pageSize: 50, total: "Bounded" as const }
    const { items } = yield* submissions.list(accountId, filter, page)
    const ofRun = items.filter((submission) => submission.runId === runId).slice(0, maxEmails)
    return yield* findingsOf(accountId, person, deliveriesTo(person, ofRun))
  })

  const explainFlowOf = Effect.fnUntraced(function* (accountId: string, person: Person, id: string) {
    const [flow] = yield* flows.find(accountId, [id])
    if (flow === undefined) return yield* Problem.of("common.not_found")
    if (person.erased !== null) return explanationOf([erasedFinding(person.erased.at)])
    const { contact } = person
    if (contact === null) return yield* Problem.of("audience.contact_not_found", "contact")
    const [version] =
      flow.version === 0 ? [] : yield* flows.versions([{ accountId, flowId: flow.id, version: flow.version }])
    const published = version?.definition ?? null
    const trigger = published?.trigger
    const newest = { page: 1, pageSize: 1, total: "Bounded" as const }
    const {
      items: [run = null]
    } = yield* runs.list(accountId, flow.id, { contactId: [contact.id] }, newest)
    return explainFlow({
      flow,
      published,
      run,
      emails: run === null ? [] : yield* emailsOf(accountId, person, flow.id, run.id),
      events: trigger?.kind === "Event" ? yield* eventsOf(accountId, contact.id, trigger.name) : [],
      now: yield* Clock.currentTimeMillis
    })
  })

  const explainCampaignOf = Effect.fnUntraced(function* (accountId: string, person: Person, id: string) {
    const [campaign] = yield* campaigns.find(accountId, [id])
    if (campaign === undefined) return yield* Problem.of("common.not_found")
    if (person.erased !== null) return explanationOf([erasedFinding(person.erased.at)])
    const { contact } = person
    if (contact === null) return yield* Problem.of("audience.contact_not_found", "contact")
    const recipient = yield* campaigns.recipient(accountId, campaign.id, contact.id)
    if (recipient?.deliveryId != null) {
      const [delivery] = yield* submissions.deliveries([{ accountId, id: recipient.deliveryId }])
      const [submission] =
        delivery === undefined ? [] : yield* submissions.find(accountId, [delivery.submissionId])
      if (delivery !== undefined && submission !== undefined) {
        return explanationOf((yield* findingsOf(accountId, person, [{ submission, delivery }]))[0]!)
      }
    }
    const progress = yield* campaigns.progress(accountId, campaign.id)
    return explanationOf([explainRecipient(campaign, recipient, progress?.isComplete === true)])
  })

  return Explain.of({
    explain: Effect.fn("Explain.explain")(function* (accountId, reference, subject) {
      const person = yield* personOf(accountId, reference)
      const isKnown = person.contact !== null || person.erased !== null
      if (!isKnown && (subject._tag !== "Email" || person.addresses.length === 0)) {
        return yield* Problem.of("audience.contact_not_found", "contact")
      }
      switch (subject._tag) {
        case "Email":
          return yield* explainEmail(accountId, person, subject.id)
        case "Flow":
          return yield* explainFlowOf(accountId, person, subject.id)
        case "Campaign":
          return yield* explainCampaignOf(accountId, person, subject.id)
      }
    })
  })
})
