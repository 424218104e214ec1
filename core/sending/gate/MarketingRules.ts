/**
 * The rules of marketing email that depend on the person only: the time zone, quiet hours and windows, frequency caps, and the
 * holdout group. Pure functions, shared by flows and campaigns (docs/campaigns.md "Limits of marketing").
 *
 * @module
 */
import type { FrequencyCap, LocalHours, Settings } from "../../model/Account.ts"
import type { Contact } from "../../model/Contact.ts"
import { zoneOfCountry } from "../../kernel/CountryZones.ts"
import { isTimeZone, localTimeAt, nextTimeOfDay, parseTimeOfDay } from "../../kernel/TimeOfDay.ts"

const dayMillis = 86_400_000
const minuteMillis = 60_000

/**
 * The time zone of a person: that of the attribute that the account names, otherwise that of the country if it has a single
 * one, otherwise the account's.
 */
export const zoneOf = (
  { attributes, countryCode }: Pick<Contact, "attributes" | "countryCode">,
  { timeZone, timeZoneAttribute: key }: Pick<Settings, "timeZone" | "timeZoneAttribute">
): string => {
  const own = key !== null && Object.hasOwn(attributes, key) ? attributes[key] : undefined
  if (typeof own === "string" && isTimeZone(own)) return own
  const zone = countryCode === null ? null : zoneOfCountry(countryCode.toUpperCase())
  return zone !== null && isTimeZone(zone) ? zone : timeZone
}

/** Whether a time of day, in minutes since midnight, is within hours, which may span midnight. The end is exclusive. */
const isWithin = (minutes: number, { from, to }: Pick<LocalHours, "from" | "to">): boolean => {
  const [start, end] = [parseTimeOfDay(from)!, parseTimeOfDay(to)!]
  return start <= end ? minutes >= start && minutes < end : minutes >= start || minutes < end
}

/** The minutes since midnight and the day of the week (1 for Monday) of a time in a zone. */
const localPlace = (zone: string, at: number) => {
  const local = localTimeAt(zone, at)
  return {
    minutes: Math.floor((local % dayMillis) / minuteMillis),
    // 1970-01-01 was a Thursday.
    day: ((Math.floor(local / dayMillis) + 3) % 7) + 1
  }
}

/** When the current quiet hours in a zone end, epoch milliseconds; null outside them. */
export const quietUntil = (hours: LocalHours | null, zone: string, now: number): number | null => {
  if (hours === null || !isWithin(localPlace(zone, now).minutes, hours)) return null
  return nextTimeOfDay(parseTimeOfDay(hours.to)!, zone, now)
}

/** When the next window in a zone begins, epoch milliseconds; null within a window. */
export const windowAt = (
  window: (LocalHours & { readonly days: ReadonlyArray<number> }) | null,
  zone: string,
  now: number
): number | null => {
  if (window === null) return null
  const isOpen = (at: number) => {
    const { day, minutes } = localPlace(zone, at)
    if (!isWithin(minutes, window)) return false
    // After midnight, the window belongs to the previous day.
    const isLate =
      parseTimeOfDay(window.from)! > parseTimeOfDay(window.to)! && minutes < parseTimeOfDay(window.to)!
    return window.days.includes(isLate ? ((day + 5) % 7) + 1 : day)
  }
  if (isOpen(now)) return null
  let at = now
  // A week and a day contain every day of the week, however clocks change.
  for (let count = 0; count < 9; count++) {
    at = nextTimeOfDay(parseTimeOfDay(window.from)!, zone, at)
    if (isOpen(at)) return at
    at += minuteMillis
  }
  return at
}

/** The longest period over which frequency caps count, milliseconds. */
export const capsMillis = (caps: ReadonlyArray<FrequencyCap>): number =>
  Math.max(0, ...caps.map(({ days }) => days)) * dayMillis

/**
 * When another email will be within every cap, epoch milliseconds; null if it is now.
 *
 * @param times when marketing was submitted to the person, in any order
 */
export const cappedUntil = (
  caps: ReadonlyArray<FrequencyCap>,
  times: ReadonlyArray<number>,
  now: number
): number | null => {
  const newest = times.toSorted((a, b) => b - a)
  const until = caps.map(({ days, emails }) => {
    const nth = newest[emails - 1]
    return nth === undefined ? 0 : nth + days * dayMillis
  })
  const last = Math.max(0, ...until)
  return last > now ? last : null
}

/** The number of groups into which people are divided. */
const groups = 10_000

/**
 * Whether a person belongs to the group that gets no marketing. A larger percentage only adds people.
 *
 * @param keyedHex a keyed hash of the person's id, lower-case hex
 */
export const isInHoldout = (keyedHex: string, percent: number): boolean =>
  Number.parseInt(keyedHex.slice(0, 12), 16) % groups < (percent * groups) / 100

/** The string whose keyed hash decides the group of a person. */
export const holdoutName = (contactId: string): string => `holdout ${contactId}`
