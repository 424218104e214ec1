/**
 * The counts of emails by hour and day, and by what sent or received them (docs/contributing/management-api.md `GET A/stats`).
 *
 * @module
 */
import { domainOfAddress } from "../shared/EmailAddress.ts"
import type { Conversion } from "./Conversion.ts"
import type { DeliveryStatus } from "./DeliveryStatus.ts"
import { emailSource, type Delivery, type SubmissionSummary } from "./Submission.ts"
import { clickedBy, type DeliveryVisits, openedBy, type VisitVerdict } from "./Visit.ts"

/** The dimensions by which emails are counted. In `Source`, each email is counted exactly once. */
export const countDimensions = ["Source", "Domain", "Flow", "Campaign", "Template", "Tag"] as const
export type CountDimension = (typeof countDimensions)[number]

/** The unit of time of a count. Hours and days begin in UTC. */
export const countUnits = ["Hour", "Day"] as const
export type CountUnit = (typeof countUnits)[number]

/** The length of each unit, milliseconds. */
export const unitMillis: Readonly<Record<CountUnit, number>> = { Hour: 3_600_000, Day: 86_400_000 }

/** How long counts of each unit are kept, milliseconds. */
export const countsKept: Readonly<Record<CountUnit, number>> = {
  Hour: 32 * 86_400_000,
  Day: 400 * 86_400_000
}

/** The most keys in a result: those with the highest counts. All others are combined as {@link otherKey}. */
export const maxCountKeys = 50

/**
 * The most keys that are stored for an hour or a day of an account. Further ones count as {@link otherKey}, since tags may have a
 * different value for each email.
 */
export const maxKeptKeys = 200

/** The key for everything that has no key of its own. */
export const otherKey = "other"

/** A status as counted: an email that is being transmitted still counts as Queued. */
export type CountedStatus = Exclude<DeliveryStatus, "HandingOff">

/** The name of a counter. */
export type Counter =
  | CountedStatus
  | `${"Opened" | "Clicked"}${VisitVerdict}`
  | "Complained"
  | "Converted"
  | "SoftBounced"
  | "Unsubscribed"

/** The value of a counter for a key in an hour or a day. */
export interface EmailCount {
  /** The start of the hour or day, epoch milliseconds. */
  readonly at: number
  readonly key: string
  readonly counter: Counter
  readonly count: number
}

/** A fact about a delivery that is counted, with its time. */
export interface CountedFact {
  readonly counter: Counter
  /** Epoch milliseconds. */
  readonly at: number
}

/** The facts of a delivery that are counted: its status at the time it was accepted, all others at the time they occurred. */
export const countedFacts = (
  { complainedAt, reason, status, unsubscribedAt }: Delivery,
  createdAt: number,
  visits: DeliveryVisits | null,
  conversions: ReadonlyArray<Conversion>
): ReadonlyArray<CountedFact> => {
  const fact = (counter: Counter, at: number | null): ReadonlyArray<CountedFact> =>
    at === null ? [] : [{ counter, at }]
  const visited = (kind: "Clicked" | "Opened") => {
    if (visits === null) return []
    const by = kind === "Opened" ? openedBy(visits) : clickedBy(visits)
    const [first, reader] =
      kind === "Opened"
        ? [visits.firstOpenedAt, visits.readerOpenedAt]
        : [visits.firstClickedAt, visits.readerClickedAt]
    return by === "None" ? [] : fact(`${kind}${by}`, reader ?? first)
  }
  return [
    ...fact(status === "HandingOff" ? "Queued" : status, createdAt),
    ...fact("SoftBounced", reason === "sending.mailbox_full" ? createdAt : null),
    ...fact("Complained", complainedAt),
    ...fact("Unsubscribed", unsubscribedAt),
    ...visited("Opened"),
    ...visited("Clicked"),
    ...conversions.flatMap(({ orderedAt }) => fact("Converted", orderedAt))
  ]
}

/** The keys for which a delivery counts. If retention erased the address or the tags, the delivery does not count for them. */
export const countedKeys = (
  by: CountDimension,
  submission: Pick<SubmissionSummary, "flowId" | "marketing" | "source" | "tags" | "templateId">,
  { email }: Pick<Delivery, "email">
): ReadonlyArray<string> => {
  switch (by) {
    case "Source":
      return [emailSource(submission)]
    case "Domain":
      return email === "" ? [] : [domainOfAddress(email)]
    case "Flow":
      return submission.flowId === null ? [] : [submission.flowId]
    case "Campaign": {
      const campaign = submission.marketing?.campaign
      return campaign === undefined ? [] : [campaign.id]
    }
    case "Template":
      return submission.templateId === null ? [] : [submission.templateId]
    case "Tag":
      return Object.entries(submission.tags).map(([name, value]) => `${name}=${value}`)
  }
}

/** The start of the hour or day that contains a time, epoch milliseconds. */
export const unitOf = (unit: CountUnit, at: number): number =>
  Math.floor(at / unitMillis[unit]) * unitMillis[unit]

/** Sums counts. All but the `most` keys with the highest counts are combined as {@link otherKey}. */
export const sumCounts = (counts: ReadonlyArray<EmailCount>, most: number): ReadonlyArray<EmailCount> => {
  const totals = new Map<string, number>()
  for (const { count, key } of counts) totals.set(key, (totals.get(key) ?? 0) + count)
  const kept = new Set(
    [...totals]
      .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .slice(0, most)
      .map(([key]) => key)
  )
  const sums = new Map<string, EmailCount>()
  for (const { at, count, counter, key: given } of counts) {
    const key = kept.has(given) ? given : otherKey
    const name = JSON.stringify([at, key, counter])
    const sum = sums.get(name)?.count ?? 0
    sums.set(name, { at, key, counter, count: sum + count })
  }
  return [...sums.values()].filter(({ count }) => count !== 0)
}
