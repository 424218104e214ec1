/**
 * Names of days and languages in the reader's language.
 *
 * @module
 */

/** A Monday at noon, UTC. */
const monday = Date.UTC(2026, 0, 5, 12)
const dayMillis = 86_400_000

/** The name of a day of the week: 1 for Monday to 7 for Sunday. */
export const weekdayOf = (locale: string, day: number): string =>
  new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" }).format(monday + (day - 1) * dayMillis)

/** The name of a language with its tag, such as `German (de)`; only the tag if it is not a valid one. */
export const languageName = (locale: string, tag: string): string => {
  try {
    const name = new Intl.DisplayNames(locale, { type: "language", fallback: "none" }).of(tag)
    return name === undefined ? tag : `${name} (${tag})`
  } catch {
    return tag
  }
}
