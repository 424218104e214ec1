/**
 * Pure functions that decide the result of a check of a sending domain's records, and when the next check is due.
 *
 * @module
 */
import type { DkimKey, DomainRecord, SendingDomain } from "../../model/Domain.ts"
import { isRecordOf, recordsOf, type ReportReceiver } from "./DomainRecords.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** After this many failing days in a row, a domain is no longer verified (docs/contributing/decisions.md 5). */
const graceDays = 3
/**
 * How long the record of a retired key must stay published, milliseconds. By then, mail signed with it is delivered or has
 * failed.
 */
const retiredFor = 7 * day
/** The ages at which a new domain, or new keys, are first checked, minutes. */
const firstMinutes = [1, 5, 15, 30] as const
/** How long awaited records are checked every hour, milliseconds. After that, they are checked every day. */
const hourlyFor = 3 * day

/** The result of looking up a record; `Unknown` if no server replied. */
export type Finding = "Found" | "Missing" | "Unknown"

/** The result of a lookup, with the values found. */
export interface RecordLookUp {
  readonly finding: Finding
  /** The values at the record's name; left out if no server replied. */
  readonly seen?: ReadonlyArray<string>
}

/** The results of lookups, by {@link recordKey}. */
export type Findings = ReadonlyMap<string, RecordLookUp>

const notLookedUp: RecordLookUp = { finding: "Unknown" }

/** A key of a record that includes its required value, so that a finding never counts for another value. */
export const recordKey = ({ name, type, value }: DomainRecord): string => `${type} ${name} ${value}`

/** The decision of a check. */
export interface Checked {
  readonly domain: SendingDomain
  /** False if no server replied for a required record, so that nothing was decided. */
  readonly isClear: boolean
}

/**
 * Returns the domain with the records that it needs now. Each is marked as found according to `findings`, or else to the last
 * lookup.
 */
const withRecords = (domain: SendingDomain, receiver: ReportReceiver, findings: Findings): SendingDomain => {
  const before = new Map(domain.records.map((record) => [recordKey(record), record]))
  const records = recordsOf(domain.domain, domain.keys, receiver).map((record) => {
    const key = recordKey(record)
    const last = before.get(key)
    const { finding, seen = last?.seen } = findings.get(key) ?? notLookedUp
    return {
      ...record,
      found: finding === "Unknown" ? (last?.found ?? false) : finding === "Found",
      ...(seen === undefined ? {} : { seen })
    }
  })
  return { ...domain, records }
}

/** Returns the domain with the records that it needs now. Records found before stay marked as found. */
export const refreshRecords = (domain: SendingDomain, receiver: ReportReceiver): SendingDomain =>
  withRecords(domain, receiver, new Map())

/** The finding of a key's record. */
const findingOf = (domain: SendingDomain, key: DkimKey, findings: Findings): Finding => {
  const record = domain.records.find((one) => isRecordOf(one, key, domain.domain))
  return (record === undefined ? undefined : findings.get(recordKey(record))?.finding) ?? "Unknown"
}

/** Activates new keys once all of them are found, and removes keys that have been retired for long enough. */
const rotateKeys = (domain: SendingDomain, findings: Findings, now: number): ReadonlyArray<DkimKey> => {
  const next = domain.keys.filter((key) => key.state === "Next")
  const isReady = next.length > 0 && next.every((key) => findingOf(domain, key, findings) === "Found")
  return domain.keys
    .filter((key) => key.retiredAt === null || now - key.retiredAt < retiredFor)
    .map((key) => {
      if (!isReady || key.state === "Retired") return key
      return key.state === "Next" ? { ...key, state: "Active" } : { ...key, state: "Retired", retiredAt: now }
    })
}

/** The records required to send mail from a domain: those of its active keys, and those of the return path. */
const requiredOf = (domain: SendingDomain): ReadonlyArray<DomainRecord> => {
  const active = domain.keys.filter((key) => key.state === "Active")
  if (active.length === 0) return []
  return domain.records.filter(
    (record) =>
      record.purpose === "ReturnPath" || active.some((key) => isRecordOf(record, key, domain.domain))
  )
}

/**
 * Decides a check. If all required records are found, the domain is Verified. If one is missing, a Verified domain becomes
 * Failing after the third scheduled check in a row with a missing record, and can send until then. If no server replied for a
 * record and none is missing, nothing is decided.
 *
 * @param isScheduled whether a missing record counts. It does not in a check on request, which never un-verifies a domain, nor
 * in the frequent checks for new keys
 */
export const decideCheck = (
  before: SendingDomain,
  findings: Findings,
  receiver: ReportReceiver,
  now: number,
  isScheduled: boolean
): Checked => {
  const looked = withRecords(before, receiver, findings)
  const domain = withRecords(
    { ...looked, keys: rotateKeys(looked, findings, now), checkedAt: now },
    receiver,
    findings
  )
  const required = requiredOf(domain).map(
    (record) => (findings.get(recordKey(record)) ?? notLookedUp).finding
  )
  if (required.length > 0 && required.every((finding) => finding === "Found")) {
    const verifiedAt = before.status === "Verified" ? before.verifiedAt : now
    return { domain: { ...domain, status: "Verified", failedChecks: 0, verifiedAt }, isClear: true }
  }
  if (!required.includes("Missing")) return { domain, isClear: required.length === 0 }
  const counts = isScheduled && (before.status !== "Verified" || awaitedFor(before, now) > hourlyFor)
  const failedChecks = before.failedChecks + (counts ? 1 : 0)
  const isFailing = counts && before.status === "Verified" && failedChecks >= graceDays
  return { domain: { ...domain, status: isFailing ? "Failing" : before.status, failedChecks }, isClear: true }
}

/** How long a domain's records have been awaited, milliseconds; infinite if none are. */
const awaitedFor = ({ createdAt, keys, status }: SendingDomain, now: number): number => {
  const since = keys.filter((key) => key.state === "Next").map((key) => key.createdAt)
  if (status === "Pending") since.push(createdAt)
  return now - Math.max(...since)
}

/**
 * When a domain is checked next, epoch milliseconds. A Pending domain, and a domain with new keys, is checked after 1, 5, 15
 * and 30 minutes, then hourly for 3 days; a Failing domain hourly for 3 days; any other daily. A check that decided nothing is
 * repeated within the hour.
 *
 * @param spread in [0, 1): delays a daily check by up to an hour, so that checks spread over time
 */
export const nextCheckAt = ({ domain, isClear }: Checked, now: number, spread: number): number => {
  const age = awaitedFor(domain, now)
  const step = firstMinutes.find((minutes) => minutes * minute > age)
  if (step !== undefined) return now - age + step * minute
  const isHourly =
    age <= hourlyFor || (domain.status === "Failing" && domain.failedChecks < graceDays + hourlyFor / hour)
  return isHourly || !isClear ? now + hour : now + day + Math.round(spread * hour)
}
