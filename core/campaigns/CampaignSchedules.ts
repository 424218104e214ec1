/**
 * When the people of a campaign get it: at one time, or at a local time of each (docs/campaigns.md "When").
 *
 * @module
 */
import { parseLocalTime, timestampOfLocal } from "../kernel/TimeOfDay.ts"
import type { Settings } from "../model/Account.ts"
import type { CampaignPace, CampaignRecipient, CampaignSchedule } from "../model/Campaign.ts"
import type { Contact } from "../model/Contact.ts"
import { zoneOf } from "../sending/gate/MarketingRules.ts"

const hourMillis = 3_600_000
/** How far ahead a campaign may be scheduled, milliseconds: 366 days. */
export const maxAheadMillis = 366 * 24 * hourMillis
/** How far the clocks of the first and the last zone are from UTC, milliseconds: +14 and -12 hours. */
const firstZone = 14 * hourMillis
const lastZone = 12 * hourMillis
/** How much a time may have passed that still counts as not passed, milliseconds: it takes a while to get to each person. */
const lateAfter = 10 * 60_000

/** When the service starts on a campaign that is launched now, epoch milliseconds: with a local time, in the first zone. */
export const startOf = (schedule: CampaignSchedule | null, now: number): number => {
  if (schedule === null) return now
  if ("at" in schedule) return Math.max(now, schedule.at)
  return Math.max(now, parseLocalTime(schedule.localTime)! - firstZone)
}

/** Why a schedule cannot be launched now; null where it can. */
export const scheduleProblem = (
  schedule: CampaignSchedule | null,
  now: number
): "campaigns.schedule_invalid" | "campaigns.schedule_past" | null => {
  if (schedule === null) return null
  if ("at" in schedule) {
    if (schedule.at < now) return "campaigns.schedule_past"
    return schedule.at > now + maxAheadMillis ? "campaigns.schedule_invalid" : null
  }
  const local = parseLocalTime(schedule.localTime)
  if (local === null) return "campaigns.schedule_invalid"
  if (local + lastZone < now) return "campaigns.schedule_past"
  return local > now + maxAheadMillis ? "campaigns.schedule_invalid" : null
}

/** When a person gets a campaign, epoch milliseconds; null where their time has passed and they are skipped for it. */
export const dueAt = (
  schedule: CampaignSchedule | null,
  contact: Pick<Contact, "attributes" | "countryCode">,
  settings: Pick<Settings, "timeZone" | "timeZoneAttribute">,
  startAt: number,
  now: number
): number | null => {
  if (schedule === null || "at" in schedule) return startAt
  const at = timestampOfLocal(parseLocalTime(schedule.localTime)!, zoneOf(contact, settings))
  return at < now - lateAfter && schedule.late === "Skip" ? null : at
}

/**
 * When a recipient is due by the time zone of now, epoch milliseconds; null where the time zone changed while they waited for their
 * local time, which had passed in the new one, and they are skipped for it. Whose time came once is late by nothing of their own.
 */
export const dueByZone = (
  schedule: CampaignSchedule | null,
  contact: Pick<Contact, "attributes" | "countryCode">,
  settings: Pick<Settings, "timeZone" | "timeZoneAttribute">,
  { dueAt: was, movedAt }: Pick<CampaignRecipient, "dueAt" | "movedAt">
): number | null => dueAt(schedule, contact, settings, was, movedAt ?? -Infinity)

/**
 * The place of a person among those who are due at one time, which is added to it as milliseconds: 0 for those who opened or
 * clicked since another time, 1 for the others. Null for no order.
 */
export const placeOf = (
  { lastClickAt, lastOpenAt }: Pick<Contact, "lastClickAt" | "lastOpenAt">,
  since: number | null
): 0 | 1 => (since === null || Math.max(lastClickAt ?? 0, lastOpenAt ?? 0) >= since ? 0 : 1)

const unitMillis = { Minute: 60_000, Hour: hourMillis, Day: 24 * hourMillis } as const

/**
 * When the rest of an audience is due whose test is not decided, epoch milliseconds: its decision makes them due, the latest
 * first.
 */
export const afterTest = Date.UTC(9999, 0, 1)

/** A pace that is faster allows as many emails at once as fall into so long, milliseconds. */
const paceBurst = 1_000

/** How far apart the emails of a pace are, milliseconds: with those at once, no unit has more than it allows. */
const apartOf = ({ emails, per }: CampaignPace): { readonly apart: number; readonly burst: number } => {
  const unit = unitMillis[per]
  const burst = unit / emails < paceBurst ? paceBurst : 0
  return { apart: (unit + burst) / emails, burst }
}

/** What a pace allows now, and when it allows the next, epoch milliseconds, after so many were sent. */
export interface PaceRoom {
  readonly room: number
  readonly after: (sent: number) => number
}

/**
 * How many emails a pace allows now: they are spread evenly over its unit, and time in which none was sent is not made up for.
 *
 * @param pacedAt when it allows the next email, epoch milliseconds; null before the first
 */
export const paceRoom = (pace: CampaignPace, pacedAt: number | null, now: number): PaceRoom => {
  const { apart, burst } = apartOf(pace)
  const from = Math.max(pacedAt ?? now, now - burst)
  return {
    room: from > now ? 0 : Math.floor((now - from) / apart) + 1,
    after: (sent) => Math.ceil(from + sent * apart)
  }
}

/** When a pace that replaces another allows the next email: a slower one before puts it off for no longer than this one. */
export const repaced = (pace: CampaignPace, pacedAt: number | null, now: number): number | null =>
  pacedAt === null ? null : Math.min(pacedAt, Math.ceil(now + apartOf(pace).apart))
