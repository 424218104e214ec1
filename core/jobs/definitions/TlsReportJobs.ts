/**
 * The background jobs that report connections to the mail servers of domains.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

/** Which report, and where it goes; null before that is looked up. */
export interface TlsReportPayload {
  readonly kind: "TlsReport"
  readonly domain: string
  /** The start of the day in UTC, epoch milliseconds. */
  readonly day: number
  readonly to: string | null
}

/** Reports a day of a domain; at most one is pending for each destination. It belongs to no account. */
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
