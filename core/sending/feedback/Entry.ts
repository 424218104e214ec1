/**
 * The parts shared by the readers of all providers: the types of a parsed entry, and functions that build it.
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

/** A parsed entry: reports, an entry of a kind that is unknown or changes nothing, or an unreadable entry. */
export type Entry = ReadonlyArray<RelayReport> | "Ignored" | "Broken"

/** Reads an entry of a provider's report that was received at `now`. Never throws. */
export type EntryReader = (entry: Fields, now: number) => Entry

/** The delivery and the time of an entry, which are the same for all of its reports. */
export interface Occasion {
  readonly delivery: ReportedDelivery
  /** Epoch milliseconds. */
  readonly at: number
}

/** The details of a report besides its kind. */
interface Said extends StatedCodes {
  readonly words?: string | null
  /** The reply of the recipient's server, if `words` may be the provider's own advice, which does not decide anything. */
  readonly reply?: string | null
}

/** Builds a report of a given kind. */
export const report = (
  { at, delivery }: Occasion,
  kind: Exclude<RelayReportKind, "Bounced" | "Failed" | "Opened" | "Clicked">,
  said: Said = {}
): RelayReport => {
  const words = wordsOf(said.words ?? null)
  return { delivery, kind, failure: null, code: codeOf(words, said), words, at, visit: null }
}

/** Builds a report of a failure. The rules decide its class by the provider's cause, codes and text. */
export const failed = ({ at, delivery }: Occasion, cause: Cause, said: Said = {}): RelayReport => {
  const words = wordsOf(said.words ?? null)
  const decisive = said.reply === undefined ? words : said.reply
  return { delivery, ...failureOf(cause, decisive, said), words, at, visit: null }
}

/** Builds a report of a visit. */
export const visited = (
  { at, delivery }: Occasion,
  kind: "Opened" | "Clicked",
  visit: ReportedVisit
): RelayReport => ({ delivery, kind, failure: null, code: null, words: null, at, visit })

/** Returns the reports of an entry; Broken if none of them can name a delivery. */
export const named = (reports: ReadonlyArray<RelayReport>): Entry =>
  reports.length > 0 &&
  reports.every(({ delivery }) => delivery.references.length + delivery.providerIds.length > 0)
    ? reports
    : "Broken"
