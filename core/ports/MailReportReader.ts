/**
 * Reads reports in messages from unknown senders, within fixed bounds.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"
import type { MailReport } from "../model/MailReport.ts"

/**
 * Why a report was not read: the size or compression ratio of its attachment, an archive that is broken or has more than one
 * entry, a document type or entities, depth, number of records, any other invalid form, the time or memory it took, or too many
 * reports waiting.
 */
export type ReportBound =
  | "size"
  | "ratio"
  | "archive"
  | "markup"
  | "depth"
  | "records"
  | "format"
  | "time"
  | "memory"
  | "busy"

/** A message contains no report that may be read. */
export class ReportRefused extends Data.TaggedError("ReportRefused")<{ readonly bound: ReportBound }> {}

/** The bounds of a report (docs/limits.md "Reports of mail servers"). */
export const reportBounds = {
  /** The most bytes of a message. */
  message: 10_485_760,
  /** The most bytes of an unpacked report, and the most times it may be longer than packed. */
  unpacked: 20_971_520,
  ratio: 200,
  depth: 12,
  records: 50_000,
  /** The most characters of a name or text; longer ones are truncated. */
  text: 1_024,
  /** The most domains in a report; records of further ones are left out. */
  domains: 100,
  /** The most processor time, milliseconds. */
  millis: 2_000
} as const

/** The port that reads reports. */
export class MailReportReader extends Context.Service<
  MailReportReader,
  {
    /**
     * The report of a kind in a message: its first part of a known type, plain, gzip or a zip with one entry. Any bytes result in
     * a report or a refusal, without delaying other work.
     */
    readonly read: (
      raw: Uint8Array<ArrayBuffer>,
      kind: MailReport["_tag"]
    ) => Effect.Effect<MailReport, ReportRefused>
  }
>()("svc/ports/MailReportReader") {}
