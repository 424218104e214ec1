/**
 * Calls of the public API as the request log keeps them.
 *
 * @module
 */

/** A call that was made with an API key. It has no secret, and of the path only the route's template. */
export interface RequestEntry {
  readonly accountId: string
  readonly id: string
  /** The header X-Request-Id, the caller's own or generated. */
  readonly requestId: string
  readonly keyId: string
  readonly method: string
  /** The route's template, such as `/api/v1/contacts/:reference`; null where there is none. */
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
