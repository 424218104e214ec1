/**
 * Records opens and clicks. The first open and the first click of each delivery create a notification, even if a program made
 * them. The contact's times and timeline use the first that a person may have made.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Metric, Result } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { ContactEvents } from "../../audience/timeline/ContactEvents.ts"
import { conversionJob } from "../../jobs/definitions/ConversionJobs.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { ContactEvent } from "../../model/Event.ts"
import { type DeliveryVisits, trapLink, type VisitKind, type VisitVerdict } from "../../model/Visit.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AttemptStore } from "../../ports/AttemptStore.ts"
import { ContactStore, type ContactTouch } from "../../ports/ContactStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { TimelineStore } from "../../ports/TimelineStore.ts"
import { VisitStore } from "../../ports/VisitStore.ts"
import type { Attempt } from "../../model/Message.ts"
import type { ReportedVisit } from "../../model/RelayReport.ts"
import { isPending } from "../../model/DeliveryStatus.ts"
import type { Delivery } from "../../model/Submission.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { describeDefect } from "../../shared/Defect.ts"
import { makeGroupCommit } from "../../kernel/GroupCommit.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { WriteConflict } from "../../ports/Transaction.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { hashUuid } from "../../shared/Uuid.ts"
import { EmailEvents, eventOf } from "../fanout/EmailEvents.ts"
import { type LaterCount, LaterCounts } from "../standing/LaterCounts.ts"
import { visitChange } from "../standing/StandingCounts.ts"
import { makeMachines } from "./Machines.ts"
import { addVisits, type DeliveryVisitor } from "./VisitRecord.ts"
import type { VisitRequest } from "./VisitRules.ts"
import { trackingOf } from "./TrackHtml.ts"
import { linkDigest } from "../templates/LinkNames.ts"
import { readLinkToken, readOpenToken, type TrackingSigner } from "./TrackingTokens.ts"

/** The maximum number of opens and clicks that are written together. */
const maxGroup = 500
/**
 * The maximum number of visits that wait to be written. Further ones are not recorded, since following a link must never wait.
 */
const maxWaiting = 20_000

/** The programs with which visits are compared. */
export const KnownMachines = Context.Reference("svc/sending/KnownMachines", {
  defaultValue: () => makeMachines()
})

/** An open or click to be recorded. */
interface Engagement {
  readonly delivery: DeliveryRef
  /** The link of a click; null for an open, and for the trap link. */
  readonly url: string | null
  readonly visitor: DeliveryVisitor
  /** Whether the email has exactly two links. */
  readonly isPair: boolean
  /** Whether a relay reports it, possibly repeatedly. */
  readonly isReported?: boolean
}

/** A visit that a relay reports. */
export interface RelayedVisit {
  readonly delivery: Delivery
  readonly kind: VisitKind
  /** Epoch milliseconds. */
  readonly at: number
  readonly visit: ReportedVisit
}

/** A delivery whose visits changed. */
interface VisitChange {
  readonly delivery: Delivery
  readonly before: DeliveryVisits
  readonly after: DeliveryVisits
}

/** When a server accepted the message, or may have; null if it has not been sent. */
const deliveredAt = ({ status, updatedAt }: Delivery, attempts: ReadonlyArray<Attempt>): number | null => {
  const sent = attempts.find(({ outcome }) => acceptedOutcomes.has(outcome))
  return sent?.finishedAt ?? (isPending(status) ? null : updatedAt)
}
const acceptedOutcomes: ReadonlySet<string> = new Set([
  "Delivered",
  "Complained",
  "Accepted",
  "Sent",
  "Unknown"
] satisfies ReadonlyArray<Attempt["outcome"]>)

/**
 * The contact's times that follow a delivery's visits, the field of the visits that has each time, and the event on the
 * contact's timeline.
 */
const followed = [
  ["lastOpenAt", "readerOpenedAt", "openedAt", "email.opened"],
  ["lastClickAt", "readerClickedAt", "clickedAt", "email.clicked"]
] as const

/** The times of a delivery's contact that its visits move forward. */
const touchesOf = ({ after, before, delivery: { email } }: VisitChange): ReadonlyArray<ContactTouch> =>
  followed.flatMap(([field, name]) => {
    const at = after[name]
    return before[name] === null && at !== null ? [{ email, field, at }] : []
  })

/** The times of a delivery's contact that came from a visit which turned out to be a machine's. */
const mistakesOf = ({ after, before, delivery: { email } }: VisitChange) =>
  followed.flatMap(([field, name, latest]) => {
    const from = before[name]
    return from === null || from === after[name] ? [] : [{ email, field, from, latest }]
  })

/** The times of a delivery that its visits changed, each with its event. */
const movesOf = ({ after, before, delivery: { id } }: VisitChange) =>
  followed.flatMap(([, name, , event]) => {
    const [from, to] = [before[name], after[name]]
    return from === to ? [] : [{ deliveryId: id, event, from, to }]
  })

/** Whether the clicks changed to which conversions are attributed. */
const movesConversions = ({ after, before }: VisitChange): boolean =>
  after.contactId !== null && String(before.readerClicks) !== String(after.readerClicks)

/** Who made a visit. A visit that is not stored was one of too many for a person. */
const visitorOf = ({ visitor: { at, kind, link } }: Engagement, record: DeliveryVisits): VisitVerdict =>
  record.visits.find((visit) => visit.at === at && visit.kind === kind && visit.link === link)?.verdict ??
  "Machine"

const visited = Metric.counter("svc_visits_total", {
  description: "Opens and clicks, by kind and who made them",
  incremental: true
})

/** Counts visits by their verdicts. */
const countVisits = (
  changes: ReadonlyArray<VisitChange>,
  visitors: ReadonlyMap<string, ReadonlyArray<Engagement>>
) =>
  Effect.forEach(
    changes.flatMap(({ after, delivery }) =>
      visitors.get(delivery.id)!.map((one) => ({ kind: one.visitor.kind, verdict: visitorOf(one, after) }))
    ),
    (labels) => Metric.update(Metric.withAttributes(visited, labels), 1),
    { discard: true }
  )

/** Whether a visit is among those that are stored. */
const isKnown = ({ visits }: DeliveryVisits, { visitor: { at, kind, link } }: Engagement): boolean =>
  visits.some((visit) => visit.at === at && visit.kind === kind && visit.link === link)

/** Reads the tokens of pixels and links, and records opens and clicks. */
export class Tracking extends Context.Service<
  Tracking,
  {
    /**
     * Returns whether a pixel's token is valid. Records the visit as an open, in the background. A visit that cannot be
     * written is lost. Fails with `Unavailable` only before the first start has finished.
     */
    readonly open: (token: string, request: VisitRequest) => Effect.Effect<boolean, Unavailable>
    /**
     * Returns the URL of a link, which is null for the trap link; null for an invalid token. Records the visit as a click, as
     * `open` does. If the email's opens are tracked, the visit also counts as an open, since an email is opened before a link
     * in it is clicked. The trap link creates no event `email.clicked`, which would name a link of the email.
     */
    readonly click: (
      token: string,
      request: VisitRequest
    ) => Effect.Effect<{ readonly url: string | null } | null, Unavailable>
    /**
     * Records visits that relays report, in the caller's transaction, each once. Reports about emails whose opens or clicks
     * the service tracks itself are left out, since they would count twice. Returns what the caller must finally count with
     * `LaterCounts`.
     */
    readonly report: (
      visits: ReadonlyArray<RelayedVisit>
    ) => Effect.Effect<ReadonlyArray<LaterCount>, WriteConflict | Unavailable>
  }
>()("svc/sending/Tracking", {
  make: Effect.gen(function* () {
    const crypto = yield* Crypto
    const events = yield* EmailEvents
    const keys = yield* InstallationKeys
    const scope = yield* Effect.scope
    const accounts = yield* AccountStore
    const attempts = yield* AttemptStore
    const contacts = yield* ContactStore
    const endpoint = yield* PublicEndpoint
    const machines = yield* KnownMachines
    const submissions = yield* SubmissionStore
    const visits = yield* VisitStore
    const later = yield* LaterCounts
    const ids = yield* Ids
    const jobs = yield* JobQueue
    const runs = yield* RunStore
    const timeline = yield* TimelineStore
    const contactEvents = yield* ContactEvents
    const atomically = yield* Atomically
    let waiting = 0

    const read = <A>(readToken: (signer: TrackingSigner, token: string) => A | null, token: string) =>
      keys.prove(({ tracking }) => readToken({ crypto, keys: tracking }, token))

    /** The flow or campaign, and the contact, of each delivery that a flow or campaign sent. */
    const originsOf = Effect.fnUntraced(function* (accountId: string, deliveries: ReadonlyArray<Delivery>) {
      const origins = new Map<string, Pick<DeliveryVisits, "campaignId" | "contactId" | "flowId">>()
      if (deliveries.length === 0) return origins
      const submissionIds = [...new Set(deliveries.map(({ submissionId }) => submissionId))]
      const campaigns = yield* submissions.campaignsOf(accountId, submissionIds)
      const campaignOf = new Map(campaigns.map((one) => [one.id, one]))
      for (const { id, submissionId } of deliveries) {
        const { campaignId, contactId } = campaignOf.get(submissionId) ?? {}
        if (campaignId !== undefined) origins.set(id, { flowId: null, campaignId, contactId: contactId! })
      }
      const sent = yield* submissions.flowsOf(accountId, submissionIds)
      if (sent.length === 0) return origins
      const flows = new Map(sent.map((one) => [one.id, one]))
      const found = yield* runs.contactsOf(
        accountId,
        sent.map(({ runId }) => runId)
      )
      const contactOfRun = new Map(found.map(({ contactId, id }) => [id, contactId]))
      // A flow run may have been deleted since.
      const others = deliveries.filter(({ submissionId }) => {
        const flow = flows.get(submissionId)
        return flow !== undefined && !contactOfRun.has(flow.runId)
      })
      const people =
        others.length === 0
          ? []
          : yield* contacts.find(accountId, {
              ids: [],
              externalIds: [],
              emails: others.map(({ email }) => email)
            })
      const contactOfEmail = new Map(people.map(({ email, id }) => [email, id]))
      for (const { email, id, submissionId } of deliveries) {
        const flow = flows.get(submissionId)
        if (flow === undefined) continue
        const contactId = contactOfRun.get(flow.runId) ?? contactOfEmail.get(email) ?? null
        origins.set(id, { flowId: flow.flowId, campaignId: null, contactId })
      }
      return origins
    })

    /** Moves times of contacts back to the latest visit that was not a machine's. */
    const moveBack = Effect.fnUntraced(function* (accountId: string, changes: ReadonlyArray<VisitChange>) {
      const mistakes = changes.flatMap(mistakesOf)
      if (mistakes.length === 0) return
      const found = yield* visits.latest(
        accountId,
        mistakes.map(({ email }) => email)
      )
      const latestOf = new Map(found.map((one) => [one.email, one]))
      yield* contacts.untouch(
        accountId,
        mistakes.map(({ email, field, from, latest }) => ({
          email,
          field,
          from,
          to: latestOf.get(email)?.[latest] ?? null
        }))
      )
    })

    /**
     * The contacts of deliveries, by delivery: for a flow's email the contact to which it was sent, otherwise the contact with
     * its address.
     */
    const contactsOf = Effect.fnUntraced(function* (accountId: string, changes: ReadonlyArray<VisitChange>) {
      const emails = changes.flatMap(({ after, delivery }) =>
        after.contactId === null ? [delivery.email] : []
      )
      const people =
        emails.length === 0 ? [] : yield* contacts.find(accountId, { ids: [], externalIds: [], emails })
      const contactOfEmail = new Map(people.map(({ email, id }) => [email, id]))
      return new Map(
        changes.flatMap(({ after, delivery }) => {
          const contactId = after.contactId ?? contactOfEmail.get(delivery.email)
          const { campaignId, flowId } = after
          return contactId === undefined ? [] : [[delivery.id, { contactId, flowId, campaignId }]]
        })
      )
    })

    /** Stores, on the contacts' timelines, the first open and the first click of each email that were not a machine's. */
    const writeTimeline = Effect.fnUntraced(function* (
      accountId: string,
      changes: ReadonlyArray<VisitChange>
    ) {
      const moving = changes.filter((change) => movesOf(change).length > 0)
      if (moving.length === 0) return
      const people = yield* contactsOf(accountId, moving)
      const moves = moving.flatMap(movesOf)
      const idOf = ({ deliveryId, event }: (typeof moves)[number]): string =>
        hashUuid(crypto.sha256Hex(`${event} ${accountId} ${deliveryId}`))
      const entryOf = (move: (typeof moves)[number]): ReadonlyArray<ContactEvent> => {
        const person = people.get(move.deliveryId)
        if (person === undefined || move.to === null) return []
        const { campaignId, contactId, flowId } = person
        const properties = {
          messageId: move.deliveryId,
          ...(flowId !== null && { flowId }),
          ...(campaignId !== null && { campaignId })
        }
        const id = idOf(move)
        return [
          { accountId, contactId, id, name: move.event, properties, occurredAt: move.to, source: "Service" }
        ]
      }
      const known = moves.filter(({ from }) => from !== null)
      if (known.length > 0) {
        yield* timeline.remove(accountId, known.map(idOf))
        // Only the first time starts flows. A later change only replaces the entry.
        yield* timeline.append(accountId, known.flatMap(entryOf))
      }
      const added = moves.filter(({ from }) => from === null).flatMap(entryOf)
      if (added.length > 0) yield* contactEvents.record(added)
    })

    /** Classifies and stores visits, and moves the contacts' times for visits that people may have made. */
    const recordVisits = Effect.fnUntraced(function* (
      accountId: string,
      engagements: ReadonlyArray<Engagement>
    ) {
      const refs = [...firstOfEach(engagements).values()].map(({ delivery }) => delivery)
      // Locked first, so that the deliveries read afterwards are not erased meanwhile.
      const known = new Map((yield* visits.lock(refs)).map((record) => [record.deliveryId, record]))
      const visitors = Map.groupBy(engagements, ({ delivery }) => delivery.id)
      const sent = Map.groupBy(yield* attempts.of(refs), ({ deliveryId }) => deliveryId)
      const isNew = ({ firstClickedAt, firstOpenedAt }: DeliveryVisits) =>
        firstOpenedAt === null && firstClickedAt === null
      // Nothing is recorded about a recipient whom retention has removed.
      const found = (yield* submissions.deliveries(refs)).filter(
        ({ email, id }) => email !== "" && known.has(id)
      )
      const origins = yield* originsOf(
        accountId,
        found.filter(({ id }) => isNew(known.get(id)!))
      )
      const changes = found.map((delivery): VisitChange => {
        const before = { ...known.get(delivery.id)!, ...origins.get(delivery.id) }
        const arrived = visitors
          .get(delivery.id)!
          .filter((one) => one.isReported !== true || !isKnown(before, one))
        const about = {
          deliveredAt: deliveredAt(delivery, sent.get(delivery.id) ?? []),
          links: arrived.some(({ isPair }) => isPair) ? 2 : null
        }
        const after = addVisits(
          before,
          arrived.map(({ visitor }) => visitor),
          about,
          machines
        )
        return { delivery, before, after }
      })
      yield* visits.put(changes.map(({ after }) => after))
      yield* countVisits(changes, visitors)
      const touches = changes.flatMap(touchesOf)
      if (touches.length > 0) yield* contacts.touch(accountId, touches)
      yield* moveBack(accountId, changes)
      yield* writeTimeline(accountId, changes)
      const contactIds = changes.filter(movesConversions).map(({ after }) => after.contactId!)
      if (contactIds.length > 0) {
        const [id, runAt] = [yield* ids.next, yield* Clock.currentTimeMillis]
        yield* jobs.enqueue([conversionJob.job({ id, accountId, payload: { contactIds }, runAt })])
      }
      return {
        records: new Map(changes.map(({ after }) => [after.deliveryId, after])),
        counts: changes.flatMap(({ after, before, delivery }): ReadonlyArray<LaterCount> => {
          const counts = visitChange(before, after)
          return counts === null ? [] : [{ delivery, counts, attempt: sent.get(delivery.id)?.at(-1) ?? null }]
        })
      }
    })

    /**
     * Writes the opens and clicks of an account that arrived together, and the events for the first of each delivery. Returns
     * how they count.
     */
    const write = Effect.fnUntraced(function* (accountId: string, engagements: ReadonlyArray<Engagement>) {
      const at = yield* Clock.currentTimeMillis
      const clicks = firstOfEach(engagements.filter(({ url }) => url !== null))
      const opens = firstOfEach(engagements.filter(({ visitor }) => visitor.opens))
      const { counts, records } = yield* recordVisits(accountId, engagements)
      const opened = yield* submissions.engage("opened", refsOf(opens), at)
      const clicked = yield* submissions.engage("clicked", refsOf(clicks), at)
      const visitorIn = (of: ReadonlyMap<string, Engagement>, id: string): VisitVerdict | null => {
        const record = records.get(id)
        return record === undefined ? null : visitorOf(of.get(id)!, record)
      }
      yield* events.record([
        ...opened.flatMap((delivery) =>
          eventOf(delivery, { type: "email.opened", visitor: visitorIn(opens, delivery.id) }, at)
        ),
        ...clicked.flatMap((delivery) =>
          eventOf(
            delivery,
            {
              type: "email.clicked",
              url: clicks.get(delivery.id)!.url,
              visitor: visitorIn(clicks, delivery.id)
            },
            at
          )
        )
      ])
      return counts
    })

    const submit = yield* makeGroupCommit<Engagement, void, never, never>({
      maxBatch: maxGroup,
      run: (accountId, engagements) =>
        atomically(Effect.flatMap(write(accountId, engagements), later.count)).pipe(
          Effect.catchCause((cause) =>
            Effect.annotateLogs(Effect.logWarning("opens and clicks were not recorded"), {
              count: engagements.length,
              ...describeDefect(cause)
            })
          ),
          Effect.as(engagements.map(() => Result.void))
        )
    })

    const record = (
      {
        isPair = false,
        kind,
        link = null,
        name = null,
        opens,
        url = null,
        delivery
      }: Pick<Engagement, "delivery"> &
        Partial<Pick<Engagement, "isPair" | "url">> & {
          readonly kind: VisitKind
          readonly link?: string | null
          readonly name?: string | null
          readonly opens: boolean
        },
      request: VisitRequest
    ): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        if (waiting >= maxWaiting) return Effect.void
        waiting++
        const isSecure = endpoint.baseUrl().startsWith("https:")
        const visitor: DeliveryVisitor = { at, kind, link, name, request, isSecure, opens }
        return submit(delivery.accountId, { delivery, url, visitor, isPair }).pipe(
          Effect.ensuring(Effect.sync(() => waiting--)),
          Effect.forkIn(scope),
          Effect.asVoid
        )
      })

    const linkOf = (url: string): string => linkDigest(crypto, url)

    const reportedOf = ({ at, delivery, kind, visit }: RelayedVisit): Engagement => ({
      delivery: { accountId: delivery.accountId, id: delivery.id },
      url: kind === "Click" ? visit.url : null,
      isPair: false,
      isReported: true,
      visitor: {
        at,
        kind,
        link: kind === "Click" ? linkOf(visit.url ?? "") : null,
        // Properties that the relay does not report have no influence on the verdict.
        request: {
          method: "GET",
          userAgent: visit.userAgent,
          address: visit.address ?? "",
          purposes: [],
          hasLanguage: true,
          hasFetchMode: true
        },
        isSecure: false,
        isReportedMachine: visit.isMachine === true,
        opens: kind === "Open"
      }
    })

    return {
      report: Effect.fn("Tracking.report")(function* (given) {
        const counts: Array<LaterCount> = []
        for (const [accountId, group] of Map.groupBy(given, ({ delivery }) => delivery.accountId)) {
          const [account] = yield* accounts.find([accountId])
          if (account === undefined) continue
          const sent = [...new Set(group.map(({ delivery }) => delivery.submissionId))]
          const own = new Map(
            (yield* submissions.find(accountId, sent)).map((one) => [
              one.id,
              trackingOf(one, account.settings)
            ])
          )
          const counted = group.filter(({ delivery, kind }) => {
            const tracked = own.get(delivery.submissionId)
            return tracked !== undefined && !(kind === "Open" ? tracked.opens : tracked.clicks)
          })
          if (counted.length > 0) counts.push(...(yield* write(accountId, counted.map(reportedOf))))
        }
        return counts
      }),
      open: Effect.fnUntraced(function* (token, request) {
        const delivery = yield* read(readOpenToken, token)
        if (delivery === null) return false
        yield* record({ delivery, kind: "Open", opens: true }, request)
        return true
      }),
      click: Effect.fnUntraced(function* (token, request) {
        const claim = yield* read(readLinkToken, token)
        if (claim === null) return null
        // The URL may contain secrets.
        const link = claim._tag === "Trap" ? trapLink : linkOf(claim.url)
        yield* record({ ...claim, kind: "Click", link }, request)
        return claim._tag === "Trap" ? { url: null } : { url: claim.url }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Tracking, Tracking.make).pipe(
    Layer.provide(LaterCounts.layer),
    builtOnce
  )
}

/** The first open or click of each delivery, by its id. */
const firstOfEach = (engagements: ReadonlyArray<Engagement>): ReadonlyMap<string, Engagement> => {
  const first = new Map<string, Engagement>()
  for (const engagement of engagements) {
    if (!first.has(engagement.delivery.id)) first.set(engagement.delivery.id, engagement)
  }
  return first
}

const refsOf = (engagements: ReadonlyMap<string, Engagement>): ReadonlyArray<DeliveryRef> =>
  [...engagements.values()].map(({ delivery }) => delivery)
