/**
 * Stores the counts in the daily reports of mail servers, for all accounts together: rows belong to domains.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MailReportKind, MailReportRow, NewMailReportRow } from "../model/MailReport.ts"
import type { Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The record that a report was received. */
export interface ReportReceipt {
  /** A hash of the report's kind, reporter and id. */
  readonly key: string
  /** A hash of the reporter. */
  readonly reporter: string
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

/** How many reports were received since a time, including this one; counted up to 20,001. */
export interface ReceivedReports {
  /** False if the report was received before; then nothing was added. */
  readonly isNew: boolean
  readonly ofReporter: number
  readonly all: number
}

/** The port of the counts of reports. */
export class MailReportStore extends Context.Service<
  MailReportStore,
  {
    /** Records that a report was received, and counts those received since a time, epoch milliseconds. */
    readonly receive: (receipt: ReportReceipt, since: number) => Effect.Effect<ReceivedReports, Unavailable>
    /**
     * Adds counts to their rows, and creates missing rows. Once the day of a domain has 2,000 rows, counts go to the rows of
     * their folded values.
     */
    readonly add: (rows: ReadonlyArray<NewMailReportRow>) => Effect.Effect<void, Unavailable>
    /** The rows of a domain on a day, in no order. */
    readonly ofDay: (
      kind: MailReportKind,
      domain: string,
      day: number
    ) => Effect.Effect<ReadonlyArray<MailReportRow>, Unavailable>
    /** The rows of several domains, latest day first. */
    readonly list: (
      kind: MailReportKind,
      domains: ReadonlyArray<string>,
      range: TimeRange,
      page: PageRequest
    ) => Effect.Effect<Page<MailReportRow>, Unavailable>
    /** Deletes rows of a kind for days before a time, at most `limit`; returns how many. */
    readonly prune: (
      kind: MailReportKind,
      before: number,
      limit: number
    ) => Effect.Effect<number, Unavailable>
    /** Deletes receipts from before a time, at most `limit`; returns how many. */
    readonly pruneReceipts: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/MailReportStore") {}
