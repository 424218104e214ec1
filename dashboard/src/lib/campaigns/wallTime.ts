/**
 * Wall times as form fields hold them: `YYYY-MM-DDTHH:MM` in a time zone.
 *
 * @module
 */

const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

/** The wall time of a timestamp in a zone. */
export const wallTimeOf = (at: Date, zone: string): string => {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit"
  }).formatToParts(at)
  const of = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((part) => part.type === type)?.value ?? ""
  return `${of("year").padStart(4, "0")}-${of("month")}-${of("day")}T${of("hour")}:${of("minute")}`
}

/**
 * The timestamp of a wall time in a zone (ISO 8601); null if the string is not a time. A wall time that the clocks skip is moved
 * past the gap by the length of the gap. For a wall time that occurs twice, it is one of the two.
 */
export const momentOf = (wallTime: string, zone: string): string | null => {
  const [text] = shape.exec(wallTime) ?? []
  const wanted = text === undefined ? Number.NaN : Date.parse(`${text}:00Z`)
  if (Number.isNaN(wanted)) return null
  const offsetAt = (at: number): number => Date.parse(`${wallTimeOf(new Date(at), zone)}:00Z`) - at
  const first = wanted - offsetAt(wanted)
  const second = wanted - offsetAt(first)
  return new Date(wanted - offsetAt(second) === second ? second : Math.max(first, second)).toISOString()
}
