/**
 * Reads the reports in messages of strangers, within bounds.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"
import type { MailReport } from "../model/MailReport.ts"

/**
 * Why a report was not read: its attachment's size or ratio, an archive of more than one entry or one that is broken, a
 * document type or entities, depth, number of records, any other form that is none, the time or memory that it took, or that
 * too much waits already.
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

/** A message holds no report that may be read. */
export class ReportRefused extends Data.TaggedError("ReportRefused")<{ readonly bound: ReportBound }> {}

/** The bounds of a report (docs/limits.md "Reports of mail servers"). */
export const reportBounds = {
  /** Bytes of a message. */
  message: 10_485_760,
  /** Bytes of a report, unpacked, and how many times as long as packed. */
  unpacked: 20_971_520,
  ratio: 200,
  depth: 12,
  records: 50_000,
  /** Characters of a name or a text; longer ones are cut. */
  text: 1_024,
  /** Domains in a report; records of others are left out. */
  domains: 100,
  /** Processor time, milliseconds. */
  millis: 2_000
} as const

/** The port that reads reports. */
export class MailReportReader extends Context.Service<
  MailReportReader,
  {
    /**
     * The report of a kind in a message: of its first part of a known type, plain, gzip or a zip of one entry. Total: any
     * bytes give a report or a refusal, without delaying other work.
     */
    readonly read: (
      raw: Uint8Array<ArrayBuffer>,
      kind: MailReport["_tag"]
    ) => Effect.Effect<MailReport, ReportRefused>
  }
>()("svc/ports/MailReportReader") {}
