/**
 * The app as a web handler: `Request` in, `Response` out. Serves Bun and the embedded harness.
 *
 * @module
 */
import { type Context, Effect, Stream } from "effect"
import type { App } from "./router.ts"
import { BodyTooLarge, type HttpRequest, maxDiscarded, type Reply, RequestAborted } from "./HttpRequest.ts"
import { shapeRefused } from "./reply.ts"

/**
 * Makes a web handler of an app. A client that hangs up does not interrupt the work: what is being committed is
 * committed.
 */
export const toWebHandler = (app: App, context: Context.Context<never>) => {
  const run = Effect.runPromiseWith(context)
  return async (request: Request): Promise<Response> => {
    if (namesHostTwice(request)) return refuse()
    const { body, headers, status } = await run(app(exchangeOf(request)))
    if (request.method !== "HEAD" || status === 304) return new Response(body as never, { status, headers })
    // RFC 9110 9.3.2: the headers that GET would have.
    return new Response(null, { status, headers: { ...headers, "content-length": String(lengthOf(body)) } })
  }
}

/** RFC 9112 3.2: a request that names its host twice is refused. Two come as a list, and no host has a comma. */
const namesHostTwice = (request: Request): boolean => request.headers.get("host")?.includes(",") === true

/** What is said of it, before the connection is closed: what follows is not taken for a request. */
const refuse = (): Response => {
  const { body, headers, status } = shapeRefused("This is not an HTTP request the server understands.", {})
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

const lengthOf = (body: Reply["body"]): number =>
  typeof body === "string" ? Buffer.byteLength(body) : (body?.length ?? 0)

const exchangeOf = (request: Request): HttpRequest => ({
  method: request.method,
  url: pathOf(request.url),
  header: (name) => request.headers.get(name),
  body: (limit) =>
    Effect.tryPromise({
      try: () => readBody(request, limit),
      catch: (error) => (error instanceof BodyTooLarge ? error : new RequestAborted())
    }),
  stream: (limit) =>
    Stream.fromAsyncIterable(piecesOf(request, limit), (error) =>
      error instanceof BodyTooLarge ? error : new RequestAborted()
    )
})

/** A body piece by piece. What is left of one that is refused half-way is let go as it comes, as `readBody` does. */
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

/** Path and query of a URL. */
const pathOf = (url: string): string => {
  const start = url.indexOf("/", url.indexOf("//") + 2)
  return start === -1 ? "/" : url.slice(start)
}

/**
 * A body that is too large is read to its end, and let go as it comes, before it is refused: a client that is still
 * sending would not see the answer.
 */
const readBody = async (request: Request, limit: number): Promise<Uint8Array> => {
  const announced = request.headers.get("content-length")
  if (announced !== null && Number(announced) <= limit) return new Uint8Array(await request.arrayBuffer())
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size <= limit) chunks.push(chunk)
    else chunks.length = 0
    if (size > limit + maxDiscarded) break
  }
  if (size > limit) throw new BodyTooLarge({ limit })
  return Buffer.concat(chunks, size)
}
