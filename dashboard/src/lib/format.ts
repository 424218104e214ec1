/**
 * Formats numbers, times and sizes in a language and a time zone.
 *
 * @module
 */

/** Formats values for one reader. */
export interface Format {
  readonly locale: string
  readonly timeZone: string
  /** 1,234 */
  readonly number: (value: number) => string
  /** 1.2K, for narrow places. */
  readonly short: (value: number) => string
  /** A share of 0 to 1: 12.3 % */
  readonly percent: (share: number) => string
  /** An amount of a currency (ISO 4217): €12.30 */
  readonly money: (amount: number, currency: string) => string
  /** For example "3 minutes ago" or "in 2 days". */
  readonly relative: (at: Date, now: Date) => string
  /** Date and time with the name of the time zone, for when precision matters. */
  readonly exact: (at: Date) => string
  /** The time of day with seconds. */
  readonly time: (at: Date) => string
  /** The day and time; the year only if it is not the current one. */
  readonly moment: (at: Date, now: Date) => string
  /** A day such as `2026-11-23`, without the year. */
  readonly date: (day: string) => string
  /** 12.3 KB; 1 KB is 1,000 bytes. */
  readonly bytes: (count: number) => string
  /** A list of names in the language's style: a, b and c. */
  readonly list: (names: ReadonlyArray<string>) => string
}

const units: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60]
]

/** The unit for a number of seconds, and how many whole units it has, rounded towards zero. */
export const distanceOf = (seconds: number): readonly [Intl.RelativeTimeFormatUnit, number] => {
  const size = Math.abs(seconds)
  const [unit, length] = units.find(([, one]) => size >= one) ?? ["second", 1]
  return [unit, Math.trunc(seconds / length)]
}

/** Times within this many seconds are shown as now. */
const nowSeconds = 10

const sizes = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const

/** Whether the browser knows a time zone. */
export const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

/** Makes the formats for a language (BCP 47) and a time zone (IANA). An unknown time zone is replaced by the browser's. */
export const makeFormat = (locale: string, zone: string | null): Format => {
  const timeZone =
    zone !== null && isTimeZone(zone) ? zone : new Intl.DateTimeFormat().resolvedOptions().timeZone
  const number = new Intl.NumberFormat(locale)
  const short = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" })
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long", timeZone })
  const clock = { hour: "2-digit", minute: "2-digit" } as const
  const date = { month: "short", day: "numeric" } as const
  const thisYear = new Intl.DateTimeFormat(locale, { ...date, ...clock, timeZone })
  const otherYear = new Intl.DateTimeFormat(locale, { ...date, ...clock, year: "numeric", timeZone })
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "medium", timeZone })
  const day = new Intl.DateTimeFormat(locale, { ...date, timeZone: "UTC" })
  const list = new Intl.ListFormat(locale)
  const yearOf = (at: Date): string => new Intl.DateTimeFormat("en", { year: "numeric", timeZone }).format(at)
  return {
    locale,
    timeZone,
    number: (value) => number.format(value),
    short: (value) => short.format(value),
    percent: (share) => percent.format(share),
    money: (amount, currency) =>
      /^[A-Z]{3}$/i.test(currency)
        ? new Intl.NumberFormat(locale, { style: "currency", currency }).format(amount)
        : `${number.format(amount)} ${currency}`,
    relative: (at, now) => {
      const seconds = Math.trunc((at.getTime() - now.getTime()) / 1_000)
      const [unit, count] = distanceOf(Math.abs(seconds) < nowSeconds ? 0 : seconds)
      return relative.format(count, unit)
    },
    exact: (at) => exact.format(at),
    time: (at) => time.format(at),
    moment: (at, now) => (yearOf(at) === yearOf(now) ? thisYear : otherYear).format(at),
    date: (text) => day.format(new Date(`${text}T00:00:00Z`)),
    bytes: (count) => {
      const power = Math.min(sizes.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)))
      const options = {
        style: "unit",
        unit: sizes[power]!,
        // In the short form, only bytes are written out as a word, and in the singular.
        unitDisplay: power === 0 ? "long" : "short",
        maximumFractionDigits: power === 0 ? 0 : 1
      } as const
      return new Intl.NumberFormat(locale, options).format(count / 1_000 ** power)
    },
    list: (names) => list.format(names)
  }
}
