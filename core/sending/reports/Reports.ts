/**
 * Takes what receiving servers report of deliveries: bounces, confirmations, complaints.
 *
 * @module
 */
import { Clock, Context, Data, Effect, Layer } from "effect"
import type { AddressReport } from "../../audience/contacts/ConsentUpdates.ts"
import { type DeliveryMove, type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { SuppressionStore } from "../../ports/SuppressionStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { readReport, type Report } from "./DeliveryReport.ts"
import { moveUnclaimed } from "../delivery/DeliveryRules.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { returnPathDomain } from "../../model/Domain.ts"
import type { EmailEvent } from "../../model/EmailEvent.ts"
import { EmailEvents } from "../fanout/EmailEvents.ts"
import { readMime } from "./MimeReader.ts"
import { arrivalOf, canBeComplainedOf, findingOf } from "./ReportRules.ts"
import { makeReturnPaths, type ReturnPaths } from "../delivery/ReturnPath.ts"
import type { Delivery } from "../../model/Submission.ts"
import { makeSuppress } from "../suppressions/AddressReports.ts"

/** A message that came in where reports do. */
export interface IncomingReport {
  /** The envelope's recipients. */
  readonly recipients: ReadonlyArray<string>
  /** The whole message. */
  readonly raw: Uint8Array
}

/** A delivery reported of is being handed over at this moment: to be reported again later. Nothing was written. */
export class StillHandingOver extends Data.TaggedError("StillHandingOver")<{}> {}

/** What a proven report says of a delivery. */
interface Evidence {
  readonly ref: DeliveryRef
  readonly report: Exclude<Report, { readonly _tag: "Other" }>
}

/** What follows from the evidence of a delivery. */
interface Consequence {
  readonly delivery: Delivery
  readonly move: Pick<DeliveryMove, "to" | "reason"> | null
  readonly event: Pick<EmailEvent, "type" | "reason"> | null
  readonly verdict: AddressReport["kind"] | null
}

/** Where complaints and words to the operator go; such mail names deliveries by their message only. */
const roleNames: ReadonlySet<string> = new Set(["postmaster", "abuse", "fbl"])

const keyOf = (ref: DeliveryRef): string => `${ref.accountId} ${ref.id}`

/** Takes reports of deliveries. */
export class Reports extends Context.Service<
  Reports,
  {
    /**
     * Whether mail to an address is taken: to a return path of ours that its MAC proves, and to `postmaster`, `abuse`
     * and `fbl` at the mail host and at return-path domains.
     */
    readonly accepts: (recipient: string) => Effect.Effect<boolean, Unavailable>
    /**
     * Does what the reports say, all in one transaction: moves deliveries, lists addresses, moves consent. What is no
     * report, or names no delivery that its MAC proves, changes nothing. A repeated report changes nothing more.
     */
    readonly take: (
      reports: ReadonlyArray<IncomingReport>
    ) => Effect.Effect<void, StillHandingOver | Unavailable>
  }
>()("svc/sending/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function* () {
      const { mailHost } = yield* PublicEndpoint
      const paths = yield* makeReturnPaths
      const submissions = yield* SubmissionStore
      const suppressions = yield* SuppressionStore
      const transaction = yield* Transaction
      const events = yield* EmailEvents
      const suppress = yield* makeSuppress

      const record = Effect.fnUntraced(function* (evidence: ReadonlyArray<Evidence>) {
        const now = yield* Clock.currentTimeMillis
        const refs = new Map(evidence.map(({ ref }) => [keyOf(ref), ref]))
        // Before the deliveries are read: of one whose recipient is erased meanwhile no address shall be listed.
        yield* suppressions.lock([...new Set(evidence.map(({ ref }) => ref.accountId))], "Listing")
        const found = yield* submissions.deliveries([...refs.values()])
        if (found.some(({ status }) => status === "HandingOff")) return yield* new StillHandingOver()
        const deliveries = new Map(found.map((delivery) => [keyOf(delivery), delivery]))
        const consequences = consequencesOf(evidence, deliveries)
        const moves = consequences.flatMap(({ delivery, move }) =>
          move === null ? [] : [moveUnclaimed(delivery, [move.to, move.reason], now)]
        )
        const moved = new Set((moves.length === 0 ? [] : yield* submissions.move(moves)).map(keyOf))
        // What another report moved meanwhile is told by that one.
        const held = consequences.filter(({ delivery, move }) => move === null || moved.has(keyOf(delivery)))
        yield* suppress(
          held.flatMap(({ delivery: { accountId, email }, verdict }) =>
            verdict === null || email === "" ? [] : [{ accountId, email, kind: verdict }]
          ),
          now
        )
        const contactEvents = held.flatMap(({ delivery, event }): ReadonlyArray<EmailEvent> =>
          event === null || delivery.email === ""
            ? []
            : [
                {
                  ...event,
                  accountId: delivery.accountId,
                  deliveryId: delivery.id,
                  submissionId: delivery.submissionId,
                  email: delivery.email,
                  url: null,
                  at: now
                }
              ]
        )
        if (contactEvents.length > 0) yield* events.record(contactEvents)
      })

      return Reports.of({
        accepts: (recipient) =>
          Effect.map(paths, ({ prove }) => prove(recipient) !== null || isRole(recipient, mailHost)),
        take: Effect.fn("Reports.take")(function* (reports) {
          const known = yield* paths
          const evidence = reports.flatMap((report) => evidenceOf(report, known))
          if (evidence.length > 0) yield* retryConflicts(transaction.run(record(evidence)))
        })
      })
    })
  )
}

const isRole = (recipient: string, mailHost: string): boolean => {
  const at = recipient.lastIndexOf("@")
  const domain = recipient.slice(at + 1).toLowerCase()
  return (
    roleNames.has(recipient.slice(0, Math.max(0, at)).toLowerCase()) &&
    (domain === mailHost || domain.startsWith(returnPathDomain("")))
  )
}

const evidenceOf = ({ raw, recipients }: IncomingReport, { prove }: ReturnPaths): ReadonlyArray<Evidence> => {
  const report = readReport(readMime(raw))
  if (report._tag === "Other") return []
  const names = report._tag === "Complaint" ? [...recipients, ...report.names] : recipients
  return names.flatMap((name) => {
    const ref = prove(name)
    return ref === null ? [] : [{ ref, report }]
  })
}

/** Of several reports of one delivery in a batch the first that changes something counts, of each kind. */
const consequencesOf = (
  evidence: ReadonlyArray<Evidence>,
  deliveries: ReadonlyMap<string, Delivery>
): ReadonlyArray<Consequence> => {
  const consequences = new Map<string, Consequence>()
  for (const { ref, report } of evidence) {
    const delivery = deliveries.get(keyOf(ref))
    const key = `${report._tag} ${keyOf(ref)}`
    if (delivery === undefined || consequences.has(key)) continue
    const consequence =
      report._tag === "Complaint" ? complaintOf(delivery, report) : changeOf(delivery, report)
    if (consequence !== null) consequences.set(key, consequence)
  }
  return [...consequences.values()]
}

const complaintOf = (delivery: Delivery, { kind }: { readonly kind: string }): Consequence | null =>
  canBeComplainedOf(delivery)
    ? { delivery, move: null, event: { type: "email.complained", reason: kind }, verdict: "Complained" }
    : null

const changeOf = (
  delivery: Delivery,
  { recipients }: Extract<Report, { readonly _tag: "Delivery" }>
): Consequence | null => {
  const finding = findingOf(delivery.email, recipients)
  const arrival = finding === null ? null : arrivalOf(delivery.status, finding.outcome)
  if (finding === null || arrival === null) return null
  switch (arrival.to) {
    case "Delivered":
      return { delivery, move: arrival, event: { type: "email.delivered", reason: null }, verdict: null }
    case "Bounced":
      return {
        delivery,
        move: arrival,
        event: { type: "email.bounced", reason: finding.reason },
        verdict: "Bounced"
      }
    default:
      return { delivery, move: arrival, event: null, verdict: null }
  }
}
