/**
 * What a call rejects with.
 *
 * @module
 */
import type { KnownErrorCode } from "./generated.ts"

/** A stable code to branch on. A later version of the service may answer codes this client does not know by name. */
export type ErrorCode = KnownErrorCode | (string & Record<never, never>)

/** One thing that was wrong. */
export interface ErrorEntry {
  /** `validation.type` for a body that has not the route's shape, which has messages only. */
  readonly code: ErrorCode
  /** English, for logs; can change. */
  readonly message: string
  /** Numbers such as a minimum or a maximum. */
  readonly params: Readonly<Record<string, number>> | null
  /** On routes of the management API, what else a program needs, such as the `right` that the caller lacks. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** What the service answered. */
export interface Refusal {
  readonly status: number
  readonly errors: ReadonlyArray<ErrorEntry>
  readonly fieldErrors: Readonly<Record<string, ReadonlyArray<ErrorEntry>>>
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
}

/** How many problems the message of an error names; all of them are in `errors`. */
const maxNamed = 5

const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`)

/** Whether two entries are of one problem, which the envelope lists twice. */
const areOne = (a: ErrorEntry, b: ErrorEntry): boolean =>
  a.code === b.code && a.message === b.message && JSON.stringify(a.params) === JSON.stringify(b.params)

/** A problem with the path of its field, which most messages begin with. */
export const withField = (field: string | null, message: string): string =>
  field === null || message.startsWith(`${field} `) ? message : `${field}: ${message}`

/** The first problems, each with the path of its field, such as `consent.proof.text must be given.` */
const messageOf = ({ errors, fieldErrors }: Refusal): string => {
  const placed = Object.entries(fieldErrors).flatMap(([field, entries]) =>
    entries.map((entry) => ({ field, entry }))
  )
  const named = errors.slice(0, maxNamed).map((error) => {
    const at = placed.findIndex(({ entry }) => areOne(entry, error))
    const [place] = at === -1 ? [] : placed.splice(at, 1)
    return sentence(withField(place?.field ?? null, error.message))
  })
  const more = errors.length - named.length
  return more === 0 ? named.join(" ") : `${named.join(" ")} (${more} more)`
}

/** The service, or what stands before it, refused the call. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  /** The HTTP status. */
  readonly status: number
  /**
   * The first error's code; `validation.type` for a body that has not the route's shape. Null where the answer has none,
   * such as one of a proxy.
   */
  readonly code: ErrorCode | null
  /** One entry per problem. */
  readonly errors: ReadonlyArray<ErrorEntry>
  /** The same problems by the field of the request they are about. */
  readonly fieldErrors: Readonly<Record<string, ReadonlyArray<ErrorEntry>>>
  /** The answer's `X-Request-Id`, to be named when asking the operator. */
  readonly requestId: string | null
  /** The answer's `Retry-After` in seconds. */
  readonly retryAfterSeconds: number | null

  constructor(refusal: Refusal) {
    const [first] = refusal.errors
    super(first === undefined ? `The answer has status ${refusal.status}.` : messageOf(refusal))
    this.status = refusal.status
    this.code = first?.code ?? null
    this.errors = refusal.errors
    this.fieldErrors = refusal.fieldErrors
    this.requestId = refusal.requestId
    this.retryAfterSeconds = refusal.retryAfterSeconds
  }
}

/** No answer arrived, or not all of it: the service may have done what was asked. `cause` says why. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError"
}
