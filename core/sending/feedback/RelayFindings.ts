/**
 * Decides what a provider's reports mean for a delivery: pure functions over the reports of a batch, in whatever order these
 * arrive.
 *
 * @module
 */
import type { RelayReport, RelayReportKind } from "../../model/RelayReport.ts"
import type { Delivery } from "../../model/Submission.ts"
import type { DeliveryFinding } from "../reports/ReportRules.ts"

/** The order of reports of the same time: consequences come after their causes. */
const ranks: Readonly<Record<RelayReportKind, number>> = {
  Deferred: 0,
  Suppressed: 1,
  Delivered: 2,
  Failed: 3,
  Bounced: 4,
  Opened: 5,
  Clicked: 6,
  Complained: 7,
  Unsubscribed: 8
}

const byTime = (a: RelayReport, b: RelayReport): number => a.at - b.at || ranks[a.kind] - ranks[b.kind]

/**
 * The reports about a delivery in the order of the events. Reports about another recipient count only if none is about the
 * delivery's own recipient: a provider may state the address to which an alias leads.
 */
export const orderedReports = (
  { email }: Pick<Delivery, "email">,
  reports: ReadonlyArray<RelayReport>
): ReadonlyArray<RelayReport> => {
  const own = reports.filter(({ delivery }) => delivery.recipient === null || delivery.recipient === email)
  return (own.length > 0 ? own : reports).toSorted(byTime)
}

/** The finding of a report; null if it changes no state. */
export const findingOfReport = (report: RelayReport): DeliveryFinding | null => {
  const reason = reasonOf(report)
  switch (report.kind) {
    case "Delivered":
    case "Bounced":
      return { _tag: "Result", outcome: report.kind, reason }
    case "Failed":
      return { _tag: "Result", outcome: report.failure ?? "Refused", reason }
    case "Suppressed":
      return { _tag: "Result", outcome: "HeldBack", reason }
    case "Complained":
      return { _tag: "Complaint", kind: report.words ?? "abuse" }
    case "Deferred":
    case "Opened":
    case "Clicked":
    case "Unsubscribed":
      return null
  }
}

/** The code and the text on one line. */
const reasonOf = ({ code, words }: RelayReport): string | null => {
  if (words === null || code === null) return words ?? code
  return words.includes(code) ? words : `${code} ${words}`.slice(0, maxReason).toWellFormed()
}
const maxReason = 300
