/**
 * Receives the daily reports of mail servers about our domains: DMARC and TLS. The contents of a report are never proven, so
 * it is only counted, and what it can produce is bounded.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Metric } from "effect"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { MailReport } from "../../model/MailReport.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import { MailReportReader, type ReportBound } from "../../ports/MailReportReader.ts"
import { MailReportStore } from "../../ports/MailReportStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import {
  candidatesOf,
  dayOf,
  isTimely,
  kindOfAddress,
  reportsOfDay,
  type RowDraft,
  rowsOf
} from "./MailReportRules.ts"

const counted = Metric.counter("svc_reports_total", {
  description: "Daily reports of mail servers that arrived or were sent, by kind and by what became of them",
  incremental: true
})

/** Counts a report in the metrics. */
export const countReport = (kind: "dmarc" | "tls" | "tls_sent", outcome: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(counted, { kind, outcome }), 1)

/** The outcome of a report. */
type Outcome = "counted" | "repeated" | "too_many" | "unknown_domain" | "untimely" | ReportBound

/** Receives reports. */
export class MailReports extends Context.Service<
  MailReports,
  {
    /** The kind of reports that an address receives; null for any other address. */
    readonly kindOf: (recipient: string) => MailReport["_tag"] | null
    /**
     * Counts the report in a message, once. A message without a report, or one beyond a bound, is only counted in the metrics.
     * Its sender learns nothing.
     */
    readonly take: (
      kind: MailReport["_tag"],
      raw: Uint8Array<ArrayBuffer>
    ) => Effect.Effect<void, Unavailable>
  }
>()("svc/sending/MailReports", {
  make: Effect.gen(function* () {
    // The metric starts at zero, so that its first increase is visible.
    yield* Metric.update(Metric.withAttributes(counted, { kind: "dmarc", outcome: "counted" }), 0)
    const accounts = yield* AccountStore
    const atomically = yield* Atomically
    const crypto = yield* Crypto
    const domains = yield* DomainStore
    const ids = yield* Ids
    const reader = yield* MailReportReader
    const store = yield* MailReportStore
    const { mailHost } = yield* PublicEndpoint
    /** The number of reports that this process has parsed today. Parsing is the expensive step. */
    let read = { day: 0, count: 0 }

    const mayRead = Effect.map(Clock.currentTimeMillis, (now) => {
      const day = dayOf(now)
      read = { day, count: read.day === day ? read.count + 1 : 1 }
      return read.count <= reportsOfDay.all
    })

    /** The given names that live accounts have verified. */
    const oursAmong = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
      const found = yield* domains.verifiedByName(names)
      const owners = yield* accounts.find([...new Set(found.map(({ accountId }) => accountId))])
      // The domains of sandboxes are verified without DNS, and do not count.
      const live = new Set(
        owners.flatMap(({ deletedAt, id, mode }) => (mode === "Live" && deletedAt === null ? [id] : []))
      )
      return new Set(found.filter(({ accountId }) => live.has(accountId)).map(({ domain }) => domain))
    })

    const count = Effect.fnUntraced(function* (report: MailReport, drafts: ReadonlyArray<RowDraft>) {
      const receivedAt = yield* Clock.currentTimeMillis
      const reporter = crypto.sha256Hex(report.reporter)
      const key = crypto.sha256Hex(JSON.stringify([report._tag, report.reporter, report.reportId]))
      const { all, isNew, ofReporter } = yield* store.receive(
        { key, reporter, receivedAt },
        dayOf(receivedAt)
      )
      if (!isNew) return "repeated"
      if (ofReporter > reportsOfDay.ofReporter || all > reportsOfDay.all) return "too_many"
      const rowIds = yield* ids.many(drafts.length)
      yield* store.add(drafts.map((draft, at) => ({ ...draft, id: rowIds[at]! })))
      return "counted"
    })

    const process = Effect.fnUntraced(function* (
      kind: MailReport["_tag"],
      raw: Uint8Array<ArrayBuffer>
    ): Effect.fn.Return<Outcome, Unavailable> {
      if (!(yield* mayRead)) return "too_many"
      const result = yield* Effect.result(reader.read(raw, kind))
      if (result._tag === "Failure") return result.failure.bound
      const report = result.success
      if (!isTimely(report, yield* Clock.currentTimeMillis)) return "untimely"
      const drafts = rowsOf(report, yield* oursAmong(candidatesOf(report)))
      return drafts.length === 0 ? "unknown_domain" : yield* atomically(count(report, drafts))
    })

    return {
      kindOf: (recipient) => kindOfAddress(recipient, mailHost),
      take: Effect.fn("MailReports.take")(function* (kind, raw) {
        const outcome = yield* process(kind, raw)
        yield* countReport(kind === "Dmarc" ? "dmarc" : "tls", outcome)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(MailReports, MailReports.make).pipe(Layer.provide(Ids.layer))
}
