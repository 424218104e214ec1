/**
 * Processes the reports of receiving servers about deliveries: bounces, confirmations, complaints.
 *
 * @module
 */
import { foldAddress } from "../../shared/EmailAddress.ts"
import { Clock, Context, Data, Effect, Layer } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import type { AddressReport } from "../../audience/contacts/ConsentUpdates.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { type DeliveryMove, type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { SuppressionStore } from "../../ports/SuppressionStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { readReport, type Report } from "./DeliveryReport.ts"
import { deliveryKey } from "../delivery/DispatchPlan.ts"
import type { DeliveryStatus } from "../../model/DeliveryStatus.ts"
import { moveUnclaimed } from "../delivery/DeliveryRules.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { returnPathDomain } from "../../model/Domain.ts"
import type { EmailEvent } from "../../model/EmailEvent.ts"
import { EmailEvents, eventOf } from "../fanout/EmailEvents.ts"
import { readMime } from "./MimeReader.ts"
import { arrivalOf, canBeComplainedOf, findingOf } from "./ReportRules.ts"
import { returnPathTokens, type ReturnPathTokens } from "../delivery/ReturnPath.ts"
import type { Delivery } from "../../model/Submission.ts"
import { AddressReports } from "../suppressions/AddressReports.ts"

/** A message received at an address for reports. */
export interface IncomingReport {
  /** The envelope's recipients. */
  readonly recipients: ReadonlyArray<string>
  /** The whole message. */
  readonly raw: Uint8Array
}

/** A reported delivery is being transmitted now: the report must be repeated later. Nothing was written. */
export class StillHandingOver extends Data.TaggedError("StillHandingOver")<{}> {}

/** A report about a delivery that its MAC proves. */
interface Evidence {
  readonly ref: DeliveryRef
  readonly report: Exclude<Report, { readonly _tag: "Other" }>
}

/** The consequence of a report for a delivery. */
interface Consequence {
  readonly delivery: Delivery
  readonly move: Pick<DeliveryMove, "to" | "reason"> | null
  readonly event: Pick<EmailEvent, "type" | "reason"> | null
  readonly addressReport: AddressReport["kind"] | null
}

/** Local parts for complaints and mail to the operator; such mail identifies deliveries only by the message it quotes. */
const roleNames: ReadonlySet<string> = new Set(["postmaster", "abuse", "fbl"])

/** Processes reports of deliveries. */
export class Reports extends Context.Service<
  Reports,
  {
    /**
     * Whether mail to an address is accepted: to a return path that its MAC proves, and to `postmaster`, `abuse` and
     * `fbl` at the mail host and at return-path domains.
     */
    readonly accepts: (recipient: string) => Effect.Effect<boolean, Unavailable>
    /**
     * Applies reports in one transaction: moves deliveries, suppresses addresses, moves consent. A message that is no
     * report, or identifies no delivery that its MAC proves, has no effect. Neither has a repeated report. Fails with
     * `StillHandingOver` while a delivery is being transmitted.
     */
    readonly take: (
      reports: ReadonlyArray<IncomingReport>
    ) => Effect.Effect<void, StillHandingOver | Unavailable>
  }
>()("svc/sending/Reports", {
  make: Effect.gen(function* () {
    const { mailHost } = yield* PublicEndpoint
    const crypto = yield* Crypto
    const keys = yield* InstallationKeys
    const submissions = yield* SubmissionStore
    const suppressions = yield* SuppressionStore
    const atomically = yield* Atomically
    const events = yield* EmailEvents
    const addressReports = yield* AddressReports

    /** The deliveries that tokens prove; null where there is none. */
    const prove = <A>(attempt: (tokens: ReturnPathTokens) => A | null) =>
      keys.prove(({ reports }) => attempt(returnPathTokens(crypto, reports)))

    const apply = Effect.fnUntraced(function* (evidence: ReadonlyArray<Evidence>) {
      const now = yield* Clock.currentTimeMillis
      const refs = new Map(evidence.map(({ ref }) => [deliveryKey(ref), ref]))
      // Locked before the deliveries are read: the address of a recipient who is erased meanwhile must not be listed.
      yield* suppressions.lock([...new Set(evidence.map(({ ref }) => ref.accountId))], "Listing")
      const found = yield* submissions.deliveries([...refs.values()])
      if (found.some(({ status }) => status === "HandingOff")) return yield* new StillHandingOver()
      const deliveries = new Map(found.map((delivery) => [deliveryKey(delivery), delivery]))
      const consequences = consequencesOf(evidence, deliveries)
      const moves = consequences.flatMap(({ delivery, move }) =>
        move === null ? [] : [moveUnclaimed(delivery, [move.to, move.reason], now)]
      )
      const moved = new Set((moves.length === 0 ? [] : yield* submissions.move(moves)).map(deliveryKey))
      // A delivery that another report moved meanwhile is left to that report.
      const applied = consequences.filter(
        ({ delivery, move }) => move === null || moved.has(deliveryKey(delivery))
      )
      yield* addressReports.apply(
        applied.flatMap(({ addressReport, delivery: { accountId, email } }) =>
          addressReport === null || email === "" ? [] : [{ accountId, email, kind: addressReport }]
        ),
        now
      )
      const emailEvents = applied.flatMap(({ delivery, event }) =>
        event === null ? [] : eventOf(delivery, event, now)
      )
      if (emailEvents.length > 0) yield* events.record(emailEvents)
    })

    return {
      accepts: (recipient) =>
        isRole(recipient, mailHost)
          ? Effect.succeed(true)
          : Effect.map(
              prove((tokens) => tokens.prove(recipient)),
              (ref) => ref !== null
            ),
      take: Effect.fn("Reports.take")(function* (reports) {
        const evidence = yield* prove((tokens) => {
          const found = reports.flatMap((report) => evidenceOf(report, tokens))
          return found.length === 0 ? null : found
        })
        if (evidence !== null) yield* atomically(apply(evidence))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Reports, Reports.make).pipe(Layer.provide(AddressReports.layer))
}

const isRole = (recipient: string, mailHost: string): boolean => {
  const folded = foldAddress(recipient)
  const at = folded.lastIndexOf("@")
  const domain = folded.slice(at + 1)
  return (
    roleNames.has(folded.slice(0, Math.max(0, at))) &&
    (domain === mailHost || domain.startsWith(returnPathDomain("")))
  )
}

const evidenceOf = (
  { raw, recipients }: IncomingReport,
  { prove }: ReturnPathTokens
): ReadonlyArray<Evidence> => {
  const report = readReport(readMime(raw))
  if (report._tag === "Other") return []
  const names = report._tag === "Complaint" ? [...recipients, ...report.names] : recipients
  return names.flatMap((name) => {
    const ref = prove(name)
    return ref === null ? [] : [{ ref, report }]
  })
}

/** The consequences of a batch: the first report of each kind that changes a delivery counts. */
const consequencesOf = (
  evidence: ReadonlyArray<Evidence>,
  deliveries: ReadonlyMap<string, Delivery>
): ReadonlyArray<Consequence> => {
  const consequences = new Map<string, Consequence>()
  for (const { ref, report } of evidence) {
    const delivery = deliveries.get(deliveryKey(ref))
    const key = `${report._tag} ${deliveryKey(ref)}`
    if (delivery === undefined || consequences.has(key)) continue
    const consequence =
      report._tag === "Complaint" ? complaintOf(delivery, report) : changeOf(delivery, report)
    if (consequence !== null) consequences.set(key, consequence)
  }
  return [...consequences.values()]
}

const complaintOf = (delivery: Delivery, { kind }: { readonly kind: string }): Consequence | null =>
  canBeComplainedOf(delivery)
    ? { delivery, move: null, event: { type: "email.complained", reason: kind }, addressReport: "Complained" }
    : null

const changeOf = (
  delivery: Delivery,
  { recipients }: Extract<Report, { readonly _tag: "Delivery" }>
): Consequence | null => {
  const finding = findingOf(delivery.email, recipients)
  const arrival = finding === null ? null : arrivalOf(delivery.status, finding.outcome)
  if (finding === null || arrival === null) return null
  const type = arrivalEvents[arrival.to]
  return {
    delivery,
    move: arrival,
    event: type === undefined ? null : { type, reason: arrival.to === "Bounced" ? finding.reason : null },
    addressReport: arrival.to === "Bounced" ? "Bounced" : null
  }
}

const arrivalEvents: Partial<Record<DeliveryStatus, EmailEvent["type"]>> = {
  Delivered: "email.delivered",
  Bounced: "email.bounced"
}
