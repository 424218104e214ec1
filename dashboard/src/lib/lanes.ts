/**
 * Lanes of mail: a provider, a site's addresses, a relay, or the domain of recipients.
 *
 * @module
 */

/** What a call names to reach a lane. */
export type NamedLane =
  | { readonly provider: string }
  | { readonly site: string }
  | { readonly domain: string }

const domainMark = "domain:"

/** Keys of providers have neither the dots and colons of addresses nor the mark of a domain. */
const isProvider = /^[a-z0-9_-]+$/

/** What names the lane of a notice. */
export const namedLane = (lane: string): NamedLane => {
  if (lane.startsWith(domainMark)) return { domain: lane.slice(domainMark.length) }
  return isProvider.test(lane) && lane !== "relay" ? { provider: lane } : { site: lane }
}

/** The most that a limit may be. */
const maxLimit = 10_000

/** How long servers are waited for, by what for; each in seconds. */
export const timeouts = ["openMs", "commandMs", "answerMs"] as const

/** The longest, seconds: the API takes an hour. */
const maxSeconds = 3_600

/** What is typed of a lane's limits. */
export interface TypedLimits {
  readonly values: {
    readonly rules: Readonly<Record<string, number | string | Readonly<Record<string, number>>>>
    /** For how long; null until they are ended. */
    readonly hours: number | null
  }
  /** What is wrong, by field. */
  readonly fields: Readonly<Record<string, "notANumber" | "notHours" | "notSeconds">>
}

/** Reads what is typed: whole numbers, seconds of `timeouts`, `tls` of a list, and `hours`. What is left empty is none. */
export const limitsOf = (
  typed: Readonly<Record<string, string>>,
  numbers: ReadonlyArray<string>
): TypedLimits => {
  const rules: Record<string, number | string | Record<string, number>> = {}
  const fields: Record<string, "notANumber" | "notHours" | "notSeconds"> = {}
  const textOf = (key: string): string => (typed[key] ?? "").trim()
  const wholeOf = (
    keys: ReadonlyArray<string>,
    most: number,
    wrong: "notANumber" | "notSeconds"
  ): ReadonlyArray<readonly [key: string, value: number]> =>
    keys.flatMap((key) => {
      const text = textOf(key)
      const value = Number(text)
      if (text === "") return []
      if (Number.isInteger(value) && value >= 1 && value <= most) return [[key, value] as const]
      fields[key] = wrong
      return []
    })
  Object.assign(rules, Object.fromEntries(wholeOf(numbers, maxLimit, "notANumber")))
  const seconds = wholeOf(timeouts, maxSeconds, "notSeconds")
  if (seconds.length > 0)
    rules["timeouts"] = Object.fromEntries(seconds.map(([key, value]) => [key, value * 1000]))
  const tls = textOf("tls")
  if (tls !== "") rules["tls"] = tls
  const hours = textOf("hours")
  const isTime = hours === "" || (Number(hours) > 0 && Number.isFinite(Number(hours)))
  if (!isTime) fields["hours"] = "notHours"
  return { values: { rules, hours: hours === "" || !isTime ? null : Number(hours) }, fields }
}
