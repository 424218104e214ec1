/**
 * Builds the reports about TLS connections that the service sends to the domains of mail servers (RFC 8460): their
 * destinations, their content, and the message that carries a report.
 *
 * @module
 */
import type { MailReportRow } from "../../model/MailReport.ts"
import type { StsPolicy } from "../../model/StsPolicy.ts"
import { toBase64 } from "../../shared/Bytes.ts"
import { formatDateTime } from "../../shared/Validate.ts"
import { tlsSentCountOf } from "./MailReportRules.ts"

const dayMillis = 86_400_000

/** The maximum number of domains that get a report of a day. */
export const maxReportedDomains = 5_000

/** A report with its identifying names. */
export interface TlsReportText {
  readonly id: string
  readonly domain: string
  readonly submitter: string
  readonly json: string
  readonly filename: string
}

/** Builds the report of a domain for a day. */
export const tlsReportOf = (
  rows: ReadonlyArray<MailReportRow>,
  {
    day,
    domain,
    policy,
    submitter
  }: {
    readonly domain: string
    readonly day: number
    /** The name of the service as a mail host. */
    readonly submitter: string
    /** The MTA-STS policy of the domain; null if it has none. */
    readonly policy: StsPolicy | null
  }
): TlsReportText => {
  const byPolicy = Map.groupBy(
    rows.map((row) => ({ ...tlsSentCountOf(row), count: row.count })),
    (counted) => counted.policy
  )
  const sum = (counts: ReadonlyArray<{ readonly count: number }>): number =>
    counts.reduce((total, { count }) => total + count, 0)
  const policies = [...byPolicy].map(([type, counts]) => {
    const failed = counts.filter(({ result }) => result !== "success")
    const sts = type === "sts" ? policy : null
    return {
      policy: {
        "policy-type": type,
        ...(sts === null
          ? {}
          : {
              "policy-string": [
                "version: STSv1",
                `mode: ${sts.mode}`,
                ...sts.mx.map((mx) => `mx: ${mx}`),
                `max_age: ${sts.maxAge}`
              ],
              "mx-host": sts.mx
            }),
        "policy-domain": domain
      },
      summary: {
        "total-successful-session-count": sum(counts) - sum(failed),
        "total-failure-session-count": sum(failed)
      },
      "failure-details": failed.map(({ count, host, result, source }) => ({
        "result-type": result,
        ...(source === "" ? {} : { "sending-mta-ip": source }),
        ...(host === "" ? {} : { "receiving-mx-hostname": host }),
        "failed-session-count": count
      }))
    }
  })
  const date = formatDateTime(day).slice(0, 10)
  const id = `${date}.${domain}@${submitter}`
  const end = day + dayMillis - 1000
  return {
    id,
    domain,
    submitter,
    filename: `${submitter}!${domain}!${day / 1000}!${end / 1000}.json.gz`,
    json: JSON.stringify({
      "organization-name": submitter,
      "date-range": { "start-datetime": `${date}T00:00:00Z`, "end-datetime": `${date}T23:59:59Z` },
      "contact-info": `postmaster@${submitter}`,
      "report-id": id,
      policies
    })
  }
}

/** The subject of a report's message (RFC 8460, 5.3). */
export const subjectOf = ({ domain, id, submitter }: TlsReportText): string =>
  `Report Domain: ${domain} Submitter: ${submitter} Report-ID: <${id}>`

/** The media type of a report compressed with gzip (RFC 8460, 6.5). */
export const packedReport = "application/tlsrpt+gzip"

/**
 * The body of a report's message with its content header fields: a multipart/report (RFC 8460, 5.3). `packed` is the
 * compressed JSON.
 */
export const entityOfReport = (
  { domain, filename, submitter }: TlsReportText,
  packed: Uint8Array
): Uint8Array => {
  const encoded = toBase64(packed).match(/.{1,76}/g) ?? []
  const boundary = "tls-report"
  return new TextEncoder().encode(
    [
      `Content-Type: multipart/report; report-type="tlsrpt"; boundary="${boundary}"`,
      "",
      `--${boundary}`,
      "Content-Type: text/plain; charset=us-ascii",
      "",
      `This is a daily report of TLS connections from ${submitter} to ${domain} (RFC 8460).`,
      "",
      `--${boundary}`,
      `Content-Type: ${packedReport}`,
      `Content-Disposition: attachment; filename="${filename}"`,
      "Content-Transfer-Encoding: base64",
      "",
      ...encoded,
      `--${boundary}--`,
      ""
    ].join("\r\n")
  )
}

/** When the report of a day is sent: in the first hours of the next day, spread by a number in [0, 1). */
export const sendAtOf = (day: number, spread: number): number =>
  day + dayMillis + Math.round((10 + spread * 230) * 60_000)
