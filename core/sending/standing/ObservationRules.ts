/**
 * Validates complaint rates that people enter by hand.
 *
 * @module
 */
import type { Result } from "effect"
import type { Observation } from "../../model/Standing.ts"
import { parseDomain } from "../../shared/EmailAddress.ts"
import { Issues, type Problem } from "../../shared/Problem.ts"
import { formats } from "../../shared/Validate.ts"
import type { ProviderTable } from "../shaping/Providers.ts"

/** An observation as entered. */
export interface ObservationWrite {
  readonly provider: string
  readonly domain: string
  readonly day: string
  readonly spamRate: number
  /** Whether it replaces another observation of that day. */
  readonly replace?: boolean
}

/** The maximum number of observations in a call. */
export const maxObservations = 100
/** The maximum age of an observation, days. */
const maxDaysBack = 120

const dayMillis = 86_400_000

const isDay = (text: string, now: number): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const at = Date.parse(`${text}T00:00:00Z`)
  return (
    !Number.isNaN(at) &&
    new Date(at).toISOString().startsWith(text) &&
    at <= now &&
    at > now - maxDaysBack * dayMillis
  )
}

/** Validates observations of an account. Issues have fields such as `[0].day`. */
export const checkObservations = (
  table: ProviderTable,
  accountId: string,
  given: ReadonlyArray<ObservationWrite>,
  now: number
): Result.Result<ReadonlyArray<Observation>, Problem> => {
  const issues = new Issues()
  if (given.length === 0 || given.length > maxObservations) {
    issues.add("validation.range", "body", { min: 1, max: maxObservations })
    return issues.result([])
  }
  const observations = given.map(({ day, domain, provider, spamRate }, index): Observation => {
    const field = (name: string) => `[${index}].${name}`
    const expect = (name: string, expected: string) =>
      issues.add("validation.format", field(name), null, { expected })
    const name = parseDomain(domain)
    if (name === null) expect("domain", formats.domain)
    if (table.withKey(provider) === null)
      expect("provider", `the key of a provider: ${table.entries.map(({ key }) => key).join(", ")}`)
    if (!isDay(day, now)) expect("day", `a day of the last ${maxDaysBack} as YYYY-MM-DD`)
    if (!(spamRate >= 0 && spamRate <= 1))
      issues.add("validation.range", field("spamRate"), { min: 0, max: 1 })
    return { accountId, provider, domain: name ?? "", day, spamRate }
  })
  return issues.result(observations)
}
