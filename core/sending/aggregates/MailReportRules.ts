/**
 * Decides whose a report is, and which rows its records make.
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

/** The local parts at the mail host that take reports, and their kinds. */
const kindOfName: Readonly<Record<string, MailReport["_tag"]>> = { dmarc: "Dmarc", "tls-reports": "Tls" }

/** The kind of the reports that an address takes; null for any other address. */
export const kindOfAddress = (recipient: string, mailHost: string): MailReport["_tag"] | null => {
  const folded = foldAddress(recipient)
  const at = folded.lastIndexOf("@")
  return folded.slice(at + 1) === mailHost ? (kindOfName[folded.slice(0, Math.max(0, at))] ?? null) : null
}

/** The most reports of a UTC day: of one reporter, and of all. */
export const reportsOfDay = { ofReporter: 1_000, all: 20_000 } as const

/** The start of a time's day in UTC. */
export const dayOf = (at: number): number => Math.floor(at / dayMillis) * dayMillis

/** The most days that a report may be late, and how far ahead its clock may be. */
const lateDays = 30
const aheadDays = 1

/** Whether a report is of a time about which reports come. */
export const isTimely = ({ begin }: MailReport, now: number): boolean =>
  begin > now - lateDays * dayMillis && begin < now + aheadDays * dayMillis

/** How long receipts are kept: longer than a report may be late. */
export const receiptMillis = 2 * lateDays * dayMillis

/** How long counts are kept: 13 months. */
export const rowMillis = 396 * dayMillis

/** The names above a domain, itself first, at most ten and none of one label. */
const namesAbove = (domain: string): ReadonlyArray<string> => {
  const labels = domain.split(".")
  return Array.from({ length: Math.min(10, labels.length - 1) }, (_, at) => labels.slice(at).join("."))
}

const isAbove = (above: string, domain: string): boolean => domain === above || domain.endsWith(`.${above}`)

const prefix = returnPathDomain("")

/** The domain that mail of TLS sessions came to: that whose return path it is; null for any other. */
const ofReturnPath = (domain: string): string | null =>
  domain.startsWith(prefix) ? domain.slice(prefix.length) : null

/** The domains that a report may be about, of which some may be ours. */
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

/** What a row of DMARC reports counts. */
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

/** What a row of TLS reports counts. */
export const tlsCountOf = ({ values }: MailReportRow): TlsCount => {
  const [policy, result, host = ""] = values as readonly [TlsCount["policy"], TlsCount["result"], string]
  return { policy, result, host }
}

/** What a row of the service's own connections counts. */
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

/** The most rows of a report with values of their own; the counts of the others are folded. */
const maxRows = 1_000

/**
 * The rows that a report makes of the records that are about our domains. A record of DMARC counts for the nearest of our
 * domains at or above its author's, where the policy that was applied is that domain's own or its organization's.
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
