/**
 * Serves the app as a web handler, `Request` in and `Response` out, on Bun and in the embedded service.
 *
 * @module
 */
import { Context, Effect, Stream } from "effect"
import { HttpEffect, type HttpServerRequest } from "effect/http"
import {
  BodiesBusy,
  BodyReader,
  BodyTooLarge,
  maxDiscarded,
  RequestAborted,
  requestContext,
  type ServerServices
} from "../edge/BodyReader.ts"
import type { Hold } from "../edge/BytesInFlight.ts"
import { type FindOrigin, makeFindOrigin } from "../edge/Origin.ts"
import type { ServeOptions } from "./NodeServer.ts"
import { malformedReply } from "../edge/reply.ts"
import type { App } from "../edge/router.ts"

/**
 * Makes a web handler of an app: of a request and the address of its connection.
 *
 * @param trustedProxies the reverse proxies whose X-Forwarded-For counts
 */
export const makeWebHandler = Effect.fnUntraced(function* (
  app: App,
  { limits, trustedProxies }: Pick<ServeOptions, "limits" | "trustedProxies">
) {
  const findOrigin = yield* makeFindOrigin(trustedProxies)
  const origins = new WeakMap<Request, ReturnType<FindOrigin>>()
  const handle = HttpEffect.toWebHandlerWith<ServerServices, Effect.Services<App>>(
    Context.merge(
      yield* Effect.context(),
      requestContext(
        webReader,
        { of: (request) => origins.get(sourceOf(request))!, setKnown: () => undefined },
        limits.maxUnknownBytes
      )
    )
  )(app)
  return (request: Request, address: string): Promise<Response> => {
    if (namesHostTwice(request)) return Promise.resolve(rejectRequest())
    origins.set(request, findOrigin(address, request.headers.get("x-forwarded-for")))
    return handle(request)
  }
})

/** RFC 9112 3.2: a request that names its host twice is rejected. Two arrive as a list, and no host has a comma. */
const namesHostTwice = (request: Request): boolean => request.headers.get("host")?.includes(",") === true

/** Closes the connection, so that bytes that follow are not another request. */
const rejectRequest = (): Response => {
  const { body, headers, status } = malformedReply("This is not an HTTP request the server understands.", {})
  return new Response(body as never, {
    status,
    headers: {
      ...headers,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": crypto.randomUUID(),
      connection: "close"
    }
  })
}

const sourceOf = ({ source }: HttpServerRequest.HttpServerRequest) => source as Request

const webReader = BodyReader.of({
  read: (request, limit, hold) =>
    Effect.tryPromise({
      try: () => readBody(sourceOf(request), limit, hold),
      catch: (error) =>
        error instanceof BodyTooLarge || error instanceof BodiesBusy ? error : new RequestAborted()
    }),
  stream: (request, limit) =>
    Stream.fromAsyncIterable(piecesOf(sourceOf(request), limit), (error) =>
      error instanceof BodyTooLarge ? error : new RequestAborted()
    )
})

/** A body piece by piece. The rest of one that is rejected halfway is discarded as it arrives, as `readBody` does. */
async function* piecesOf(request: Request, limit: number): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > limit + maxDiscarded)
    throw new BodyTooLarge({ limit })
  const { body } = request
  if (body === null) return
  let size = 0
  let left = maxDiscarded
  try {
    for await (const piece of body.values({ preventCancel: true })) {
      size += piece.length
      if (size > limit) throw new BodyTooLarge({ limit })
      yield piece
    }
  } finally {
    for await (const piece of body) {
      left -= piece.length
      if (left < 0) break
    }
  }
}

/** The largest body that is read in one piece. */
const maxPiece = 64 * 1024

/**
 * The whole body. One that is too large is read to its end and discarded before it is rejected: a client that is still
 * sending would not see the reply.
 */
const readBody = async (request: Request, limit: number, hold: Hold): Promise<Uint8Array> => {
  const announced = request.headers.get("content-length")
  if (announced !== null && Number(announced) <= maxPiece) {
    if ((await hold.take(Number(announced))) === false) throw new BodiesBusy()
    return new Uint8Array(await request.arrayBuffer())
  }
  const chunks: Array<Uint8Array> = []
  let size = 0
  let isBusy = false
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > limit + maxDiscarded) break
    if (isBusy) continue
    if (size > limit) {
      chunks.length = 0
      continue
    }
    const taken = hold.take(chunk.length)
    isBusy = taken !== true && !(await taken)
    if (isBusy) chunks.length = 0
    else chunks.push(chunk)
  }
  if (size > limit) throw new BodyTooLarge({ limit })
  if (isBusy) throw new BodiesBusy()
  return Buffer.concat(chunks, size)
}
