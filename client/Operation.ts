/**
 * Describes the operations of the API and the options of a call.
 *
 * @module
 */

/** How an operation is sent. A call's arguments are its path's parameters in order, its body, its query, its options. */
export interface Operation {
  readonly method: string
  /** With parameters as `:name`. */
  readonly path: string
  /** How many parameters the path has. */
  readonly params: number
  readonly body: boolean
  readonly query: boolean
  /** Whether it takes an idempotency key. */
  readonly key: boolean
  /** Whether it is called with a token of its own in place of the API key. */
  readonly token: boolean
}

/** The operations of a client, by resource and name. */
export type Operations<Client> = {
  readonly [Group in keyof Client]: { readonly [Name in keyof Client[Group]]: Operation }
}

/** Options of a call. */
export interface CallOptions {
  /** Ends the call, and the waiting between attempts, with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Receives the tag of the version that a successful call returns, where people edit what it returns. */
  readonly onTag?: ((tag: string) => void) | undefined
}

/** Options of a call that changes what people edit. */
export interface ConditionalCallOptions extends CallOptions {
  /** The tag of the version to change; if another is current, the call fails with `common.edited_meanwhile`. */
  readonly ifMatch?: string | undefined
}

/** Options of a call that is done once however often it is made. */
export interface IdempotentCallOptions extends CallOptions {
  /**
   * The caller's own id of what is asked for, up to 150 visible ASCII characters: a second call with the same key
   * answers what the first did. Unless given, a new one is made for each call, which holds for its attempts.
   */
  readonly idempotencyKey?: string | undefined
}

/** Options of a call that has a token of its own. */
export interface TokenCallOptions extends CallOptions {
  /** The token, in place of the client's API key. */
  readonly token: string
}
