/**
 * The background jobs that send reports about connections to the mail servers of domains (RFC 8460).
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

/** A report, and its destination; null until that is looked up. */
export interface TlsReportPayload {
  readonly kind: "TlsReport"
  readonly domain: string
  /** The start of the day in UTC, epoch milliseconds. */
  readonly day: number
  readonly to: string | null
}

/** Sends the report of a domain for a day; at most one is pending for each destination. It belongs to no account. */
export const tlsReportJob = defineJob({
  queue: "mail",
  key: ({ day, domain, kind, to }: TlsReportPayload) => `${kind}:${domain}:${day}:${to ?? ""}`,
  payload: Schema.Struct({
    kind: Schema.Literal("TlsReport"),
    domain: Schema.String,
    day: Schema.Number,
    to: Schema.NullOr(Schema.String)
  })
})
