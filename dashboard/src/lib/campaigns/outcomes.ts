/**
 * What became of a campaign's audience, as a bar and its legend show it.
 *
 * @module
 */

/** The counts of a campaign, as far as they add up to its audience. */
export interface AudienceCounts {
  readonly audience: number
  readonly pending: number
  readonly submitted: number
  readonly skipped: number
  readonly heldOut: number
  readonly cancelled: number
  /** Emails by status. */
  readonly emails: Readonly<Record<string, number>>
}

/** People by who opened or clicked. */
export interface Visits {
  readonly human: number
  readonly unknown: number
  readonly machine: number
}

/** What became of people, in the order of the bar. */
export const outcomeKeys = [
  "reached",
  "onItsWay",
  "failed",
  "uncertain",
  "pending",
  "skipped",
  "heldOut",
  "cancelled"
] as const

/** What became of some people. */
export type OutcomeKey = (typeof outcomeKeys)[number]

const statusesOf: Readonly<Partial<Record<OutcomeKey, ReadonlyArray<string>>>> = {
  reached: ["delivered", "accepted", "sent"],
  onItsWay: ["queued", "handingOff", "pendingReview"],
  failed: ["bounced", "failed", "suppressed"],
  uncertain: ["unknown"]
}

/** The people of each outcome; together they are the audience. */
export const outcomesOf = (counts: AudienceCounts): Readonly<Record<OutcomeKey, number>> => {
  const ofEmails = (key: OutcomeKey): number =>
    (statusesOf[key] ?? []).reduce((sum, status) => sum + (counts.emails[status] ?? 0), 0)
  return {
    reached: ofEmails("reached"),
    onItsWay: ofEmails("onItsWay"),
    failed: ofEmails("failed"),
    uncertain: ofEmails("uncertain"),
    pending: counts.pending,
    skipped: counts.skipped,
    heldOut: counts.heldOut,
    cancelled: counts.cancelled
  }
}

/** The share of the audience that is decided, 0 to 1; an audience that is not read yet has none. */
export const shareDone = ({ audience, pending }: AudienceCounts): number =>
  audience === 0 ? 0 : (audience - pending) / audience

/** How many will not get an email if the campaign is cancelled now: those pending, and those queued. */
export const wouldBeCancelled = (counts: AudienceCounts): number =>
  counts.pending + (counts.emails["queued"] ?? 0) + (counts.emails["pendingReview"] ?? 0)

/** Visits that count: those of people and those that may be; and those of machines. */
export const countedVisits = ({
  human,
  machine,
  unknown
}: Visits): { readonly people: number; readonly machines: number } => ({
  people: human + unknown,
  machines: machine
})

/** A share of a whole; 0 of nothing. */
export const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
