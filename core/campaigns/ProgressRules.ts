/**
 * Computes how far a campaign has got, how fast it advances, and what the remaining recipients wait for (docs/campaigns.md
 * "Progress").
 *
 * @module
 */
import type { Campaign, CampaignProgress, RecentDecisions, RecipientReason } from "../model/Campaign.ts"
import type { DeliveryReason } from "../model/DeliveryStatus.ts"
import { parseDuration } from "../automation/definition/Duration.ts"
import { audienceOf, type CampaignCounts, type CampaignPhase } from "./CampaignRules.ts"
import { afterTest, paceRoom } from "./CampaignSchedules.ts"

const minute = 60_000

/** People who have not got a campaign yet and wait for the same reason. */
export interface Waiting {
  /** The reason; null for their own time, which the schedule gives. */
  readonly reason: DeliveryReason | RecipientReason | null
  readonly count: number
  /** When the first of them continue, epoch milliseconds; null if that is not known. */
  readonly until: number | null
}

/** How far a campaign has got. Times are epoch milliseconds. */
export interface ShownProgress {
  /** The phase; null if the campaign is not Sending. */
  readonly phase: CampaignPhase | null
  /** The number of recipients decided on, of those read so far. */
  readonly done: number
  readonly of: number
  /** The number of recipients decided on in the last minute. */
  readonly perMinute: number
  /** When the last recipient will be decided on at this rate; null while that is not known. */
  readonly etaAt: number | null
  /** When the next pending recipients are due; null if there are none. */
  readonly nextAt: number | null
  /** What people wait for, the most people first. */
  readonly waiting: ReadonlyArray<Waiting>
}

/** The decisions of the minute of `now` and of the minute before. */
const recentAt = (recent: RecentDecisions | null, now: number): RecentDecisions => {
  const since = now - (now % minute)
  if (recent === null || recent.since < since - minute) return { since, count: 0, before: 0 }
  return recent.since < since ? { since, count: 0, before: recent.count } : recent
}

/** Adds the recipients decided on now. */
export const withDecided = (recent: RecentDecisions | null, count: number, now: number): RecentDecisions => {
  const current = recentAt(recent, now)
  return { ...current, count: current.count + count }
}

/** The number of recipients decided on in the last minute, with a proportionate part of the previous minute. */
export const perMinute = (recent: RecentDecisions | null, now: number): number => {
  const { before, count, since } = recentAt(recent, now)
  return Math.round(count + before * (1 - Math.max(0, now - since) / minute))
}

/** The facts from which the progress of a campaign is computed. */
export interface ProgressFacts {
  readonly campaign: Pick<Campaign, "definition" | "status" | "test">
  readonly progress: Pick<CampaignProgress, "pacedAt" | "recent"> | null
  readonly counts: CampaignCounts
  readonly phase: CampaignPhase | null
  readonly nextAt: number | null
  /** For each reason, when the first recipients who are pending for it are due. */
  readonly dueBy: ReadonlyMap<RecipientReason, number>
  readonly now: number
}

/** What the people wait for who have not got a campaign that is neither a draft nor ended. */
const waitingOf = ({
  campaign,
  counts,
  dueBy,
  nextAt,
  now,
  progress
}: ProgressFacts): ReadonlyArray<Waiting> => {
  const { definition, test } = campaign
  const decidesAt =
    definition.test === null || test === null || test.isAsked
      ? null
      : test.sentAt + parseDuration(definition.test.after)!
  const untilOf = (reason: RecipientReason): number | null => {
    const at = reason === "campaigns.test" ? decidesAt : (dueBy.get(reason) ?? null)
    return at === null || at <= now || at >= afterTest ? null : at
  }
  const pending = Object.entries(counts.pendingBy) as ReadonlyArray<readonly [RecipientReason, number]>
  const queued = Object.entries(counts.queuedBy) as ReadonlyArray<readonly [DeliveryReason, number]>
  const others = counts.recipients.Pending - pending.reduce((sum, [, count]) => sum + count, 0)
  const room = definition.pace === null ? null : paceRoom(definition.pace, progress?.pacedAt ?? null, now)
  const isPaced = room !== null && room.room === 0 && nextAt !== null && nextAt <= now
  const isFirst = nextAt !== null && nextAt > now && [...dueBy.values()].every((at) => at > nextAt)
  const own: ReadonlyArray<Waiting> =
    others <= 0
      ? []
      : isPaced
        ? [{ reason: "campaigns.pace", count: others, until: room.after(0) }]
        : nextAt !== null && nextAt > now
          ? [{ reason: null, count: others, until: isFirst ? nextAt : null }]
          : []
  return [
    ...own,
    ...pending.map(([reason, count]) => ({ reason, count, until: untilOf(reason) })),
    ...queued.map(([reason, count]) => ({ reason, count, until: null }))
  ].toSorted((a, b) => b.count - a.count)
}

/** The progress of a campaign as the API shows it. */
export const shownProgress = (facts: ProgressFacts): ShownProgress => {
  const { campaign, counts, nextAt, now, phase, progress } = facts
  const of = audienceOf(counts)
  const pending = counts.recipients.Pending
  const isOpen = campaign.status === "Sending" || campaign.status === "Paused"
  const waiting = isOpen ? waitingOf(facts) : []
  const rate = isOpen ? perMinute(progress?.recent ?? null, now) : 0
  const isTold = phase === "Delivering" && pending > 0 && rate > 0
  const last = Math.max(0, ...waiting.map(({ until }) => until ?? 0))
  return {
    phase,
    done: of - pending,
    of,
    perMinute: rate,
    etaAt: isTold ? Math.max(last, now + Math.ceil((pending / rate) * minute)) : null,
    nextAt,
    waiting
  }
}
