/**
 * Delivery lanes. A lane is named by a provider, the addresses of a site, a relay, or the recipients' domain.
 *
 * @module
 */

/** The parameters that identify a lane in a call. */
export type NamedLane =
  | { readonly provider: string }
  | { readonly site: string }
  | { readonly domain: string }

const domainMark = "domain:"

/** Provider keys contain none of the dots and colons of addresses, nor the prefix of a domain. */
const isProvider = /^[a-z0-9_-]+$/

/** Parses the lane that a notice names. */
export const namedLane = (lane: string): NamedLane => {
  if (lane.startsWith(domainMark)) return { domain: lane.slice(domainMark.length) }
  return isProvider.test(lane) && lane !== "relay" ? { provider: lane } : { site: lane }
}

/** The highest limit. */
const maxLimit = 10_000

/** The timeouts for the server's greeting, for commands, and for the reply to the message, each in seconds. */
export const timeouts = ["openMs", "commandMs", "answerMs"] as const

/** The longest timeout, in seconds. The API accepts at most an hour. */
const maxSeconds = 3_600

/** The values entered for a lane's limits. */
export interface TypedLimits {
  readonly values: {
    readonly rules: Readonly<Record<string, number | string | Readonly<Record<string, number>>>>
    /** How long the limits apply; null until they are removed. */
    readonly hours: number | null
  }
  /** The errors, by field. */
  readonly fields: Readonly<Record<string, "notANumber" | "notHours" | "notSeconds">>
}

/**
 * Validates what was entered: whole numbers, seconds for `timeouts`, a listed value for `tls`, and `hours`. Empty fields are left
 * out.
 */
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
