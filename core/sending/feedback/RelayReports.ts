/**
 * Applies what providers report about relayed deliveries, the way the reports of mail servers are applied.
 *
 * @module
 */
import { Clock, Context, Data, Effect, Layer } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { ConsentUpdates } from "../../audience/contacts/ConsentUpdates.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { RelayProvider, RelayReport } from "../../model/RelayReport.ts"
import type { Delivery } from "../../model/Submission.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AttemptStore, type LateReply } from "../../ports/AttemptStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { type EarlyReport, RelayStore, type ReportToken, type TokenClaim } from "../../ports/RelayStore.ts"
import { type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { deliveryKey } from "../delivery/DispatchPlan.ts"
import { returnPathTokens, type ReturnPathTokens } from "../delivery/ReturnPath.ts"
import { foldedId } from "../relays/ProviderIds.ts"
import { type LockedDelivery, ReportEffects } from "../reports/ReportEffects.ts"
import { canBeComplainedOf, consequenceOf } from "../reports/ReportRules.ts"
import { type RelayedVisit, Tracking } from "../tracking/Tracking.ts"
import { findingOfReport, orderedReports } from "./RelayFindings.ts"

/** The most deliveries that one transaction changes. */
const maxDeliveries = 500

/**
 * How long a report waits for the relay's id of its message, milliseconds, and how many of a relay: the result of a message is
 * written in less than a second, a database that fails is back in minutes.
 */
export const earlyMillis = 10 * 60_000
const maxEarly = 1_000

/** What became of reports. */
export interface TakenReports {
  /** Reports of deliveries that the relay's owner has, whether they changed something or not. */
  readonly taken: number
  /** Reports that name no delivery of this installation, or none that is known yet. */
  readonly unmatched: number
  /** Reports of another company's deliveries, which were ignored. */
  readonly foreign: number
  /** Reports of deliveries that are being transmitted now, which were not applied: they must be repeated later. */
  readonly pending: number
}

/** The relay that reports come from. */
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
     * Applies reports that a relay of a company sent, or of the installation for null: moves deliveries, suppresses addresses,
     * moves consent. Reports may be late, repeated and in any order; each counts once, and none moves a delivery
     * backwards. At most 500 deliveries are changed in one transaction. Reports without a reference are found by the relay's
     * own ids of its messages, where a relay is given; where no message has the id yet, they are kept for `takeEarly`.
     */
    readonly take: (
      companyId: string | null,
      reports: ReadonlyArray<RelayReport>,
      relay?: ReportingRelay | null
    ) => Effect.Effect<TakenReports, Unavailable>
    /**
     * As `take`, of at most 500 reports, in one transaction with a token that counts only once. Where the token was claimed
     * before, nothing is applied, and the answer is whether it came with the same report. Where reports are pending, the
     * token is not claimed.
     */
    readonly takeOnce: (
      companyId: string | null,
      reports: ReadonlyArray<RelayReport>,
      relay: ReportingRelay,
      token: Omit<ReportToken, "relayId" | "companyId">
    ) => Effect.Effect<TakenReports | Exclude<TokenClaim, "Claimed">, Unavailable>
    /**
     * Applies reports that arrived before the relay's ids of their messages were stored, at most 500 in one transaction; returns
     * them.
     */
    readonly takeEarly: Effect.Effect<ReadonlyArray<EarlyReport>, Unavailable>
  }
>()("svc/sending/RelayReports", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const atomically = yield* Atomically
    const consent = yield* ConsentUpdates
    const crypto = yield* Crypto
    const effects = yield* ReportEffects
    const newIds = yield* Ids
    const keys = yield* InstallationKeys
    const attempts = yield* AttemptStore
    const relays = yield* RelayStore
    const submissions = yield* SubmissionStore
    const tracking = yield* Tracking

    /** The reports that name no delivery themselves, by the relay's own ids of messages. */
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

    /** Those of the company's own accounts. */
    const ofCompany = Effect.fnUntraced(function* (
      matched: ReadonlyArray<Matched>,
      companyId: string | null
    ) {
      if (companyId === null || matched.length === 0) return matched
      const owners = yield* accounts.find([...new Set(matched.map(({ ref }) => ref.accountId))])
      const own = new Set(owners.flatMap((account) => (account.companyId === companyId ? [account.id] : [])))
      return matched.filter(({ ref }) => own.has(ref.accountId))
    })

    /** Unsubscribes the recipients by the deliveries for which it is the first time: they may have subscribed again since. */
    const unsubscribe = Effect.fnUntraced(function* (deliveries: ReadonlyArray<Delivery>) {
      if (deliveries.length === 0) return
      const now = yield* Clock.currentTimeMillis
      const first = yield* submissions.engage("unsubscribed", deliveries, now)
      yield* consent.unsubscribe(
        first.filter(({ email }) => email !== ""),
        "Relay"
      )
    })

    /** Applies the reports of deliveries in one transaction; returns how many were left for later. */
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
      yield* effects.apply(
        ready.flatMap(
          ({ delivery, isReported, reports }) =>
            consequenceOf(
              delivery,
              reports.flatMap((report) => findingOfReport(report) ?? []),
              isReported
            ) ?? []
        )
      )
      yield* unsubscribe(
        ready.flatMap(({ delivery, reports }) =>
          canBeComplainedOf(delivery) && reports.some(({ kind }) => kind === "Unsubscribed") ? [delivery] : []
        )
      )
      const visits = ready.flatMap(({ delivery, reports }) =>
        canBeComplainedOf(delivery) ? reports.flatMap((report) => visitOf(delivery, report)) : []
      )
      if (visits.length > 0) yield* tracking.report(visits)
      const replies = ready.flatMap(({ delivery, reports }) => lateReplyOf(delivery, reports))
      if (replies.length > 0) yield* attempts.addReplies(replies)
      const left = locked.filter((one) => !isHandedOver(one))
      return left.reduce((sum, { delivery }) => sum + reportsOf.get(deliveryKey(delivery))!.length, 0)
    })

    /** Reports by delivery. */
    const groupsOf = (matched: ReadonlyArray<Matched>) => [
      ...Map.groupBy(matched, ({ ref }) => deliveryKey(ref))
    ]

    /** The reports by delivery, with how many are of none, and those that may be of a message not known yet. */
    const sorted = Effect.fnUntraced(function* (
      companyId: string | null,
      reports: ReadonlyArray<RelayReport>,
      relay: ReportingRelay | null
    ) {
      const referred = yield* match(reports)
      const known = new Set(referred.map(({ report }) => report))
      const others = reports.filter((report) => !known.has(report))
      const byIds = relay === null ? [] : yield* matchByIds(relay.id, others)
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

    /** Keeps reports of what happened lately, by each id of their message: its result may not be written yet. */
    const keep = Effect.fnUntraced(function* (
      { id: relayId, kind }: ReportingRelay,
      unknown: ReadonlyArray<RelayReport>
    ) {
      const keptAt = yield* Clock.currentTimeMillis
      const early = unknown
        .filter(({ at }) => keptAt - at < earlyMillis)
        .flatMap((report) => report.delivery.providerIds.map((id) => ({ providerId: foldedId(id), report })))
        .slice(-maxEarly)
      const rowIds = yield* newIds.many(early.length)
      yield* relays.keepReports(
        relayId,
        early.map((one, index) => ({ ...one, id: rowIds[index]!, relayId, kind, keptAt })),
        maxEarly
      )
    })

    return {
      take: Effect.fn("RelayReports.take")(function* (companyId, reports, relay = null) {
        const { groups, resultOf, unknown } = yield* sorted(companyId, reports, relay)
        if (relay !== null) yield* keep(relay, unknown)
        let pending = 0
        for (let start = 0; start < groups.length; start += maxDeliveries) {
          pending += yield* atomically(apply(groups.slice(start, start + maxDeliveries)))
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
            yield* keep(relay, unknown)
            const result = resultOf(groups.length === 0 ? 0 : yield* apply(groups))
            return result.pending === 0 ? result : yield* new StillPending({ result })
          })
        ).pipe(Effect.catchTag("StillPending", ({ result }) => Effect.succeed(result)))
      }),
      takeEarly: atomically(
        Effect.gen(function* () {
          const early = yield* relays.claimReports(maxDeliveries)
          const matched = early.map(({ accountId, deliveryId: id, report }) => ({
            ref: { accountId, id },
            report
          }))
          if (matched.length > 0) yield* apply(groupsOf(matched))
          return early
        })
      ).pipe(Effect.withSpan("RelayReports.takeEarly"))
    }
  })
}) {
  static readonly layer = Layer.effect(RelayReports, RelayReports.make).pipe(
    Layer.provide([ReportEffects.layer, Tracking.layer])
  )
}

/** Reports cannot be applied yet: what their transaction wrote is undone. */
class StillPending extends Data.TaggedError("StillPending")<{ readonly result: TakenReports }> {}

/** The visit of a report; none where it is of another kind. */
const visitOf = (delivery: Delivery, { at, kind, visit }: RelayReport): ReadonlyArray<RelayedVisit> =>
  visit === null || (kind !== "Opened" && kind !== "Clicked")
    ? []
    : [{ delivery, kind: kind === "Opened" ? "Open" : "Click", at, visit }]

/** What the recipient's server replied at last when it deferred a message, for the attempt that the relay accepted. */
const lateReplyOf = (
  { accountId, claims, id }: Delivery,
  reports: ReadonlyArray<RelayReport>
): ReadonlyArray<LateReply> => {
  const words =
    reports.findLast((report) => report.kind === "Deferred" && report.words !== null)?.words ?? null
  return words === null ? [] : [{ accountId, deliveryId: id, claim: claims, words }]
}

/** The delivery that the first of a report's references proves; null for none of this installation. */
const deliveryOf = (
  { delivery }: RelayReport,
  { ofMessageId, prove }: ReturnPathTokens
): DeliveryRef | null => {
  for (const reference of delivery.references) {
    const ref = prove(reference) ?? ofMessageId(reference)
    if (ref !== null) return ref
  }
  return null
}
