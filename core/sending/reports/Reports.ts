/**
 * Processes the reports of receiving servers about deliveries: bounces, confirmations and complaints.
 *
 * @module
 */
import { foldAddress } from "../../shared/EmailAddress.ts"
import { Context, Data, Effect, Layer } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import { MessageComposer } from "../../ports/MessageComposer.ts"
import type { DeliveryRef } from "../../ports/SubmissionStore.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Atomically } from "../../kernel/atomically.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { type MessageCopy, readReport, type Report } from "./DeliveryReport.ts"
import { deliveryKey } from "../delivery/DispatchPlan.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { returnPathDomain, verifyingKeys } from "../../model/Domain.ts"
import { readMime } from "./MimeReader.ts"
import { LaterCounts } from "../standing/LaterCounts.ts"
import { ReportEffects } from "./ReportEffects.ts"
import { consequenceOf, type DeliveryFinding, findingOf } from "./ReportRules.ts"
import { returnPathTokens, type ReturnPathTokens } from "../delivery/ReturnPath.ts"
import type { Delivery } from "../../model/Submission.ts"

/** A message received at an address for reports. */
export interface IncomingReport {
  /** The envelope's recipients. */
  readonly recipients: ReadonlyArray<string>
  /** The complete message. */
  readonly raw: Uint8Array
}

/** A reported delivery is being transmitted now, so the report must be repeated later. Nothing was written. */
export class StillHandingOver extends Data.TaggedError("StillHandingOver")<{}> {}

/** A report about a delivery, proven by its return path or by a signed copy of its message. */
interface Evidence {
  readonly ref: DeliveryRef
  readonly report: Exclude<Report, { readonly _tag: "Other" }>
}

/** A report with the deliveries that it proves, and with those of quoted messages, which a signature must prove. */
interface Claim {
  readonly report: Evidence["report"]
  readonly proven: ReadonlyArray<DeliveryRef>
  readonly copies: ReadonlyArray<{ readonly copy: MessageCopy; readonly ref: DeliveryRef }>
}

/**
 * Local parts for complaints and for mail to the operator. Such mail identifies deliveries only by the message that it quotes.
 */
const roleNames: ReadonlySet<string> = new Set(["postmaster", "abuse", "fbl"])

/** Processes reports of deliveries. */
export class Reports extends Context.Service<
  Reports,
  {
    /**
     * Whether mail to an address is accepted. It is for a return path whose MAC is valid, and for `postmaster`, `abuse` and
     * `fbl` at the mail host and at return-path domains.
     */
    readonly accepts: (recipient: string) => Effect.Effect<boolean, Unavailable>
    /**
     * Applies reports in one transaction: moves deliveries, suppresses addresses, and changes consent. A delivery is proven by
     * the MAC of its return path or, in a complaint, by a copy of its message with our signature. A message that is not a
     * report, or proves no delivery, has no effect; nor has a complaint about several deliveries, or a repeated report. Fails
     * with `StillHandingOver` while a delivery is being transmitted.
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
    const atomically = yield* Atomically
    const effects = yield* ReportEffects
    const later = yield* LaterCounts

    /** The result of the tokens of any valid key; null if there is none. */
    const prove = <A>(attempt: (tokens: ReturnPathTokens) => A | null) =>
      keys.prove(({ reports }) => attempt(returnPathTokens(crypto, reports)))

    /**
     * Whether a key of the delivery's domain signed the header of a quoted message, including the Message-ID that was read in
     * it.
     */
    const isSignedCopy = Effect.fnUntraced(function* ({ header, messageId }: MessageCopy, ref: DeliveryRef) {
      const name = messageId.slice(messageId.lastIndexOf("@") + 1).toLowerCase()
      const domain = yield* domains.named(ref.accountId, name)
      if (domain === null) return false
      return (yield* composer.signedMessageId(header, verifyingKeys(domain))) === messageId
    })

    const evidenceOf = Effect.fnUntraced(function* ({ copies, proven, report }: Claim) {
      const signed = yield* Effect.filter(copies, ({ copy, ref }) => isSignedCopy(copy, ref))
      const refs = new Map([...proven, ...signed.map(({ ref }) => ref)].map((ref) => [deliveryKey(ref), ref]))
      // A person complains about a single email.
      if (report._tag === "Complaint" && refs.size > 1) return []
      return [...refs.values()].map((ref): Evidence => ({ ref, report }))
    })

    const apply = Effect.fnUntraced(function* (evidence: ReadonlyArray<Evidence>) {
      const refs = new Map(evidence.map(({ ref }) => [deliveryKey(ref), ref]))
      const deliveries = yield* effects.lock([...refs.values()])
      if (deliveries.some(({ delivery: { status } }) => status === "HandingOff")) {
        return yield* new StillHandingOver()
      }
      const found = Map.groupBy(evidence, ({ ref }) => deliveryKey(ref))
      const counts = yield* effects.apply(
        deliveries.flatMap(({ delivery, isReported }) => {
          const reports = found.get(deliveryKey(delivery)) ?? []
          return consequenceOf(delivery, findingsOf(delivery, reports), isReported) ?? []
        })
      )
      yield* later.count(counts)
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
    Layer.provide([LaterCounts.layer, ReportEffects.layer]),
    builtOnce
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

/** The claim of a report that refers to a delivery of this installation. */
const claimOf = (
  { raw, recipients }: IncomingReport,
  { ofMessageId, prove }: ReturnPathTokens
): ReadonlyArray<Claim> => {
  const report = readReport(readMime(raw))
  if (report._tag === "Other") return []
  const { copies = [], returnPaths = [] } = report._tag === "Complaint" ? report : {}
  const proven = [...recipients, ...returnPaths].flatMap((path) => prove(path) ?? [])
  const named = copies.flatMap((copy) => {
    // In messages of earlier versions, the Message-ID contained the token of the return path.
    const ref = ofMessageId(copy.messageId) ?? prove(copy.messageId)
    return ref === null ? [] : [{ copy, ref }]
  })
  return proven.length + named.length === 0 ? [] : [{ report, proven, copies: named }]
}

/** The findings of a batch of reports about a delivery. */
const findingsOf = (delivery: Delivery, evidence: ReadonlyArray<Evidence>): ReadonlyArray<DeliveryFinding> =>
  evidence.flatMap(({ report }): ReadonlyArray<DeliveryFinding> => {
    if (report._tag === "Complaint") return [{ _tag: "Complaint", kind: report.kind }]
    const finding = findingOf(delivery.email, report.recipients)
    return finding === null ? [] : [{ _tag: "Result", ...finding }]
  })
