/**
 * Times of day in the time zones of the world, daylight saving included.
 *
 * @module
 */

const dayMillis = 86_400_000
const timePattern = /^([01]\d|2[0-3]):([0-5]\d)$/

/** Minutes since midnight of `HH:MM`; null when it is none. */
export const parseTimeOfDay = (text: string): number | null => {
  const match = timePattern.exec(text.trim())
  return match === null ? null : Number(match[1]) * 60 + Number(match[2])
}

const clocks = new Map<string, Intl.DateTimeFormat | null>()
/** A bound on names that come from attributes. */
const maxClocks = 1000

const clockOf = (zone: string): Intl.DateTimeFormat | null => {
  const known = clocks.get(zone)
  if (known !== undefined) return known
  let made: Intl.DateTimeFormat | null
  try {
    made = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit"
    })
  } catch {
    made = null
  }
  if (clocks.size >= maxClocks) clocks.clear()
  clocks.set(zone, made)
  return made
}

/** Whether a text names a time zone: an IANA name, such as `Europe/Berlin`. Offsets are not names. */
export const isTimeZone = (text: string): boolean =>
  text.length <= 64 && /^[A-Za-z]/.test(text) && clockOf(text) !== null

/** What the zone's clock shows, as if it were UTC, epoch milliseconds. */
const shown = (clock: Intl.DateTimeFormat, at: number): number => {
  const parts = new Map(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type)!
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
}

/** When the zone's clock shows a time: the first moment where it does twice, the moment after where it never does. */
const momentOf = (clock: Intl.DateTimeFormat, wanted: number): number => {
  const offsets = [wanted - dayMillis, wanted + dayMillis].map((at) => shown(clock, at) - at)
  const before = wanted - offsets[0]!
  const after = wanted - offsets[1]!
  const valid = [before, after].filter((at) => shown(clock, at) === wanted)
  return valid.length === 0 ? before : Math.min(...valid)
}

/**
 * The next moment from `now` on at which it is that time of day in the zone, epoch milliseconds.
 *
 * @param minutes since midnight
 * @param zone a time zone's name
 */
export const nextTimeOfDay = (minutes: number, zone: string, now: number): number => {
  const clock = clockOf(zone)!
  const today = Math.floor(shown(clock, now) / dayMillis) * dayMillis
  for (let day = today - dayMillis; ; day += dayMillis) {
    const moment = momentOf(clock, day + minutes * 60_000)
    if (moment >= now) return moment
  }
}
