/**
 * Schedules of campaigns: all people get a campaign at one time, or each at the same local time (docs/campaigns.md "Schedule
 * and time zones").
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
/** The offsets from UTC of the first and the last time zone, milliseconds: 14 hours ahead and 12 hours behind. */
const firstZone = 14 * hourMillis
const lastZone = 12 * hourMillis
/** How long after its local time a campaign still counts as on time, milliseconds: reaching each person takes a while. */
const lateAfter = 10 * 60_000

/**
 * When the service starts a campaign that is launched now, epoch milliseconds. With a local time, this is when that time comes
 * in the first time zone.
 */
export const startOf = (schedule: CampaignSchedule | null, now: number): number => {
  if (schedule === null) return now
  if ("at" in schedule) return Math.max(now, schedule.at)
  return Math.max(now, parseLocalTime(schedule.localTime)! - firstZone)
}

/** Why a schedule cannot be launched now; null if it can. */
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

/** When a person gets a campaign, epoch milliseconds; null if the local time has passed and `late` is `Skip`. */
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
 * When a recipient is due by their current time zone, epoch milliseconds. Null if the recipient is to be skipped: the time
 * zone changed while they waited for their local time, and in the new one that time had passed already. A recipient whose time
 * has come once is never late by a delay of the service.
 */
export const dueByZone = (
  schedule: CampaignSchedule | null,
  contact: Pick<Contact, "attributes" | "countryCode">,
  settings: Pick<Settings, "timeZone" | "timeZoneAttribute">,
  { dueAt: was, movedAt }: Pick<CampaignRecipient, "dueAt" | "movedAt">
): number | null => dueAt(schedule, contact, settings, was, movedAt ?? -Infinity)

/**
 * The place of a person among those who are due at one time: 0 for people who opened or clicked since `since`, 1 for the
 * others, and 0 if there is no order. It is added to the due time as milliseconds.
 */
export const placeOf = (
  { lastClickAt, lastOpenAt }: Pick<Contact, "lastClickAt" | "lastOpenAt">,
  since: number | null
): 0 | 1 => (since === null || Math.max(lastClickAt ?? 0, lastOpenAt ?? 0) >= since ? 0 : 1)

const unitMillis = { Minute: 60_000, Hour: hourMillis, Day: 24 * hourMillis } as const

/**
 * When the rest of an audience is due while its test is not decided, epoch milliseconds. The decision makes these recipients
 * due, the latest first.
 */
export const afterTest = Date.UTC(9999, 0, 1)

/** A pace faster than one email in this time allows as many emails at once as fall into it, milliseconds. */
const paceBurst = 1_000

/**
 * The interval between the emails of a pace, milliseconds. It is chosen so that, with the emails sent at once, no unit of time
 * has more than the pace allows.
 */
const apartOf = ({ emails, per }: CampaignPace): { readonly apart: number; readonly burst: number } => {
  const unit = unitMillis[per]
  const burst = unit / emails < paceBurst ? paceBurst : 0
  return { apart: (unit + burst) / emails, burst }
}

/**
 * How many emails a pace allows now (`room`), and when it allows the next one after some were sent (`after`, epoch
 * milliseconds).
 */
export interface PaceRoom {
  readonly room: number
  readonly after: (sent: number) => number
}

/**
 * Computes how many emails a pace allows now. They are spread evenly over its unit; time in which none was sent is not made up
 * for.
 *
 * @param pacedAt when the pace allows the next email, epoch milliseconds; null before the first
 */
export const paceRoom = (pace: CampaignPace, pacedAt: number | null, now: number): PaceRoom => {
  const { apart, burst } = apartOf(pace)
  const from = Math.max(pacedAt ?? now, now - burst)
  return {
    room: from > now ? 0 : Math.floor((now - from) / apart) + 1,
    after: (sent) => Math.ceil(from + sent * apart)
  }
}

/**
 * When a new pace allows the next email. A slower pace before it delays that email by no more than one interval of the new
 * pace.
 */
export const repaced = (pace: CampaignPace, pacedAt: number | null, now: number): number | null =>
  pacedAt === null ? null : Math.min(pacedAt, Math.ceil(now + apartOf(pace).apart))
