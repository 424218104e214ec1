/**
 * The daily reports of mail servers about mail of a domain: DMARC (RFC 9990, RFC 7489) and TLS (RFC 8460). Their counts are
 * stored by day; the reports themselves are not.
 *
 * @module
 */
import { tlsResults } from "./TlsTerms.ts"

/** `Dmarc` and `Tls` are received reports; `TlsSent` counts this service's own connections, for the reports that it sends. */
export type MailReportKind = "Dmarc" | "Tls" | "TlsSent"

/** What a receiver did with the counted messages. `Pass`: DMARC passed (RFC 9990); older reports state None. */
export const dispositions = ["None", "Quarantine", "Reject", "Pass"] as const

/** What a receiver did with the counted messages. */
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
  /** The /24 or /48 network from which they came; empty if a day has too many networks. */
  readonly network: string
  readonly disposition: Disposition
  readonly dkim: AuthResult
  readonly dkimAligned: boolean
  readonly spf: AuthResult
  readonly spfAligned: boolean
}

/** The results of connections in received reports: one more than this service distinguishes. */
export const reportedTlsResults = [...tlsResults, "dane-required"] as const

/** The types of policies in received reports. */
export const reportedPolicies = ["tlsa", "sts", "no-policy-found"] as const

/** Connections of a day that a sender counts together. */
export interface TlsCount {
  readonly policy: (typeof reportedPolicies)[number]
  readonly result: (typeof reportedTlsResults)[number]
  /** The mail server; empty if it is not stated, or if a day has too many servers. */
  readonly host: string
}

/** This service's connections that are counted together for its own reports. */
export interface TlsSentCount extends TlsCount {
  /** The public address from which they were made; empty if not known, or if a day has too many. */
  readonly source: string
}

/** A count of a domain for a day. */
export interface MailReportRow {
  readonly id: string
  readonly kind: MailReportKind
  /** Lower case. */
  readonly domain: string
  /** The start of the day in UTC, epoch milliseconds. */
  readonly day: number
  /** What is counted; a row is unique by domain, day and these values. */
  readonly values: ReadonlyArray<string>
  readonly count: number
}

/** A count to add. */
export interface NewMailReportRow extends MailReportRow {
  /** The values of the row to which the count is added once the day of its domain has too many rows. */
  readonly folded: ReadonlyArray<string>
}

/** The most rows for a day of a domain; further values are folded. */
export const maxRowsOfDay = 2_000

/** A report as read from a message. */
export type MailReport =
  | {
      readonly _tag: "Dmarc"
      /** The reporter, as the report states it; not proven. */
      readonly reporter: string
      readonly reportId: string
      /** The start of the reported period, epoch milliseconds. */
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

/** The rows that new counts produce, each once, in the order in which they are locked. `isFull` tells where counts are folded. */
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

/** A sum that stays a safe integer. */
export const cappedSum = (one: number, other: number): number =>
  Math.min(one + other, Number.MAX_SAFE_INTEGER)
