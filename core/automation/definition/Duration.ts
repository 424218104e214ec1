/**
 * Parses the durations of flows: ISO 8601 weeks, days, hours, minutes and seconds. Months and years have no fixed length
 * and are invalid.
 *
 * @module
 */

const pattern = /^P(?:(\d{1,4})W|(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)$/

/** The longest wait of a step, milliseconds: 366 days. */
export const maxDuration = 366 * 86_400_000

/** The milliseconds of a duration; null if it is invalid, empty, or longer than `maxDuration`. */
export const parseDuration = (value: string): number | null => {
  const match = pattern.exec(value.trim())
  if (match === null) return null
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? 0))
  const millis = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000
  return millis > 0 && millis <= maxDuration ? millis : null
}
