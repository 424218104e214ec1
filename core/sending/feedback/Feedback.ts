/**
 * Reads the reports of a provider with the reader of its kind. Pure and total: an unreadable entry is counted, and the other
 * entries of its batch are still read.
 *
 * @module
 */
import type { RelayProvider, RelayReport } from "../../model/RelayReport.ts"
import { readAmazonSes } from "./AmazonSes.ts"
import { readBrevo } from "./Brevo.ts"
import type { EntryReader } from "./Entry.ts"
import { readMailgun } from "./Mailgun.ts"
import { readMailjet } from "./Mailjet.ts"
import { readPostmark } from "./Postmark.ts"
import { isFields } from "./Reading.ts"
import { readResend } from "./Resend.ts"
import { readSendGrid } from "./SendGrid.ts"
import { readSparkPost } from "./SparkPost.ts"

/** The contents of a body. */
export interface Feedback {
  readonly reports: ReadonlyArray<RelayReport>
  /** The number of entries of kinds that are unknown or change nothing. */
  readonly ignored: number
  /** The number of entries that are unreadable or name no delivery. */
  readonly broken: number
}

const readers: Readonly<Record<RelayProvider, EntryReader>> = {
  AmazonSes: readAmazonSes,
  Brevo: readBrevo,
  Mailgun: readMailgun,
  Mailjet: readMailjet,
  Postmark: readPostmark,
  Resend: readResend,
  SendGrid: readSendGrid,
  SparkPost: readSparkPost
}

/** Reads a body, an entry or a list of entries, that a provider sent and that was received at `now`, epoch milliseconds. */
export const readFeedback = (provider: RelayProvider, body: unknown, now: number): Feedback => {
  const read = readers[provider]
  const reports: Array<RelayReport> = []
  let ignored = 0
  let broken = 0
  for (const entry of Array.isArray(body) ? (body as ReadonlyArray<unknown>) : [body]) {
    const found = isFields(entry) ? read(entry, now) : "Broken"
    if (found === "Ignored") ignored++
    else if (found === "Broken") broken++
    else reports.push(...found)
  }
  return { reports, ignored, broken }
}
