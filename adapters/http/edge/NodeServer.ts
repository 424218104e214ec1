/**
 * The app on `node:http`.
 *
 * @module
 */
import { Data, Effect, Stream } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { randomUUID } from "node:crypto"
import type { Duplex } from "node:stream"
import type { App } from "./router.ts"
import { BodyTooLarge, type HttpRequest, maxDiscarded, type Reply, RequestAborted } from "./HttpRequest.ts"

/** The address cannot be listened on. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{ readonly cause: unknown }> {}

/** How long requests in flight may take to finish when a server stops, in milliseconds. */
export const graceMillis = 8_000

/** How long a request may take to arrive, in milliseconds: a file to import is sent in one. */
const requestMillis = 3_600_000

/** How long the rest of an unwanted body may take, in milliseconds. */
const discardMillis = 10_000

/**
 * Serves an app until the scope closes; answers the port. Closing stops accepting, lets requests in flight finish for
 * at most 8 s, and then cuts what is left. A client that hangs up does not interrupt the work.
 */
export const serve = Effect.fnUntraced(function* (
  app: App,
  options: { readonly host: string; readonly port: number }
) {
  const context = yield* Effect.context()
  const run = Effect.runCallbackWith(context)
  const unanswered = new WeakMap<Duplex, number>()
  const refuse = refuseUnparsed(unanswered)
  const server = yield* Effect.acquireRelease(
    listen(
      createServer({ requestTimeout: requestMillis }, (request, response) => {
        const { socket } = request
        // What follows a request that was refused is not taken for one.
        if (!socket.writable) return
        if (namesHostTwice(request)) return refuse(new Error("two hosts"), socket)
        unanswered.set(socket, (unanswered.get(socket) ?? 0) + 1)
        response.once("close", () => unanswered.set(socket, unanswered.get(socket)! - 1))
        run(app(exchangeOf(request)), {
          onExit: (exit) => {
            if (exit._tag === "Success") send(request, response, exit.value)
            else response.destroy()
          }
        })
      }).on("clientError", refuse),
      options
    ),
    close
  )
  return (server.address() as AddressInfo).port
})

const listen = (server: Server, options: { readonly host: string; readonly port: number }) =>
  Effect.callback<Server, ListenFailed>((resume) => {
    const refused = (cause: Error) => resume(Effect.fail(new ListenFailed({ cause })))
    server.once("error", refused)
    server.listen(options.port, options.host, () => {
      server.off("error", refused)
      resume(Effect.succeed(server))
    })
  })

const close = (server: Server) =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMillis)
    server.close(() => {
      clearTimeout(timer)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

/** RFC 9112 3.2: a request that names its host twice is refused. The parser keeps the first and says nothing. */
const namesHostTwice = ({ headers, rawHeaders }: IncomingMessage): boolean =>
  headers.host?.includes(",") === true ||
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length > 1

const exchangeOf = (request: IncomingMessage): HttpRequest => ({
  method: request.method ?? "GET",
  url: request.url ?? "/",
  header: (name) => {
    const value = request.headers[name]
    return Array.isArray(value) ? (value[0] ?? null) : (value ?? null)
  },
  body: (limit) => readBody(request, limit),
  stream: (limit) =>
    Stream.fromAsyncIterable(piecesOf(request, limit), (error) =>
      error instanceof BodyTooLarge ? error : new RequestAborted()
    )
})

async function* piecesOf(request: IncomingMessage, limit: number): AsyncGenerator<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > limit) throw new BodyTooLarge({ limit })
  let size = 0
  // What is refused half-way is answered first: the rest is discarded after that.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > limit) throw new BodyTooLarge({ limit })
    yield piece
  }
}

const readBody = (request: IncomingMessage, limit: number) =>
  Effect.callback<Uint8Array, BodyTooLarge | RequestAborted>((resume) => {
    // A client that left before: nothing will be said of it any more.
    if (request.destroyed) return resume(Effect.fail(new RequestAborted()))
    if (Number(request.headers["content-length"] ?? 0) > limit) {
      return resume(Effect.fail(new BodyTooLarge({ limit })))
    }
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        chunks.length = 0
        resume(Effect.fail(new BodyTooLarge({ limit })))
      } else chunks.push(chunk)
    })
    request.on("end", () =>
      resume(Effect.succeed(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)))
    )
    request.on("error", () => resume(Effect.fail(new RequestAborted())))
    request.on("close", () => resume(Effect.fail(new RequestAborted())))
  })

const send = (request: IncomingMessage, response: ServerResponse, reply: Reply): void => {
  const body = typeof reply.body === "string" ? Buffer.from(reply.body) : reply.body
  const headers: Record<string, string | number> = { ...reply.headers }
  // RFC 9110 8.6: of a 304 it would be the length of what the client has.
  if (reply.status !== 304) headers["content-length"] = body?.length ?? 0
  response.writeHead(reply.status, headers)
  response.end(body ?? undefined)
  if (!request.complete) discard(request)
}

/**
 * Reads what is left of a body nobody wanted: a client that is still sending would not see the answer on a connection
 * that is cut.
 */
const discard = (request: IncomingMessage): void => {
  let left = maxDiscarded
  const cut = () => request.destroy()
  const timer = setTimeout(cut, discardMillis)
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) cut()
  })
  request.once("close", () => clearTimeout(timer))
  request.resume()
}

/** What is said of bytes that do not become a request, by the parser's code; 400 of all others. */
const unparsed: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The request's headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time."]
}

/** Answers what does not parse as HTTP. On a connection with an answer still to come it would be taken for that one. */
const refuseUnparsed =
  (unanswered: WeakMap<Duplex, number>) =>
  (error: Error & { readonly code?: string }, socket: Duplex): void => {
    if (!socket.writable || (unanswered.get(socket) ?? 0) > 0) return void socket.destroy()
    const [status, message] = unparsed[error.code ?? ""] ?? [
      "400 Bad Request",
      "This is not an HTTP request the server understands."
    ]
    const body = JSON.stringify({ statusCode: Number(status.slice(0, 3)), message, errors: {} })
    socket.end(
      `HTTP/1.1 ${status}\r\ncontent-type: application/problem+json; charset=utf-8\r\n` +
        `content-length: ${body.length}\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n` +
        `x-request-id: ${randomUUID()}\r\nconnection: close\r\n\r\n${body}`
    )
  }
