/**
 * Query parameters.
 *
 * @module
 */
import { defaultPageSize, maxPageSize, type PageRequest } from "../../../core/shared/Page.ts"
import { type Issue, issue, Problem } from "../../../core/shared/Problem.ts"

/** Query parameters as the router gives them. */
export type Query = Readonly<Record<string, string | Array<string> | undefined>>

const maxInt = 2_147_483_647

/** A parameter's text; the last one where it is repeated, null where absent or empty. */
export const textOf = (query: Query, name: string): string | null => {
  const value = query[name]
  const text = Array.isArray(value) ? value.at(-1) : value
  return text === undefined || text === "" ? null : text
}

/** `page` from 1 (default 1) and `pageSize` 1 to 200 (default 50). validation.type, validation.range. */
export const pageOfQuery = (query: Query): PageRequest | Problem => {
  const issues: Array<Issue> = []
  const page = intOf(query, "page", 1, maxInt, 1, issues)
  const pageSize = intOf(query, "pageSize", 1, maxPageSize, defaultPageSize, issues)
  return Problem.from(issues) ?? { page, pageSize }
}

/** A whole number in a range; issues say validation.type or validation.range. */
export const intOf = (
  query: Query,
  name: string,
  min: number,
  max: number,
  fallback: number,
  issues: Array<Issue>
): number => {
  const text = textOf(query, name)
  if (text === null) return fallback
  const value = /^[+-]?\d{1,400}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value)) issues.push(issue("validation.type", name))
  else if (value < min || value > max) issues.push(issue("validation.range", name, { min, max }))
  return value
}
