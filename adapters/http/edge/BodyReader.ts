/**
 * Reads request bodies. Each server provides the Service, since Node and web servers deliver bytes differently.
 *
 * @module
 */
import { Context, Data, Effect, type Stream } from "effect"
import { HttpMiddleware, type HttpServerRequest } from "effect/http"
import { type ByteBounds, BytesInFlight, type Hold } from "./BytesInFlight.ts"
import { Origins } from "./Origin.ts"

/** The most bytes of an unwanted body that are read to its end before the connection is cut. */
export const maxDiscarded = 64 * 1024 * 1024

/** The body is larger than the route accepts. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{ readonly limit: number }> {}

/** The client disconnected before the body was complete. */
export class RequestAborted extends Data.TaggedError("RequestAborted") {}

/** The body comes more slowly than clients must send. */
export class BodyTooSlow extends Data.TaggedError("BodyTooSlow") {}

/** The bounds of bodies were reached, and no room was left in time. */
export class BodiesBusy extends Data.TaggedError("BodiesBusy") {}

/** How long a body waits for room, in milliseconds. */
const roomMillis = 10_000

/** The largest body that is read into memory, a batch's. */
const maxHeldBody = 32 * 1024 * 1024

/** How much of bodies is held at a time. */
export const bodiesHeld: ByteBounds = {
  total: 96 * 1024 * 1024,
  perHolder: 16 * 1024 * 1024,
  perRequest: maxHeldBody,
  reserved: 16 * 1024 * 1024,
  waitMillis: roomMillis
}

/** The bodies that authenticated callers hold, by account: from the first byte until the reply. */
export const HeldBodies = Context.Reference<BytesInFlight>("svc/http/HeldBodies", {
  defaultValue: () => new BytesInFlight(bodiesHeld)
})

/** The memory that large decoded bodies need, estimated, until the reply. The largest are handled one after another. */
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

/** The largest body of a caller that is not authenticated before its body was read. */
const largestUnknown = 10 * 1024 * 1024

/** The bodies of callers that are not authenticated yet, held by network. */
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
    /** The whole body, held as `hold` has room for it; fails once it is larger than `limit` bytes. */
    readonly read: (
      request: HttpServerRequest.HttpServerRequest,
      limit: number,
      hold: Hold
    ) => Effect.Effect<Uint8Array, BodyTooLarge | BodyTooSlow | RequestAborted | BodiesBusy>
    /** The body as it arrives; fails once it is larger than `limit` bytes. */
    readonly stream: (
      request: HttpServerRequest.HttpServerRequest,
      limit: number
    ) => Stream.Stream<Uint8Array, BodyTooLarge | BodyTooSlow | RequestAborted>
  }
>()("svc/http/BodyReader") {}

/** Ends when the server closes: replies that last end with it. */
export const ServerClosing = Context.Reference<Effect.Effect<void>>("svc/http/ServerClosing", {
  defaultValue: () => Effect.never
})

/** What a server provides to the app for its requests. */
export type ServerServices = BodyReader | Origins | UnknownBodies

/**
 * The context in which a server runs the app: its reader, the origins of its requests, the bodies of unknown callers, and
 * no server span of Effect's beside that of `trace.ts`.
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
