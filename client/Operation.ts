/**
 * Describes the operations of the API and the options of a call.
 *
 * @module
 */

/** How an operation is sent. Its method takes the path parameters in order, then the body, the query and the options. */
export interface Operation {
  readonly method: string
  /** The path, with parameters as `:name`. */
  readonly path: string
  /** The number of parameters in the path. */
  readonly params: number
  readonly body: boolean
  readonly query: boolean
  /** Whether the operation takes an idempotency key. */
  readonly key: boolean
  /** Whether the call is authenticated by a token of its own instead of the API key. */
  readonly token: boolean
}

/** The operations of a client, by resource and name. */
export type Operations<Client> = {
  readonly [Group in keyof Client]: { readonly [Name in keyof Client[Group]]: Operation }
}

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call, or the wait between attempts, with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Receives the ETag of the version returned, for resources that people edit. */
  readonly onTag?: ((tag: string) => void) | undefined
}

/** Options of a call that changes a resource that people edit. */
export interface ConditionalCallOptions extends CallOptions {
  /** The ETag of the version to change. If another version is current, the call fails with `common.edited_meanwhile`. */
  readonly ifMatch?: string | undefined
}

/** Options of a call that takes effect only once, however often it is repeated. */
export interface IdempotentCallOptions extends CallOptions {
  /**
   * The caller's own id for the request, up to 150 visible ASCII characters. A second call with the same key returns the result
   * of the first. By default, each call gets a new key, which its retries share.
   */
  readonly idempotencyKey?: string | undefined
}

/** Options of a call that is authenticated by its own token. */
export interface TokenCallOptions extends CallOptions {
  /** The token, used instead of the client's API key. */
  readonly token: string
}
