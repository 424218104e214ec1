/**
 * The parts that the readers of all providers share: what an entry of a report is read as.
 *
 * @module
 */
import type {
  RelayReport,
  RelayReportKind,
  ReportedDelivery,
  ReportedVisit
} from "../../model/RelayReport.ts"
import { codeOf, failureOf, type StatedCodes, type Cause } from "./Failures.ts"
import { type Fields, wordsOf } from "./Reading.ts"

/** What an entry is: reports, one of a kind that changes nothing or is not known, or one that cannot be read. */
export type Entry = ReadonlyArray<RelayReport> | "Ignored" | "Broken"

/** Reads an entry of a provider's report, received at `now`. Never throws. */
export type EntryReader = (entry: Fields, now: number) => Entry

/** The delivery and time of an entry, on which all its reports agree. */
export interface Occasion {
  readonly delivery: ReportedDelivery
  /** Epoch milliseconds. */
  readonly at: number
}

/** What a report says, beside its kind. */
interface Said extends StatedCodes {
  readonly words?: string | null
  /** What the recipient's server replied, where `words` may be the provider's own advice, which decides nothing. */
  readonly reply?: string | null
}

/** A report of a kind. */
export const report = (
  { at, delivery }: Occasion,
  kind: Exclude<RelayReportKind, "Bounced" | "Failed" | "Opened" | "Clicked">,
  said: Said = {}
): RelayReport => {
  const words = wordsOf(said.words ?? null)
  return { delivery, kind, failure: null, code: codeOf(words, said), words, at, visit: null }
}

/** A report of a failure, whose class the rules decide by the provider's cause, codes and words. */
export const failed = ({ at, delivery }: Occasion, cause: Cause, said: Said = {}): RelayReport => {
  const words = wordsOf(said.words ?? null)
  const decisive = said.reply === undefined ? words : said.reply
  return { delivery, ...failureOf(cause, decisive, said), words, at, visit: null }
}

/** A report of a visit. */
export const visited = (
  { at, delivery }: Occasion,
  kind: "Opened" | "Clicked",
  visit: ReportedVisit
): RelayReport => ({ delivery, kind, failure: null, code: null, words: null, at, visit })

/** Reports of an entry; broken where nothing in it can name a delivery. */
export const named = (reports: ReadonlyArray<RelayReport>): Entry =>
  reports.length > 0 &&
  reports.every(({ delivery }) => delivery.references.length + delivery.providerIds.length > 0)
    ? reports
    : "Broken"
