/**
 * How far a campaign is, how fast it goes on, and what those wait for who have not got it (docs/campaigns.md "Progress").
 *
 * @module
 */
import type { Campaign, CampaignProgress, RecentDecisions, RecipientReason } from "../model/Campaign.ts"
import type { DeliveryReason } from "../model/DeliveryStatus.ts"
import { parseDuration } from "../automation/definition/Duration.ts"
import { audienceOf, type CampaignCounts, type CampaignPhase } from "./CampaignRules.ts"
import { afterTest, paceRoom } from "./CampaignSchedules.ts"

const minute = 60_000

/** What some of those wait for who have not got a campaign. */
export interface Waiting {
  /** Null for their own time, which the schedule gives. */
  readonly reason: DeliveryReason | RecipientReason | null
  readonly count: number
  /** When the first of them go on, epoch milliseconds; null where that is not known. */
  readonly until: number | null
}

/** How far a campaign is. Times are epoch milliseconds. */
export interface ShownProgress {
  /** Null where it is not Sending. */
  readonly phase: CampaignPhase | null
  /** How many of its audience, as far as it is read, are decided. */
  readonly done: number
  readonly of: number
  /** How many were decided in the last minute. */
  readonly perMinute: number
  /** When the last one is decided at this rate; null while that is not known. */
  readonly etaAt: number | null
  /** When the next of those who are pending is due; null where none is. */
  readonly nextAt: number | null
  /** The most people first. */
  readonly waiting: ReadonlyArray<Waiting>
}

/** The decisions of the minute of `now` and of the one before. */
const recentAt = (recent: RecentDecisions | null, now: number): RecentDecisions => {
  const since = now - (now % minute)
  if (recent === null || recent.since < since - minute) return { since, count: 0, before: 0 }
  return recent.since < since ? { since, count: 0, before: recent.count } : recent
}

/** Adds recipients who are decided now. */
export const withDecided = (recent: RecentDecisions | null, count: number, now: number): RecentDecisions => {
  const current = recentAt(recent, now)
  return { ...current, count: current.count + count }
}

/** How many were decided in the last minute, those of the minute before in proportion. */
export const perMinute = (recent: RecentDecisions | null, now: number): number => {
  const { before, count, since } = recentAt(recent, now)
  return Math.round(count + before * (1 - Math.max(0, now - since) / minute))
}

/** What the progress of a campaign is made of. */
export interface ProgressFacts {
  readonly campaign: Pick<Campaign, "definition" | "status" | "test">
  readonly progress: Pick<CampaignProgress, "pacedAt" | "recent"> | null
  readonly counts: CampaignCounts
  readonly phase: CampaignPhase | null
  readonly nextAt: number | null
  /** When the first of those are due who are pending for a reason. */
  readonly dueBy: ReadonlyMap<RecipientReason, number>
  readonly now: number
}

/** What those wait for who have not got a campaign, which is neither a draft nor at its end. */
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

/** The progress of a campaign as it is shown. */
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
