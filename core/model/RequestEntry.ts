/**
 * Calls of the public API, as the request log stores them.
 *
 * @module
 */

/** A call made with an API key. It contains no secret, and only the route's template instead of the path. */
export interface RequestEntry {
  readonly accountId: string
  readonly id: string
  /** The value of the header X-Request-Id, given by the caller or generated. */
  readonly requestId: string
  readonly keyId: string
  readonly method: string
  /** The route's template, such as `/api/v1/contacts/:reference`; null if no route matched. */
  readonly route: string | null
  readonly status: number
  /** The first error's code; null for a call that succeeded. */
  readonly code: string | null
  readonly durationMillis: number
  /** The codes of warnings. */
  readonly warnings: ReadonlyArray<string>
  /** The beginnings of the bodies, without secrets; null in a live account. */
  readonly requestBody: string | null
  readonly responseBody: string | null
  /** When the call began, epoch milliseconds. */
  readonly at: number
}
