/**
 * Breaks a campaign's audience down by outcome, for a bar and its legend.
 *
 * @module
 */

/** The counts of a campaign that add up to its audience. */
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

/** People by what opened or clicked: a person, a machine, or unknown. */
export interface Visits {
  readonly human: number
  readonly unknown: number
  readonly machine: number
}

/** The outcomes for people, in the order of the bar. */
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

/** An outcome. */
export type OutcomeKey = (typeof outcomeKeys)[number]

const statusesOf: Readonly<Partial<Record<OutcomeKey, ReadonlyArray<string>>>> = {
  reached: ["delivered", "accepted", "sent"],
  onItsWay: ["queued", "handingOff", "pendingReview"],
  failed: ["bounced", "failed", "suppressed"],
  uncertain: ["unknown"]
}

/** The number of people with each outcome. The sum is the audience. */
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

/** The share of the audience that is no longer pending, 0 to 1; 0 while the audience is not read yet. */
export const shareDone = ({ audience, pending }: AudienceCounts): number =>
  audience === 0 ? 0 : (audience - pending) / audience

/** How many people will not get an email if the campaign is cancelled now: those pending, and those whose email is queued. */
export const wouldBeCancelled = (counts: AudienceCounts): number =>
  counts.pending + (counts.emails["queued"] ?? 0) + (counts.emails["pendingReview"] ?? 0)

/** Visits that count, by people or possibly by people, and visits by machines. */
export const countedVisits = ({
  human,
  machine,
  unknown
}: Visits): { readonly people: number; readonly machines: number } => ({
  people: human + unknown,
  machines: machine
})

/** A share of a whole; 0 if the whole is 0. */
export const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
