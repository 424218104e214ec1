/**
 * Applies the reports of providers about relayed deliveries, in the same way as the reports of mail servers.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { ConsentUpdates } from "../../audience/contacts/ConsentUpdates.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { RelayProvider, RelayReport } from "../../model/RelayReport.ts"
import type { Delivery } from "../../model/Submission.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AttemptStore, type LateReply } from "../../ports/AttemptStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import {
  type EarlyReport,
  type KnownReport,
  RelayStore,
  type ReportToken,
  type TokenClaim
} from "../../ports/RelayStore.ts"
import { type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { deliveryKey } from "../delivery/DispatchPlan.ts"
import { returnPathTokens, type ReturnPathTokens } from "../delivery/ReturnPath.ts"
import { foldedId } from "../relays/ProviderIds.ts"
import { type LockedDelivery, ReportEffects } from "../reports/ReportEffects.ts"
import { LaterCounts, unsubscribedBy } from "../standing/LaterCounts.ts"
import { canBeComplainedOf, consequenceOf } from "../reports/ReportRules.ts"
import { type RelayedVisit, Tracking } from "../tracking/Tracking.ts"
import { findingOfReport, orderedReports } from "./RelayFindings.ts"

/** The maximum number of deliveries that one transaction changes. */
const maxDeliveries = 500

/**
 * How long a report waits for the result of its message, milliseconds, and the maximum number of reports of a relay that wait.
 * The result is written within a second; a database that fails is usually back within minutes.
 */
export const earlyMillis = 10 * 60_000
export const maxEarly = 5_000

/** The numbers of received reports. */
export interface TakenReports {
  /** Reports about deliveries of the relay's owner, whether they changed anything or not. */
  readonly taken: number
  /** Reports that name no delivery of this installation, or none that is stored yet. */
  readonly unmatched: number
  /** Reports about deliveries of another company, which were ignored. */
  readonly foreign: number
  /** Reports about deliveries that are being transmitted, which are applied later. */
  readonly pending: number
}

/** The relay from which reports come. */
export interface ReportingRelay {
  readonly id: string
  readonly kind: RelayProvider
}

/** A report about a delivery of this installation. */
interface Matched {
  readonly ref: DeliveryRef
  readonly report: RelayReport
}

/** Applies the reports of relays. */
export class RelayReports extends Context.Service<
  RelayReports,
  {
    /**
     * Applies reports that the relay of a company sent, or for null a relay of the installation: moves deliveries, suppresses
     * addresses, and changes consent. Reports may be late, repeated and in any order; each counts once, and none moves a
     * delivery backwards. One transaction changes at most 500 deliveries. Reports without a reference are matched by the
     * relay's own message ids. If no message has the id yet, or the message is being transmitted, `takeEarly` applies the
     * report later.
     */
    readonly take: (
      companyId: string | null,
      reports: ReadonlyArray<RelayReport>,
      relay: ReportingRelay
    ) => Effect.Effect<TakenReports, Unavailable>
    /**
     * As `take`, for at most 500 reports, in one transaction with a token that counts only once. If the token was used before,
     * nothing is applied, and the result says whether it was used for the same report.
     */
    readonly takeOnce: (
      companyId: string | null,
      reports: ReadonlyArray<RelayReport>,
      relay: ReportingRelay,
      token: Omit<ReportToken, "relayId" | "companyId">
    ) => Effect.Effect<TakenReports | Exclude<TokenClaim, "Claimed">, Unavailable>
    /** Applies reports that arrived before the results of their messages, at most 500 in one transaction, and returns them. */
    readonly takeEarly: Effect.Effect<ReadonlyArray<KnownReport>, Unavailable>
  }
>()("svc/sending/RelayReports", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const atomically = yield* Atomically
    const consent = yield* ConsentUpdates
    const crypto = yield* Crypto
    const effects = yield* ReportEffects
    const later = yield* LaterCounts
    const newIds = yield* Ids
    const keys = yield* InstallationKeys
    const attempts = yield* AttemptStore
    const relays = yield* RelayStore
    const submissions = yield* SubmissionStore
    const tracking = yield* Tracking

    /** Matches reports that name no delivery, by the relay's own message ids. */
    const matchByIds = Effect.fnUntraced(function* (relayId: string, reports: ReadonlyArray<RelayReport>) {
      const idsOf = ({ delivery }: RelayReport) => delivery.providerIds.map(foldedId)
      const ids = [...new Set(reports.flatMap(idsOf))]
      if (ids.length === 0) return []
      const found = yield* relays.findMessages(relayId, ids)
      const refs = new Map(
        found.map(({ accountId, deliveryId, providerId }) => [providerId!, { accountId, id: deliveryId }])
      )
      return reports.flatMap((report): ReadonlyArray<Matched> => {
        const id = idsOf(report).find((one) => refs.has(one))
        return id === undefined ? [] : [{ ref: refs.get(id)!, report }]
      })
    })

    const match = Effect.fnUntraced(function* (reports: ReadonlyArray<RelayReport>) {
      const found = yield* keys.prove((ring) => {
        const tokens = returnPathTokens(crypto, ring.reports)
        const matched = reports.flatMap((report): ReadonlyArray<Matched> => {
          const ref = deliveryOf(report, tokens)
          return ref === null ? [] : [{ ref, report }]
        })
        return matched.length === 0 ? null : matched
      })
      return found ?? []
    })

    /** The matched reports about deliveries of the company's own accounts. */
    const ofCompany = Effect.fnUntraced(function* (
      matched: ReadonlyArray<Matched>,
      companyId: string | null
    ) {
      if (companyId === null || matched.length === 0) return matched
      const owners = yield* accounts.find([...new Set(matched.map(({ ref }) => ref.accountId))])
      const own = new Set(owners.flatMap((account) => (account.companyId === companyId ? [account.id] : [])))
      return matched.filter(({ ref }) => own.has(ref.accountId))
    })

    /**
     * Unsubscribes the recipients of deliveries for which this is the first unsubscribe, since they may have subscribed again
     * after an earlier one. Returns these deliveries.
     */
    const unsubscribe = Effect.fnUntraced(function* (deliveries: ReadonlyArray<Delivery>) {
      if (deliveries.length === 0) return []
      const now = yield* Clock.currentTimeMillis
      const first = yield* submissions.engage("unsubscribed", deliveries, now)
      yield* consent.unsubscribe(
        first.filter(({ email }) => email !== ""),
        "Relay"
      )
      return first
    })

    /**
     * Applies the reports of deliveries, in the caller's transaction. Returns the reports about deliveries that are being
     * transmitted.
     */
    const apply = Effect.fnUntraced(function* (
      group: ReadonlyArray<readonly [string, ReadonlyArray<Matched>]>
    ) {
      const reportsOf = new Map(group.map(([key, matched]) => [key, matched.map(({ report }) => report)]))
      const locked = yield* effects.lock(group.map(([, [first]]) => first!.ref))
      const isHandedOver = ({ delivery: { status } }: LockedDelivery): boolean => status !== "HandingOff"
      const ready = locked.filter(isHandedOver).map(({ delivery, isReported }) => ({
        delivery,
        isReported,
        reports: orderedReports(delivery, reportsOf.get(deliveryKey(delivery))!)
      }))
      const counts = yield* effects.apply(
        ready.flatMap(
          ({ delivery, isReported, reports }) =>
            consequenceOf(
              delivery,
              reports.flatMap((report) => findingOfReport(report) ?? []),
              isReported
            ) ?? []
        )
      )
      const unsubscribed = yield* unsubscribe(
        ready.flatMap(({ delivery, reports }) =>
          canBeComplainedOf(delivery) && reports.some(({ kind }) => kind === "Unsubscribed") ? [delivery] : []
        )
      )
      const visits = ready.flatMap(({ delivery, reports }) =>
        canBeComplainedOf(delivery) ? reports.flatMap((report) => visitOf(delivery, report)) : []
      )
      const visited = visits.length === 0 ? [] : yield* tracking.report(visits)
      const replies = ready.flatMap(({ delivery, reports }) => lateReplyOf(delivery, reports))
      if (replies.length > 0) yield* attempts.addReplies(replies)
      yield* later.count([...counts, ...unsubscribed.map(unsubscribedBy), ...visited])
      const busy = new Set(locked.filter((one) => !isHandedOver(one)).map((one) => deliveryKey(one.delivery)))
      return group.flatMap(([key, matched]) => (busy.has(key) ? matched : []))
    })

    /** Groups reports by delivery. */
    const groupsOf = (matched: ReadonlyArray<Matched>) => [
      ...Map.groupBy(matched, ({ ref }) => deliveryKey(ref))
    ]

    /**
     * Returns the reports by delivery, the numbers of those about no delivery, and those that may be about a message not
     * stored yet.
     */
    const sorted = Effect.fnUntraced(function* (
      companyId: string | null,
      reports: ReadonlyArray<RelayReport>,
      relay: ReportingRelay
    ) {
      const referred = yield* match(reports)
      const known = new Set(referred.map(({ report }) => report))
      const others = reports.filter((report) => !known.has(report))
      const byIds = yield* matchByIds(relay.id, others)
      const matched = [...referred, ...byIds]
      const own = yield* ofCompany(matched, companyId)
      const found = new Set(byIds.map(({ report }) => report))
      const resultOf = (pending: number): TakenReports => ({
        taken: own.length - pending,
        unmatched: reports.length - matched.length,
        foreign: matched.length - own.length,
        pending
      })
      return { groups: groupsOf(own), resultOf, unknown: others.filter((report) => !found.has(report)) }
    })

    /** Stores reports until the results of their messages are written. */
    const keep = Effect.fnUntraced(function* (
      { id: relayId, kind }: ReportingRelay,
      early: ReadonlyArray<Pick<EarlyReport, "delivery" | "providerId" | "report">>
    ) {
      if (early.length === 0) return
      const latest = early.slice(-maxEarly)
      const keptAt = yield* Clock.currentTimeMillis
      const rowIds = yield* newIds.many(latest.length)
      const rows = latest.map((one, index) => ({ ...one, id: rowIds[index]!, relayId, kind, keptAt }))
      yield* relays.keepReports(relayId, rows, maxEarly)
    })

    /** Stores reports about recent events, by each id of their message. */
    const keepUnknown = Effect.fnUntraced(function* (
      relay: ReportingRelay,
      unknown: ReadonlyArray<RelayReport>
    ) {
      const now = yield* Clock.currentTimeMillis
      yield* keep(
        relay,
        unknown
          .filter(({ at }) => now - at < earlyMillis)
          .flatMap((report) =>
            report.delivery.providerIds.map((id) => ({ delivery: null, providerId: foldedId(id), report }))
          )
      )
    })

    /** Applies reports as `apply` does, and stores those that cannot be applied yet. Returns how many were stored. */
    const applyOrKeep = Effect.fnUntraced(function* (
      groups: Parameters<typeof apply>[0],
      relay: ReportingRelay
    ) {
      const left = groups.length === 0 ? [] : yield* apply(groups)
      yield* keep(
        relay,
        left.map(({ ref, report }) => ({ delivery: ref, providerId: null, report }))
      )
      return left.length
    })

    return {
      take: Effect.fn("RelayReports.take")(function* (companyId, reports, relay) {
        const { groups, resultOf, unknown } = yield* sorted(companyId, reports, relay)
        yield* keepUnknown(relay, unknown)
        let pending = 0
        for (let start = 0; start < groups.length; start += maxDeliveries) {
          pending += yield* atomically(applyOrKeep(groups.slice(start, start + maxDeliveries), relay))
        }
        return resultOf(pending)
      }),
      takeOnce: Effect.fn("RelayReports.takeOnce")(function* (
        companyId,
        reports,
        relay,
        { digest, expiresAt, token }
      ) {
        const { groups, resultOf, unknown } = yield* sorted(companyId, reports.slice(0, maxDeliveries), relay)
        return yield* atomically(
          Effect.gen(function* () {
            const claim = yield* relays.claimToken({ relayId: relay.id, companyId, token, digest, expiresAt })
            if (claim !== "Claimed") return claim
            yield* keepUnknown(relay, unknown)
            return resultOf(yield* applyOrKeep(groups, relay))
          })
        )
      }),
      takeEarly: atomically(
        Effect.gen(function* () {
          const early = yield* relays.claimReports(maxDeliveries)
          const matched = early.map(({ delivery: ref, report }) => ({ ref, report }))
          if (matched.length > 0) yield* apply(groupsOf(matched))
          return early
        })
      ).pipe(Effect.withSpan("RelayReports.takeEarly"))
    }
  })
}) {
  static readonly layer = Layer.effect(RelayReports, RelayReports.make).pipe(
    Layer.provide([LaterCounts.layer, ReportEffects.layer, Tracking.layer])
  )
}

/** The visit of a report; empty if the report is of another kind. */
const visitOf = (delivery: Delivery, { at, kind, visit }: RelayReport): ReadonlyArray<RelayedVisit> =>
  visit === null || (kind !== "Opened" && kind !== "Clicked")
    ? []
    : [{ delivery, kind: kind === "Opened" ? "Open" : "Click", at, visit }]

/** The last reply with which the recipient's server deferred a message, for the attempt that the relay accepted. */
const lateReplyOf = (
  { accountId, claims, id }: Delivery,
  reports: ReadonlyArray<RelayReport>
): ReadonlyArray<LateReply> => {
  const words =
    reports.findLast((report) => report.kind === "Deferred" && report.words !== null)?.words ?? null
  return words === null ? [] : [{ accountId, deliveryId: id, claim: claims, words }]
}

/** The delivery proved by the first valid reference of a report; null if this installation has none. */
const deliveryOf = (
  { delivery }: RelayReport,
  { ofMessageId, ofReference, prove }: ReturnPathTokens
): DeliveryRef | null => {
  for (const reference of delivery.references) {
    const ref = ofReference(reference) ?? ofMessageId(reference) ?? prove(reference)
    if (ref !== null) return ref
  }
  return null
}
