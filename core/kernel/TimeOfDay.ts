/**
 * Times of day in IANA time zones, with daylight saving time.
 *
 * @module
 */

const dayMillis = 86_400_000
const timePattern = /^([01]\d|2[0-3]):([0-5]\d)$/

/** The minutes since midnight of `HH:MM`; null if it is invalid. */
export const parseTimeOfDay = (value: string): number | null => {
  const match = timePattern.exec(value.trim())
  return match === null ? null : Number(match[1]) * 60 + Number(match[2])
}

/** Formats by lower-case time zone, since making one takes 0.1 ms. Only valid names are kept, of which there are some 600. */
const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string): Intl.DateTimeFormat | null => {
  const key = zone.toLowerCase()
  const known = formats.get(key)
  if (known !== undefined) return known
  try {
    const format = new Intl.DateTimeFormat("en-US", {
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
    formats.set(key, format)
    return format
  } catch {
    return null
  }
}

/** Whether a string is the IANA name of a time zone, such as `Europe/Berlin`. Offsets are not. */
export const isTimeZone = (value: string): boolean =>
  value.length <= 64 && /^[A-Za-z][\w+/-]*$/.test(value) && formatOf(value) !== null

/** The local time at a timestamp, written as if it were UTC, epoch milliseconds. */
const localTime = (format: Intl.DateTimeFormat, at: number): number => {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type)!
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
}

/** The local time in a zone at a timestamp, written as if it were UTC, epoch milliseconds. */
export const localTimeAt = (zone: string, at: number): number => localTime(formatOf(zone)!, at)

/** The timestamp of a local time. The first if it occurs twice; if the clocks skip it, as if they did not. */
const timestampOf = (format: Intl.DateTimeFormat, local: number): number => {
  const offsets = [local - dayMillis, local + dayMillis].map((at) => localTime(format, at) - at)
  const before = local - offsets[0]!
  const after = local - offsets[1]!
  const valid = [before, after].filter((at) => localTime(format, at) === local)
  return valid.length === 0 ? before : Math.min(...valid)
}

/**
 * The next timestamp, from `now` on, at which it is a given time of day in a zone, epoch milliseconds.
 *
 * @param minutes the time of day in minutes since midnight
 * @param zone the name of a time zone
 */
export const nextTimeOfDay = (minutes: number, zone: string, now: number): number => {
  const format = formatOf(zone)!
  const today = Math.floor(localTime(format, now) / dayMillis) * dayMillis
  for (let day = today - dayMillis; ; day += dayMillis) {
    const timestamp = timestampOf(format, day + minutes * 60_000)
    if (timestamp >= now) return timestamp
  }
}

const localPattern = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d)$/

/** Parses a local time `YYYY-MM-DDTHH:MM` as if it were UTC, epoch milliseconds; null if it is invalid. */
export const parseLocalTime = (value: string): number | null => {
  const parts = localPattern.exec(value)
  if (parts === null) return null
  const [year, month, day, hour, minute] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number
  ]
  const at = Date.UTC(year, month - 1, day, hour, minute)
  // Date.UTC turns a day that the month does not have into one of the next month.
  return year >= 1970 && new Date(at).getUTCDate() === day && new Date(at).getUTCMonth() === month - 1
    ? at
    : null
}

/**
 * The timestamp of a local time in a zone, epoch milliseconds. The first if the local time occurs twice; if the clocks skip
 * it, the first timestamp after the skipped time.
 *
 * @param local a local time as `parseLocalTime` returns it
 * @param zone the name of a time zone
 */
export const timestampOfLocal = (local: number, zone: string): number => {
  const format = formatOf(zone)!
  const found = timestampOf(format, local)
  if (localTime(format, found) === local) return found
  // The clocks skip it: search for the first second at which they show a later time.
  let [before, after] = [local - dayMillis, found]
  while (after - before > 1_000) {
    const middle = before + Math.floor((after - before) / 2_000) * 1_000
    if (localTime(format, middle) >= local) after = middle
    else before = middle
  }
  return after
}
