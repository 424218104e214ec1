/**
 * Replies: the envelope every answer has, and problem+json for bodies that are not of the route's shape
 * (public-api "Response envelope" and "HTTP status", decisions 2).
 *
 * @module
 */
import { catalogue, type Issue, type Problem } from "../../../core/shared/Problem.ts"
import type { Reply } from "./HttpRequest.ts"

const envelopeHeaders = { "content-type": "application/json; charset=utf-8" }
const problemHeaders = { "content-type": "application/problem+json; charset=utf-8" }

/** The call worked; `value` must be plain JSON. */
export const success = (status: number, value: unknown): Reply => ({
  status,
  headers: { ...envelopeHeaders },
  body: JSON.stringify({ isSuccess: true, value, status, errors: [], fieldErrors: null })
})

/** The call was refused. */
export const failure = (problem: Problem): Reply => {
  const errors = problem.issues.map(entryOf)
  const fields = problem.issues.filter((issue) => issue.field !== null)
  const grouped = Object.groupBy(fields, (issue) => issue.field!)
  const fieldErrors =
    fields.length === 0
      ? null
      : Object.fromEntries(Object.entries(grouped).map(([field, issues]) => [field, issues!.map(entryOf)]))
  return {
    status: problem.status,
    headers: { ...envelopeHeaders },
    body: JSON.stringify({ isSuccess: false, value: null, status: problem.status, errors, fieldErrors })
  }
}

const entryOf = ({ code, params }: Issue) => ({ code, message: catalogue[code].message, params })

/** The body is not JSON, or not of the route's shape. `errors` maps request field paths to messages. */
export const shapeRefused = (message: string, errors: Record<string, ReadonlyArray<string>>): Reply => ({
  status: 400,
  headers: { ...problemHeaders },
  body: JSON.stringify({ statusCode: 400, message, errors })
})
