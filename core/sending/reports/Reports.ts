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
import { DomainStore } from "../../ports/DomainStore.ts"
import { MessageComposer } from "../../ports/MessageComposer.ts"
import { type DeliveryMove, type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { SuppressionStore } from "../../ports/SuppressionStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { type MessageCopy, readReport, type Report } from "./DeliveryReport.ts"
import { domainOfAddress } from "../delivery/DeliveryDraft.ts"
import { deliveryKey } from "../delivery/DispatchPlan.ts"
import type { DeliveryStatus } from "../../model/DeliveryStatus.ts"
import { moveUnclaimed } from "../delivery/DeliveryRules.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { returnPathDomain, verifyingKeys } from "../../model/Domain.ts"
import type { EmailEvent } from "../../model/EmailEvent.ts"
import { EmailEvents, eventOf } from "../fanout/EmailEvents.ts"
import { readMime } from "./MimeReader.ts"
import { arrivalOf, canBeComplainedOf, findingOf } from "./ReportRules.ts"
import { returnPathTokens, type ReturnPathTokens } from "../delivery/ReturnPath.ts"
import type { Delivery } from "../../model/Submission.ts"
import { AttemptStore } from "../../ports/AttemptStore.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { reportedChange } from "../standing/StandingCounts.ts"
import { StandingGate } from "../standing/StandingGate.ts"
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

/** A report about a delivery, proven by its return path or by a signed copy of its message. */
interface Evidence {
  readonly ref: DeliveryRef
  readonly report: Exclude<Report, { readonly _tag: "Other" }>
}

/** What a report says, with the deliveries that it proves, and those of quoted messages, which are proven by a signature. */
interface Claim {
  readonly report: Evidence["report"]
  readonly proven: ReadonlyArray<DeliveryRef>
  readonly copies: ReadonlyArray<{ readonly copy: MessageCopy; readonly ref: DeliveryRef }>
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
     * report, or proves no delivery, has no effect: a delivery is proven by the MAC of its return path or, in a complaint,
     * by a copy of its message whose signature is ours. Neither has a complaint about several deliveries, nor a repeated
     * report. Fails with `StillHandingOver` while a delivery is being transmitted.
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
    const composer = yield* MessageComposer
    const domains = yield* DomainStore
    const submissions = yield* SubmissionStore
    const suppressions = yield* SuppressionStore
    const atomically = yield* Atomically
    const events = yield* EmailEvents
    const addressReports = yield* AddressReports
    const attempts = yield* AttemptStore
    const accounts = yield* AccountStore
    const standing = yield* StandingGate

    /** The deliveries that tokens prove; null where there is none. */
    const prove = <A>(attempt: (tokens: ReturnPathTokens) => A | null) =>
      keys.prove(({ reports }) => attempt(returnPathTokens(crypto, reports)))

    /** Whether one of the keys of its domain signed the header of a quoted message. */
    const isSignedCopy = Effect.fnUntraced(function* ({ header, messageId }: MessageCopy, ref: DeliveryRef) {
      const name = messageId.slice(messageId.lastIndexOf("@") + 1).toLowerCase()
      const domain = yield* domains.named(ref.accountId, name)
      return domain !== null && (yield* composer.isSigned(header, verifyingKeys(domain)))
    })

    const evidenceOf = Effect.fnUntraced(function* ({ copies, proven, report }: Claim) {
      const signed = yield* Effect.filter(copies, ({ copy, ref }) => isSignedCopy(copy, ref))
      const refs = new Map([...proven, ...signed.map(({ ref }) => ref)].map((ref) => [deliveryKey(ref), ref]))
      // A person complains about one email.
      if (report._tag === "Complaint" && refs.size > 1) return []
      return [...refs.values()].map((ref): Evidence => ({ ref, report }))
    })

    /** Counts complaints and late rejections in the time of their delivery; those of a sandbox, without attempts, do not count. */
    const count = Effect.fnUntraced(function* (applied: ReadonlyArray<Consequence>) {
      const counted = applied.filter(
        ({ addressReport, move }) => addressReport !== null || isLatePolicy(move)
      )
      if (counted.length === 0) return
      const tried = yield* attempts.of(counted.map(({ delivery }) => delivery))
      const accountIds = [...new Set(counted.map(({ delivery }) => delivery.accountId))]
      const owners = new Map((yield* accounts.find(accountIds)).map((account) => [account.id, account]))
      const changes = []
      for (const [accountId, group] of Map.groupBy(counted, ({ delivery }) => delivery.accountId)) {
        const found = yield* submissions.find(accountId, [
          ...new Set(group.map(({ delivery }) => delivery.submissionId))
        ])
        for (const { addressReport, delivery } of group) {
          const submission = found.find(({ id }) => id === delivery.submissionId)
          const from = submission?.from ?? owners.get(accountId)?.settings.defaultSender ?? null
          const last = tried.findLast(({ deliveryId }) => deliveryId === delivery.id)
          if (submission === undefined || from === null || last === undefined) continue
          const counts =
            addressReport === "Complained"
              ? { complained: 1 }
              : addressReport === "Bounced"
                ? { bounced: 1 }
                : { policy: 1 }
          changes.push(
            reportedChange(
              {
                accountId,
                stream: submission.marketing === null ? "Transactional" : "Marketing",
                domain: domainOfAddress(from.email)
              },
              counts,
              { host: last.host, at: last.finishedAt }
            )
          )
        }
      }
      yield* standing.count(changes)
    })

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
      yield* count(applied)
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
        const claims = yield* prove((tokens) => {
          const found = reports.flatMap((report) => claimOf(report, tokens))
          return found.length === 0 ? null : found
        })
        const evidence = (yield* Effect.forEach(claims ?? [], evidenceOf)).flat()
        if (evidence.length > 0) yield* atomically(apply(evidence))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Reports, Reports.make).pipe(
    Layer.provide([AddressReports.layer, StandingGate.layer])
  )
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

/** The claim of a report that names a delivery of this installation. */
const claimOf = (
  { raw, recipients }: IncomingReport,
  { ofMessageId, prove }: ReturnPathTokens
): ReadonlyArray<Claim> => {
  const report = readReport(readMime(raw))
  if (report._tag === "Other") return []
  const { copies = [], returnPaths = [] } = report._tag === "Complaint" ? report : {}
  const proven = [...recipients, ...returnPaths].flatMap((path) => prove(path) ?? [])
  const named = copies.flatMap((copy) => {
    // Messages of earlier versions had the token of the return path there.
    const ref = ofMessageId(copy.messageId) ?? prove(copy.messageId)
    return ref === null ? [] : [{ copy, ref }]
  })
  return proven.length + named.length === 0 ? [] : [{ report, proven, copies: named }]
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

/** Whether a server that accepted a message rejected it later, for a reason other than its address. */
const isLatePolicy = (move: Consequence["move"]): boolean => move?.reason === "sending.refused"

const arrivalEvents: Partial<Record<DeliveryStatus, EmailEvent["type"]>> = {
  Delivered: "email.delivered",
  Bounced: "email.bounced"
}
