/**
 * What a check of a sending domain's records decides, and when the next one is: pure.
 *
 * @module
 */
import type { DkimKey, DomainRecord, SendingDomain } from "../../model/Domain.ts"
import { isRecordOf, recordsOf } from "./DomainRecords.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How many failing days in a row un-verify a domain (decisions 5). */
const graceDays = 3
/** How long the record of a retired key stays wanted: mail signed with it is delivered or given up on by then. */
const retiredFor = 7 * day
/** Minutes of age at which what is new is checked first. */
const firstMinutes = [1, 5, 15, 30] as const
/** How long what is awaited is looked for every hour; after that, every day. */
const eagerFor = 3 * day

/** What a look-up of a record told; `Unknown` where no server answered. */
export type Finding = "Found" | "Missing" | "Unknown"

/** What look-ups told of records, by {@link recordKey}. */
export type Findings = ReadonlyMap<string, Finding>

/** Names a record with what it wants, so that a finding never counts for another wish. */
export const recordKey = ({ name, type, value }: DomainRecord): string => `${type} ${name} ${value}`

/** What a check decided. */
export interface Checked {
  readonly domain: SendingDomain
  /** False when no server answered for a record that matters, so that nothing was decided. */
  readonly isClear: boolean
}

/** The domain with the records it needs now, each found as `findings` or else the last look-up said. */
const withRecords = (domain: SendingDomain, mailHost: string, findings: Findings): SendingDomain => {
  const before = new Map(domain.records.map((record) => [recordKey(record), record.found]))
  const records = recordsOf(domain.domain, domain.keys, mailHost).map((record) => {
    const key = recordKey(record)
    const finding = findings.get(key) ?? "Unknown"
    return { ...record, found: finding === "Unknown" ? (before.get(key) ?? false) : finding === "Found" }
  })
  return { ...domain, records }
}

/** The domain with the records it needs now; what was found before stays found. */
export const refreshRecords = (domain: SendingDomain, mailHost: string): SendingDomain =>
  withRecords(domain, mailHost, new Map())

const nothing: ReadonlyArray<DomainRecord> = []

/** What look-ups told of a key's record. */
const findingOf = (domain: SendingDomain, key: DkimKey, findings: Findings): Finding => {
  const record = domain.records.find((one) => isRecordOf(one, key, domain.domain))
  return (record === undefined ? undefined : findings.get(recordKey(record))) ?? "Unknown"
}

/** New keys take over once all of them are found; keys retired for long enough go. */
const turnKeys = (domain: SendingDomain, findings: Findings, now: number): ReadonlyArray<DkimKey> => {
  const next = domain.keys.filter((key) => key.state === "Next")
  const isReady = next.length > 0 && next.every((key) => findingOf(domain, key, findings) === "Found")
  return domain.keys
    .filter((key) => key.retiredAt === null || now - key.retiredAt < retiredFor)
    .map((key) => {
      if (!isReady || key.state === "Retired") return key
      return key.state === "Next" ? { ...key, state: "Active" } : { ...key, state: "Retired", retiredAt: now }
    })
}

/** The records without which mail of a domain is not sent: those of its active keys, and the return path's. */
const requiredOf = (domain: SendingDomain): ReadonlyArray<DomainRecord> => {
  const active = domain.keys.filter((key) => key.state === "Active")
  if (active.length === 0) return nothing
  return domain.records.filter(
    (record) =>
      record.purpose === "ReturnPath" || active.some((key) => isRecordOf(record, key, domain.domain))
  )
}

/**
 * Decides a check. All required records found: Verified. One missing: a Verified domain is Failing after its third
 * scheduled check in a row that says so, and sends until then. No answer for one, and none missing: nothing is decided.
 *
 * @param isScheduled whether a missing record counts: a look an operator takes only ever makes things better, and
 * neither do checks that are frequent since new keys are awaited
 */
export const decideCheck = (
  before: SendingDomain,
  findings: Findings,
  mailHost: string,
  now: number,
  isScheduled: boolean
): Checked => {
  const looked = withRecords(before, mailHost, findings)
  const domain = withRecords(
    { ...looked, keys: turnKeys(looked, findings, now), checkedAt: now },
    mailHost,
    findings
  )
  const required = requiredOf(domain).map((record) => findings.get(recordKey(record)) ?? "Unknown")
  if (required.length > 0 && required.every((finding) => finding === "Found")) {
    const verifiedAt = before.status === "Verified" ? before.verifiedAt : now
    return { domain: { ...domain, status: "Verified", failedChecks: 0, verifiedAt }, isClear: true }
  }
  if (!required.includes("Missing")) return { domain, isClear: required.length === 0 }
  const counts = isScheduled && (before.status !== "Verified" || awaitedFor(before, now) > eagerFor)
  const failedChecks = before.failedChecks + (counts ? 1 : 0)
  const isOver = counts && before.status === "Verified" && failedChecks >= graceDays
  return { domain: { ...domain, status: isOver ? "Failing" : before.status, failedChecks }, isClear: true }
}

/** How long records of a domain are awaited, milliseconds; infinite when none are. */
const awaitedFor = ({ createdAt, keys, status }: SendingDomain, now: number): number => {
  const since = keys.filter((key) => key.state === "Next").map((key) => key.createdAt)
  if (status === "Pending") since.push(createdAt)
  return now - Math.max(...since)
}

/**
 * When a domain is checked next. What is new (a Pending domain, keys that shall take over) after 1, 5, 15 and 30
 * minutes, then hourly for 3 days; a Failing domain hourly as long; everything else daily. A check that decided nothing
 * is repeated within the hour.
 *
 * @param spread in [0, 1): moves a daily check by up to an hour, so that checks do not stay together
 */
export const nextCheckAt = ({ domain, isClear }: Checked, now: number, spread: number): number => {
  const age = awaitedFor(domain, now)
  const step = firstMinutes.find((minutes) => minutes * minute > age)
  if (step !== undefined) return now - age + step * minute
  const isEager =
    age <= eagerFor || (domain.status === "Failing" && domain.failedChecks < graceDays + eagerFor / hour)
  return isEager || !isClear ? now + hour : now + day + Math.round(spread * hour)
}
