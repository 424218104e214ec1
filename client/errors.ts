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
  /** Null for a value of the wrong type, which has a message only. */
  readonly code: ErrorCode | null
  /** English, for logs; can change. */
  readonly message: string
  /** Numbers such as a minimum or a maximum. */
  readonly params: Readonly<Record<string, number>> | null
}

/** What the service answered. */
export interface Refusal {
  readonly status: number
  readonly errors: ReadonlyArray<ErrorEntry>
  readonly fieldErrors: Readonly<Record<string, ReadonlyArray<ErrorEntry>>>
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
}

/** The service, or what stands before it, refused the call. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  /** The HTTP status. */
  readonly status: number
  /** The first error's code; null where the answer has none, such as one of a proxy. */
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
    super(first === undefined ? `The answer has status ${refusal.status}.` : first.message)
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
