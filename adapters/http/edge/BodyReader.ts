/**
 * Reads request bodies. Each server provides the Service, since Node and web servers deliver bytes differently.
 *
 * @module
 */
import { Context, Data, type Effect, type Stream } from "effect"
import { HttpMiddleware, type HttpServerRequest } from "effect/http"
import { type ByteBounds, BytesInFlight, type Hold } from "./BytesInFlight.ts"

/** The most bytes of an unwanted body that are read to its end before the connection is cut. */
export const maxDiscarded = 64 * 1024 * 1024

/** The body is larger than the route accepts. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{ readonly limit: number }> {}

/** The client disconnected before the body was complete. */
export class RequestAborted extends Data.TaggedError("RequestAborted") {}

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

export class BodyReader extends Context.Service<
  BodyReader,
  {
    /** The whole body, held as `hold` has room for it; fails once it is larger than `limit` bytes. */
    readonly read: (
      request: HttpServerRequest.HttpServerRequest,
      limit: number,
      hold: Hold
    ) => Effect.Effect<Uint8Array, BodyTooLarge | RequestAborted | BodiesBusy>
    /** The body as it arrives; fails once it is larger than `limit` bytes. */
    readonly stream: (
      request: HttpServerRequest.HttpServerRequest,
      limit: number
    ) => Stream.Stream<Uint8Array, BodyTooLarge | RequestAborted>
  }
>()("svc/http/BodyReader") {}

/** The context in which a server runs the app: its reader, and no server span of Effect's beside that of `trace.ts`. */
export const requestContext = (reader: BodyReader["Service"]): Context.Context<BodyReader> =>
  Context.make(BodyReader, reader).pipe(Context.add(HttpMiddleware.TracerDisabledWhen, () => true))
