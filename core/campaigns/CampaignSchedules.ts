/**
 * When the people of a campaign get it: at one time, or at a local time of each (docs/campaigns.md "When").
 *
 * @module
 */
import { isTimeZone, parseLocalTime, timestampOfLocal } from "../automation/definition/TimeOfDay.ts"
import type { CampaignSchedule } from "../model/Campaign.ts"
import type { Contact } from "../model/Contact.ts"
import { zoneOfCountry } from "./CountryZones.ts"

const hourMillis = 3_600_000
/** How far ahead a campaign may be scheduled, milliseconds: 366 days. */
export const maxAheadMillis = 366 * 24 * hourMillis
/** How far the clocks of the first and the last zone are from UTC, milliseconds: +14 and -12 hours. */
const firstZone = 14 * hourMillis
const lastZone = 12 * hourMillis
/** How much a time may have passed that still counts as not passed, milliseconds: it takes a while to get to each person. */
const lateAfter = 10 * 60_000

/** The time zone of a person: that of the country where it has one, else UTC. */
export const zoneOf = ({ countryCode }: Pick<Contact, "countryCode">): string => {
  const zone = countryCode === null ? null : zoneOfCountry(countryCode.toUpperCase())
  return zone !== null && isTimeZone(zone) ? zone : "UTC"
}

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
  contact: Pick<Contact, "countryCode">,
  startAt: number,
  now: number
): number | null => {
  if (schedule === null || "at" in schedule) return startAt
  const at = timestampOfLocal(parseLocalTime(schedule.localTime)!, zoneOf(contact))
  return at < now - lateAfter && schedule.late === "Skip" ? null : at
}
