/**
 * Applies what providers report about relayed deliveries, the way the reports of mail servers are applied.
 *
 * @module
 */
import { Clock, Context, Data, Effect, Layer } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { ConsentUpdates } from "../../audience/contacts/ConsentUpdates.ts"
import { Atomically } from "../../kernel/atomically.ts"
import type { RelayReport } from "../../model/RelayReport.ts"
import type { Delivery } from "../../model/Submission.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AttemptStore, type LateReply } from "../../ports/AttemptStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { RelayStore, type ReportToken } from "../../ports/RelayStore.ts"
import { type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { deliveryKey } from "../delivery/DispatchPlan.ts"
import { returnPathTokens, type ReturnPathTokens } from "../delivery/ReturnPath.ts"
import { foldedId } from "../relays/ProviderIds.ts"
import { ReportEffects } from "../reports/ReportEffects.ts"
import { canBeComplainedOf, consequenceOf } from "../reports/ReportRules.ts"
import { type RelayedVisit, Tracking } from "../tracking/Tracking.ts"
import { findingOfReport, orderedReports } from "./RelayFindings.ts"

/** The most deliveries that one transaction changes. */
const maxDeliveries = 500

/** What became of reports. */
export interface TakenReports {
  /** Reports of deliveries that the relay's owner has, whether they changed something or not. */
  readonly taken: number
  /** Reports that name no delivery of this installation. */
  readonly unmatched: number
  /** Reports of another company's deliveries, which were ignored. */
  readonly foreign: number
  /** Reports of deliveries that are being transmitted now, which were not applied: they must be repeated later. */
  readonly pending: number
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
     * own ids of its messages, where the relay's id is given.
     */
    readonly take: (
      companyId: string | null,
      reports: ReadonlyArray<RelayReport>,
      relayId?: string | null
    ) => Effect.Effect<TakenReports, Unavailable>
    /**
     * As `take`, of at most 500 reports, in one transaction with a token that counts only once. Null where the token was
     * claimed before, and nothing is applied. Where reports are pending, the token is not claimed.
     */
    readonly takeOnce: (
      companyId: string | null,
      reports: ReadonlyArray<RelayReport>,
      token: ReportToken
    ) => Effect.Effect<TakenReports | null, Unavailable>
  }
>()("svc/sending/RelayReports", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const atomically = yield* Atomically
    const consent = yield* ConsentUpdates
    const crypto = yield* Crypto
    const effects = yield* ReportEffects
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
      const deliveries = yield* effects.lock(group.map(([, [first]]) => first!.ref))
      const isHandedOver = ({ status }: Delivery): boolean => status !== "HandingOff"
      const ready = deliveries
        .filter(isHandedOver)
        .map(
          (delivery) => [delivery, orderedReports(delivery, reportsOf.get(deliveryKey(delivery))!)] as const
        )
      yield* effects.apply(
        ready.flatMap(
          ([delivery, reports]) =>
            consequenceOf(
              delivery,
              reports.flatMap((report) => findingOfReport(report) ?? [])
            ) ?? []
        )
      )
      yield* unsubscribe(
        ready.flatMap(([delivery, reports]) =>
          canBeComplainedOf(delivery.status) && reports.some(({ kind }) => kind === "Unsubscribed")
            ? [delivery]
            : []
        )
      )
      const visits = ready.flatMap(([delivery, reports]) =>
        canBeComplainedOf(delivery.status) ? reports.flatMap((report) => visitOf(delivery, report)) : []
      )
      if (visits.length > 0) yield* tracking.report(visits)
      const replies = ready.flatMap(([delivery, reports]) => lateReplyOf(delivery, reports))
      if (replies.length > 0) yield* attempts.addReplies(replies)
      const left = deliveries.filter((delivery) => !isHandedOver(delivery))
      return left.reduce((sum, delivery) => sum + reportsOf.get(deliveryKey(delivery))!.length, 0)
    })

    /** The reports by delivery, with how many are of none. */
    const sorted = Effect.fnUntraced(function* (
      companyId: string | null,
      reports: ReadonlyArray<RelayReport>,
      relayId: string | null
    ) {
      const referred = yield* match(reports)
      const known = new Set(referred.map(({ report }) => report))
      const others = reports.filter((report) => !known.has(report))
      const matched = relayId === null ? referred : [...referred, ...(yield* matchByIds(relayId, others))]
      const own = yield* ofCompany(matched, companyId)
      const groups = [...Map.groupBy(own, ({ ref }) => deliveryKey(ref))]
      const resultOf = (pending: number): TakenReports => ({
        taken: own.length - pending,
        unmatched: reports.length - matched.length,
        foreign: matched.length - own.length,
        pending
      })
      return { groups, resultOf }
    })

    return {
      take: Effect.fn("RelayReports.take")(function* (companyId, reports, relayId = null) {
        const { groups, resultOf } = yield* sorted(companyId, reports, relayId)
        let pending = 0
        for (let start = 0; start < groups.length; start += maxDeliveries) {
          pending += yield* atomically(apply(groups.slice(start, start + maxDeliveries)))
        }
        return resultOf(pending)
      }),
      takeOnce: Effect.fn("RelayReports.takeOnce")(function* (companyId, reports, token) {
        const { groups, resultOf } = yield* sorted(companyId, reports.slice(0, maxDeliveries), token.relayId)
        return yield* atomically(
          Effect.gen(function* () {
            if (!(yield* relays.claimToken(token))) return null
            const result = resultOf(groups.length === 0 ? 0 : yield* apply(groups))
            return result.pending === 0 ? result : yield* new StillPending({ result })
          })
        ).pipe(Effect.catchTag("StillPending", ({ result }) => Effect.succeed(result)))
      })
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
