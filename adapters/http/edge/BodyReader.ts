/**
 * Reads request bodies. Each server provides the Service, since Node and web servers deliver bytes differently.
 *
 * @module
 */
import { Context, Data, Effect, type Stream } from "effect"
import { HttpMiddleware, type HttpServerRequest } from "effect/http"
import { type ByteBounds, BytesInFlight, type Hold } from "./BytesInFlight.ts"
import { Origins } from "./Origin.ts"

/** The maximum number of bytes of an unwanted body that are read before the connection is closed. */
export const maxDiscarded = 64 * 1024 * 1024

/** The body is larger than the route accepts. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{ readonly limit: number }> {}

/** The client disconnected before the body was complete. */
export class RequestAborted extends Data.TaggedError("RequestAborted") {}

/** The client sends the body more slowly than the server accepts. */
export class BodyTooSlow extends Data.TaggedError("BodyTooSlow") {}

/** Too many bytes of bodies are held, and no room became free in time. */
export class BodiesBusy extends Data.TaggedError("BodiesBusy") {}

/** How long a body waits for room, in milliseconds. */
const roomMillis = 10_000

/** The largest body that is read into memory: that of a batch. */
const maxHeldBody = 32 * 1024 * 1024

/** The limits of the bytes of bodies that are held at the same time. */
export const bodiesHeld: ByteBounds = {
  total: 96 * 1024 * 1024,
  perHolder: 16 * 1024 * 1024,
  perRequest: maxHeldBody,
  reserved: 16 * 1024 * 1024,
  waitMillis: roomMillis
}

/** The bodies of authenticated callers, by account. A body is held from its first byte until the reply. */
export const HeldBodies = Context.Reference<BytesInFlight>("svc/http/HeldBodies", {
  defaultValue: () => new BytesInFlight(bodiesHeld)
})

/** The estimated memory of large decoded bodies, held until the reply. The largest bodies are handled one after another. */
export const DecodedBodies = Context.Reference<BytesInFlight>("svc/http/DecodedBodies", {
  defaultValue: () => {
    const total = 64 * 1024 * 1024
    return new BytesInFlight({
      total,
      perHolder: total,
      perRequest: total,
      reserved: 0,
      waitMillis: roomMillis
    })
  }
})

/** The largest body of a caller who is not authenticated before the body is read. */
const largestUnknown = 10 * 1024 * 1024

/** The bodies of callers that are not yet authenticated, by network. */
export class UnknownBodies extends Context.Service<UnknownBodies, BytesInFlight>()("svc/http/UnknownBodies") {
  /** @param maxBytes the most bytes that are held at the same time */
  static make(maxBytes: number): BytesInFlight {
    return new BytesInFlight({
      total: maxBytes,
      perHolder: Math.max(maxBytes / 4, Math.min(maxBytes, largestUnknown)),
      perRequest: largestUnknown,
      reserved: maxBytes / 4,
      waitMillis: roomMillis
    })
  }
}

export class BodyReader extends Context.Service<
  BodyReader,
  {
    /** The whole body, read as far as `hold` has room for it. Fails if the body is larger than `limit` bytes. */
    readonly read: (
      request: HttpServerRequest.HttpServerRequest,
      limit: number,
      hold: Hold
    ) => Effect.Effect<Uint8Array, BodyTooLarge | BodyTooSlow | RequestAborted | BodiesBusy>
    /** The body as it arrives. Fails if the body is larger than `limit` bytes. */
    readonly stream: (
      request: HttpServerRequest.HttpServerRequest,
      limit: number
    ) => Stream.Stream<Uint8Array, BodyTooLarge | BodyTooSlow | RequestAborted>
  }
>()("svc/http/BodyReader") {}

/** Completes when the server closes. Streamed replies end then. */
export const ServerClosing = Context.Reference<Effect.Effect<void>>("svc/http/ServerClosing", {
  defaultValue: () => Effect.never
})

/** What a server provides to the app for its requests. */
export type ServerServices = BodyReader | Origins | UnknownBodies

/**
 * The context in which a server runs the app: the body reader, the origins of requests and the bodies of unauthenticated
 * callers. It disables Effect's own server span, because `trace.ts` makes one.
 */
export const requestContext = (
  reader: BodyReader["Service"],
  origins: Origins["Service"],
  maxUnknownBytes: number,
  closing: Effect.Effect<void>
): Context.Context<ServerServices> =>
  Context.make(BodyReader, reader).pipe(
    Context.add(Origins, origins),
    Context.add(ServerClosing, closing),
    Context.add(UnknownBodies, UnknownBodies.make(maxUnknownBytes)),
    Context.add(HttpMiddleware.TracerDisabledWhen, () => true)
  )
