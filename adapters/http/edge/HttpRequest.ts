/**
 * One request and its reply, as the servers of each runtime give and take them. Small on purpose: a request is not
 * wrapped more often than it must be.
 *
 * @module
 */
import { Data, type Effect, type Stream } from "effect"

/** The most bytes of an unwanted body that are read to its end before the connection is cut. */
export const maxDiscarded = 64 * 1024 * 1024

/** The body is larger than the route takes. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{ readonly limit: number }> {}

/** The client went away before the body was whole. */
export class RequestAborted extends Data.TaggedError("RequestAborted") {}

/** A request. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string
  /** Path and query, as sent. */
  readonly url: string
  /** A header's value by its lower-case name, null when absent. */
  readonly header: (name: string) => string | null
  /** The body, read to its end unless it is larger than `limit` bytes. */
  readonly body: (limit: number) => Effect.Effect<Uint8Array, BodyTooLarge | RequestAborted>
  /** The body as it arrives, for one that is not to be held as a whole; fails once it is larger than `limit` bytes. */
  readonly stream: (limit: number) => Stream.Stream<Uint8Array, BodyTooLarge | RequestAborted>
}

/** A reply. Header names are lower case. */
export interface Reply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | null
}
