/**
 * The errors with which a call rejects.
 *
 * @module
 */
import type { KnownErrorCode } from "./generated.ts"

/** A stable code to branch on. Later versions of the service may return codes that this client does not know. */
export type ErrorCode = KnownErrorCode | (string & Record<never, never>)

/** One problem with a request. */
export interface ErrorEntry {
  /** `validation.type` for a body with the wrong shape, because such a response has only messages. */
  readonly code: ErrorCode
  /** In English, for logs; may change. */
  readonly message: string
  /** Numbers that the message refers to, such as a minimum or a maximum. */
  readonly params: Readonly<Record<string, number>> | null
  /** Only from the management API: further data for programs, such as the `right` that the caller lacks. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** The parts of an error response. */
export interface Refusal {
  readonly status: number
  readonly errors: ReadonlyArray<ErrorEntry>
  readonly fieldErrors: Readonly<Record<string, ReadonlyArray<ErrorEntry>>>
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
}

/** How many problems the message of an error names. `errors` always has all of them. */
const maxNamed = 5

const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`)

/** Whether two entries are the same problem. The envelope lists each problem with a field twice. */
const areOne = (a: ErrorEntry, b: ErrorEntry): boolean =>
  a.code === b.code && a.message === b.message && JSON.stringify(a.params) === JSON.stringify(b.params)

/** The message of a problem, preceded by the path of its field unless the message already begins with it. */
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

/** The service, or a proxy in front of it, rejected the call. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  /** The HTTP status. */
  readonly status: number
  /**
   * The code of the first error; `validation.type` for a body with the wrong shape. Null if the response has none, such as one
   * from a proxy.
   */
  readonly code: ErrorCode | null
  /** All problems. */
  readonly errors: ReadonlyArray<ErrorEntry>
  /** The same problems, by the field of the request that they concern. */
  readonly fieldErrors: Readonly<Record<string, ReadonlyArray<ErrorEntry>>>
  /** The `X-Request-Id` of the response, to quote when asking the operator. */
  readonly requestId: string | null
  /** The `Retry-After` of the response, in seconds. */
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

/** The response did not arrive, or not completely. The service may still have executed the request. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError"
}
