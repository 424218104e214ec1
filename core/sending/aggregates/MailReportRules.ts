/**
 * Decides which domains a report concerns, and which rows its records produce.
 *
 * @module
 */
import { returnPathDomain } from "../../model/Domain.ts"
import {
  type AuthResult,
  type Disposition,
  type DmarcCount,
  type MailReport,
  type MailReportRow,
  type NewMailReportRow,
  type TlsCount,
  type TlsSentCount
} from "../../model/MailReport.ts"
import { foldAddress } from "../../shared/EmailAddress.ts"

const dayMillis = 86_400_000

/** The local parts at the mail host that receive reports, with the kinds of these reports. */
const kindOfName: Readonly<Record<string, MailReport["_tag"]>> = { dmarc: "Dmarc", "tls-reports": "Tls" }

/** The kind of reports that an address receives; null for any other address. */
export const kindOfAddress = (recipient: string, mailHost: string): MailReport["_tag"] | null => {
  const folded = foldAddress(recipient)
  const at = folded.lastIndexOf("@")
  return folded.slice(at + 1) === mailHost ? (kindOfName[folded.slice(0, Math.max(0, at))] ?? null) : null
}

/** The maximum number of reports in a UTC day, from one reporter and from all. */
export const reportsOfDay = { ofReporter: 1_000, all: 20_000 } as const

/** The start of the UTC day of a time. */
export const dayOf = (at: number): number => Math.floor(at / dayMillis) * dayMillis

/** By how many days a report may be late at most, and by how many its clock may be ahead. */
const lateDays = 30
const aheadDays = 1

/** Whether the time of a report is plausible. */
export const isTimely = ({ begin }: MailReport, now: number): boolean =>
  begin > now - lateDays * dayMillis && begin < now + aheadDays * dayMillis

/** How long receipts are kept, milliseconds: longer than a report may be late. */
export const receiptMillis = 2 * lateDays * dayMillis

/** How long counts are kept, milliseconds: 13 months. */
export const rowMillis = 396 * dayMillis

/** A domain and the names above it, at most ten, without names of a single label. */
const namesAbove = (domain: string): ReadonlyArray<string> => {
  const labels = domain.split(".")
  return Array.from({ length: Math.min(10, labels.length - 1) }, (_, at) => labels.slice(at).join("."))
}

const isAbove = (above: string, domain: string): boolean => domain === above || domain.endsWith(`.${above}`)

const prefix = returnPathDomain("")

/**
 * The sending domain whose return-path domain this is; null for any other domain. Mail over the reported TLS sessions is
 * addressed to return paths.
 */
const ofReturnPath = (domain: string): string | null =>
  domain.startsWith(prefix) ? domain.slice(prefix.length) : null

/** The domains that a report may concern. Some of them may be ours. */
export const candidatesOf = (report: MailReport): ReadonlyArray<string> => [
  ...new Set(
    report._tag === "Dmarc"
      ? report.records.flatMap(({ from }) => namesAbove(from))
      : report.records.flatMap(({ domain }) => ofReturnPath(domain) ?? [])
  )
]

const dmarcValues = (counted: DmarcCount): ReadonlyArray<string> => [
  counted.network,
  counted.disposition,
  counted.dkim,
  counted.dkimAligned ? "aligned" : "",
  counted.spf,
  counted.spfAligned ? "aligned" : ""
]

const tlsValues = ({ host, policy, result }: TlsCount): ReadonlyArray<string> => [policy, result, host]

const sentValues = (counted: TlsSentCount): ReadonlyArray<string> => [...tlsValues(counted), counted.source]

/** The count in a row of DMARC reports. */
export const dmarcCountOf = ({ values }: MailReportRow): DmarcCount => {
  const [network = "", disposition, dkim, dkimAligned, spf, spfAligned] = values
  return {
    network,
    disposition: disposition as Disposition,
    dkim: dkim as AuthResult,
    dkimAligned: dkimAligned !== "",
    spf: spf as AuthResult,
    spfAligned: spfAligned !== ""
  }
}

/** The count in a row of TLS reports. */
export const tlsCountOf = ({ values }: MailReportRow): TlsCount => {
  const [policy, result, host = ""] = values as readonly [TlsCount["policy"], TlsCount["result"], string]
  return { policy, result, host }
}

/** The count in a row of the service's own connections. */
export const tlsSentCountOf = (row: MailReportRow): TlsSentCount => ({
  ...tlsCountOf(row),
  source: row.values[3] ?? ""
})

/** A row without its id. */
export type RowDraft = Omit<NewMailReportRow, "id">

/** The row of connections of this service. */
export const tlsSentRow = (domain: string, day: number, counted: TlsSentCount, count: number): RowDraft => ({
  kind: "TlsSent",
  domain,
  day,
  values: sentValues(counted),
  folded: sentValues({ ...counted, host: "", source: "" }),
  count
})

/**
 * The maximum number of rows with values of their own that a report produces. The counts of all further records are merged.
 */
const maxRows = 1_000

/**
 * The rows that a report produces from the records about our domains. A DMARC record counts for the nearest of our domains at
 * or above its author's domain, if the applied policy belongs to that domain or to its organizational domain.
 */
export const rowsOf = (report: MailReport, ours: ReadonlySet<string>): ReadonlyArray<RowDraft> => {
  const day = dayOf(report.begin)
  const rows =
    report._tag === "Dmarc"
      ? report.records.flatMap(({ count, from, ...counted }): ReadonlyArray<RowDraft> => {
          const domain = namesAbove(from).find((name) => ours.has(name))
          if (domain === undefined) return []
          if (!isAbove(report.domain, domain) && !isAbove(domain, report.domain)) return []
          const folded = dmarcValues({ ...counted, network: "" })
          return [{ kind: "Dmarc", domain, day, values: dmarcValues(counted), folded, count }]
        })
      : report.records.flatMap(({ count, domain, ...counted }): ReadonlyArray<RowDraft> => {
          const name = ofReturnPath(domain)
          if (name === null || !ours.has(name)) return []
          const folded = tlsValues({ ...counted, host: "" })
          return [{ kind: "Tls", domain: name, day, values: tlsValues(counted), folded, count }]
        })
  return rows
    .toSorted((one, other) => other.count - one.count)
    .map((row, at) => (at < maxRows ? row : { ...row, values: row.folded }))
}
