/**
 * The daily reports of mail servers about mail under a domain: DMARC (RFC 9990, RFC 7489) and TLS (RFC 8460). What they count
 * is kept by day; the reports themselves are not.
 *
 * @module
 */
import { tlsResults } from "./TlsTerms.ts"

/** `Dmarc` and `Tls` were received; `TlsSent` counts the connections of this service, for the reports that it sends. */
export type MailReportKind = "Dmarc" | "Tls" | "TlsSent"

/** What a receiver did with messages that it counts. `Pass`: DMARC passed (RFC 9990); older reports say None. */
export const dispositions = ["None", "Quarantine", "Reject", "Pass"] as const

/** What a receiver did with messages that it counts. */
export type Disposition = (typeof dispositions)[number]

/** The results of SPF and DKIM (RFC 8601, 2.7). */
export const authResults = [
  "none",
  "pass",
  "fail",
  "softfail",
  "policy",
  "neutral",
  "temperror",
  "permerror"
] as const

/** A result of SPF or DKIM. */
export type AuthResult = (typeof authResults)[number]

/** Messages of a day that a receiver counts together. */
export interface DmarcCount {
  /** The /24 or /48 that they came from; empty where a day has too many. */
  readonly network: string
  readonly disposition: Disposition
  readonly dkim: AuthResult
  readonly dkimAligned: boolean
  readonly spf: AuthResult
  readonly spfAligned: boolean
}

/** The results of connections in received reports: one more than the service has itself. */
export const reportedTlsResults = [...tlsResults, "dane-required"] as const

/** The types of policies in received reports. */
export const reportedPolicies = ["tlsa", "sts", "no-policy-found"] as const

/** Connections of a day that a sender counts together. */
export interface TlsCount {
  readonly policy: (typeof reportedPolicies)[number]
  readonly result: (typeof reportedTlsResults)[number]
  /** The mail server; empty where it is not told, or a day has too many. */
  readonly host: string
}

/** Connections of this service that it counts together for its own reports. */
export interface TlsSentCount extends TlsCount {
  /** The public address that they came from; empty where that is not known, or a day has too many. */
  readonly source: string
}

/** A count of a day. */
export interface MailReportRow {
  readonly id: string
  readonly kind: MailReportKind
  /** Lower case. */
  readonly domain: string
  /** The start of the day in UTC, epoch milliseconds. */
  readonly day: number
  /** What is counted: a row of a domain and a day is unique by these. */
  readonly values: ReadonlyArray<string>
  readonly count: number
}

/** A count to be added. */
export interface NewMailReportRow extends MailReportRow {
  /** The values in whose row it counts once its domain's day has too many rows. */
  readonly folded: ReadonlyArray<string>
}

/** The most rows of a domain's day before others are folded. */
export const maxRowsOfDay = 2_000

/** A report as it was read. */
export type MailReport =
  | {
      readonly _tag: "Dmarc"
      /** Who reports, as the report says; never proven. */
      readonly reporter: string
      readonly reportId: string
      /** When its period began, epoch milliseconds. */
      readonly begin: number
      /** The domain whose policy was applied. */
      readonly domain: string
      readonly records: ReadonlyArray<DmarcCount & { readonly from: string; readonly count: number }>
    }
  | {
      readonly _tag: "Tls"
      readonly reporter: string
      readonly reportId: string
      readonly begin: number
      readonly records: ReadonlyArray<TlsCount & { readonly domain: string; readonly count: number }>
    }

const keyOf = ({ day, domain, kind, values }: MailReportRow): string =>
  JSON.stringify([kind, domain, day, values])

/** The rows that new ones make, each once, in the order in which they are locked; `isFull` says where they are folded. */
export const mergedRows = (
  added: ReadonlyArray<NewMailReportRow>,
  isFull: (row: MailReportRow) => boolean
): ReadonlyArray<MailReportRow> => {
  const merged = new Map<string, MailReportRow>()
  for (const { folded, ...given } of added) {
    const row = isFull(given) ? { ...given, values: folded } : given
    const key = keyOf(row)
    merged.set(key, { ...row, count: cappedSum(row.count, merged.get(key)?.count ?? 0) })
  }
  return [...merged].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

/** A sum that stays a number. */
export const cappedSum = (one: number, other: number): number =>
  Math.min(one + other, Number.MAX_SAFE_INTEGER)
