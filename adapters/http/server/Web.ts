/**
 * Serves the app as a web handler, from `Request` to `Response`, in the embedded service and in servers of its host.
 *
 * @module
 */
import { Context, Effect, Stream } from "effect"
import { HttpEffect, type HttpServerRequest } from "effect/http"
import {
  BodiesBusy,
  BodyReader,
  BodyTooLarge,
  BodyTooSlow,
  maxDiscarded,
  RequestAborted,
  requestContext,
  type ServerServices
} from "../edge/BodyReader.ts"
import { PiecedBytes } from "../../../core/shared/Bytes.ts"
import type { CallerLimits } from "../../../core/shared/CallerLimits.ts"
import type { Origin } from "../../../core/shared/Network.ts"
import type { Hold } from "../edge/BytesInFlight.ts"
import { makeFindOrigin } from "../edge/Origin.ts"
import type { ServeOptions } from "./NodeServer.ts"
import { RequestCounts } from "./RequestCounts.ts"
import { busyReply, malformedReply, type Reply } from "../edge/reply.ts"
import type { App } from "../edge/router.ts"

/**
 * Makes the web handler of an app, a function of a request and the address of its connection. A web handler does not see
 * connections, so their limits apply to requests in progress.
 */
export const makeWebHandler = Effect.fnUntraced(function* (
  app: App,
  { limits, trustedProxies }: Pick<ServeOptions, "limits" | "trustedProxies">,
  closing: Effect.Effect<void> = Effect.never
) {
  const findOrigin = yield* makeFindOrigin(trustedProxies)
  const counts = new RequestCounts(limits)
  const origins = new WeakMap<Request, Origin>()
  const handle = HttpEffect.toWebHandlerWith<ServerServices, Effect.Services<App>>(
    Context.merge(
      yield* Effect.context(),
      requestContext(
        makeWebReader(limits),
        { of: (request) => origins.get(sourceOf(request))!, setKnown: () => undefined },
        limits.maxUnknownBytes,
        closing
      )
    )
  )(app)
  return async (request: Request, address: string): Promise<Response> => {
    if (namesHostTwice(request)) return rejectRequest()
    const origin = findOrigin(address, request.headers.get("x-forwarded-for"))
    if (!counts.enter(origin)) return responseOf(busyReply())
    origins.set(request, origin)
    let lasts = false
    try {
      const response = await handle(request)
      if (isEventStream(response)) {
        lasts = true
        return ending(response, () => counts.leave(origin))
      }
      return response
    } finally {
      if (!lasts) counts.leave(origin)
    }
  }
})

const isEventStream = ({ body, headers }: Response): boolean =>
  body !== null && headers.get("content-type")?.startsWith("text/event-stream") === true

/** A response that calls `ended` once: when its body has ended or its client has disconnected. */
const ending = (response: Response, ended: () => void): Response => {
  const reader = response.body!.getReader()
  let isEnded = false
  const end = (): void => {
    if (!isEnded) ended()
    isEnded = true
  }
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        end()
        controller.close()
      } catch (error) {
        end()
        controller.error(error)
      }
    },
    cancel: async (reason) => {
      end()
      await reader.cancel(reason)
    }
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

const responseOf = ({ body, headers, status }: Reply): Response =>
  new Response(body as never, { status, headers })

/** RFC 9112 3.2: a request with more than one Host field is rejected. Two arrive as a list; a host has no comma. */
const namesHostTwice = (request: Request): boolean => request.headers.get("host")?.includes(",") === true

/** Closes the connection, so that the bytes that follow are not another request. */
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

const makeWebReader = (limits: CallerLimits) => {
  const piecesOf = (request: HttpServerRequest.HttpServerRequest) => pacedPieces(sourceOf(request), limits)
  return BodyReader.of({
    read: (request, limit, hold) =>
      Effect.tryPromise({
        try: () => {
          const announced = Number(request.headers["content-length"] ?? Number.NaN)
          return announced <= Math.min(limit, maxPiece)
            ? readPiece(sourceOf(request), announced, limits, hold)
            : readBody(piecesOf(request), limit, hold)
        },
        catch: bodyError
      }),
    stream: (request, limit) =>
      Number(request.headers["content-length"] ?? 0) > limit + maxDiscarded
        ? Stream.fail(new BodyTooLarge({ limit }))
        : Stream.fromAsyncIterable(limitedPieces(piecesOf(request), limit), streamError)
  })
}

const streamError = (error: unknown): BodyTooLarge | BodyTooSlow | RequestAborted =>
  error instanceof BodyTooLarge || error instanceof BodyTooSlow ? error : new RequestAborted()

const bodyError = (error: unknown) => (error instanceof BodiesBusy ? error : streamError(error))

/** The value of a promise. Fails if it takes longer than `millis`. */
const inTime = async <A>(promise: Promise<A>, millis: number): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const slow = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BodyTooSlow()), Math.max(0, millis))
  })
  try {
    return await Promise.race([promise, slow])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The pieces of a body, which must arrive at the rate required of clients. The time until the next piece is requested does
 * not count.
 */
async function* pacedPieces(
  { body }: Request,
  { bodyMillis, minBytesPerSecond }: CallerLimits
): AsyncGenerator<Uint8Array, void, void> {
  if (body === null) return
  const reader = body.getReader()
  let left = bodyMillis
  const next = async (): Promise<IteratorResult<Uint8Array, void>> => {
    const asked = Date.now()
    const { done, value } = await inTime(reader.read(), left)
    left -= Date.now() - asked
    if (done) return { done, value: undefined }
    left += (value.length * 1_000) / minBytesPerSecond
    return { done, value }
  }
  try {
    yield* { [Symbol.asyncIterator]: () => ({ next }) }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

/** The pieces, which can still be read after a loop over them is left. */
const unreturned = (pieces: AsyncGenerator<Uint8Array, void, void>): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({ next: () => pieces.next() })
})

/** How long the rest of an unwanted body may take, in milliseconds. */
const discardMillis = 10_000

/** The pieces of a body. If the body is rejected, the rest is discarded as it arrives, as `readBody` does. */
async function* limitedPieces(
  pieces: AsyncGenerator<Uint8Array, void, void>,
  limit: number
): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const piece of unreturned(pieces)) {
      size += piece.length
      if (size > limit) throw new BodyTooLarge({ limit })
      yield piece
    }
  } finally {
    const until = Date.now() + discardMillis
    let left = maxDiscarded
    for await (const piece of pieces) {
      left -= piece.length
      if (left < 0 || Date.now() > until) break
    }
  }
}

/** The largest body that is read in one piece. */
const maxPiece = 64 * 1024

const readPiece = async (
  request: Request,
  announced: number,
  { bodyMillis, minBytesPerSecond }: CallerLimits,
  hold: Hold
): Promise<Uint8Array> => {
  if ((await hold.take(announced)) === false) throw new BodiesBusy()
  const millis = bodyMillis + (announced * 1_000) / minBytesPerSecond
  return new Uint8Array(await inTime(request.arrayBuffer(), millis))
}

/**
 * The whole body. A body that is too large is read to its end before it is rejected, because a client that is still sending
 * would not see the reply.
 */
const readBody = async (
  pieces: AsyncGenerator<Uint8Array, void, void>,
  limit: number,
  hold: Hold
): Promise<Uint8Array> => {
  const bytes = new PiecedBytes()
  let size = 0
  let isBusy = false
  for await (const chunk of pieces) {
    size += chunk.length
    if (size > limit + maxDiscarded) break
    if (isBusy) continue
    if (size > limit) {
      bytes.clear()
      continue
    }
    const taken = hold.take(chunk.length)
    isBusy = taken !== true && !(await taken)
    if (isBusy) bytes.clear()
    else bytes.add(chunk)
  }
  if (size > limit) throw new BodyTooLarge({ limit })
  if (isBusy) throw new BodiesBusy()
  return bytes.whole()
}
