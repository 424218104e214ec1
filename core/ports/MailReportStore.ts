/**
 * Stores what the daily reports of mail servers count, of all accounts together: rows belong to domains.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MailReportKind, MailReportRow, NewMailReportRow } from "../model/MailReport.ts"
import type { Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** That a report was received. */
export interface ReportReceipt {
  /** A hash of its kind, its reporter and its id. */
  readonly key: string
  /** A hash of its reporter. */
  readonly reporter: string
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

/** How many reports were received since a time, this one included; counted up to 20,001. */
export interface ReceivedReports {
  /** False where the report was received before: then nothing was added. */
  readonly isNew: boolean
  readonly ofReporter: number
  readonly all: number
}

/** The port of the counts of reports. */
export class MailReportStore extends Context.Service<
  MailReportStore,
  {
    /** Notes that a report was received, and counts those since a time, epoch milliseconds. */
    readonly receive: (receipt: ReportReceipt, since: number) => Effect.Effect<ReceivedReports, Unavailable>
    /**
     * Adds counts to their rows, which are made where they are missing. Once the day of a domain has 2,000 rows, counts go to the
     * rows of their folded values.
     */
    readonly add: (rows: ReadonlyArray<NewMailReportRow>) => Effect.Effect<void, Unavailable>
    /** The rows of a domain's day, in no order. */
    readonly ofDay: (
      kind: MailReportKind,
      domain: string,
      day: number
    ) => Effect.Effect<ReadonlyArray<MailReportRow>, Unavailable>
    /** The rows of some domains, the latest day first. */
    readonly list: (
      kind: MailReportKind,
      domains: ReadonlyArray<string>,
      range: TimeRange,
      page: PageRequest
    ) => Effect.Effect<Page<MailReportRow>, Unavailable>
    /** Deletes rows of days before a time, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** Deletes receipts of before a time, at most `limit`; returns how many. */
    readonly pruneReceipts: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/MailReportStore") {}
