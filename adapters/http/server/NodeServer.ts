/**
 * Serves the app with Effect's handler on a `node:http` server, which rejects what is no valid HTTP request.
 *
 * @module
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Data, Effect, Scope, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { randomUUID } from "node:crypto"
import type { Duplex } from "node:stream"
import type { CallerLimits } from "../../../core/shared/CallerLimits.ts"
import type { IpRange } from "../../../core/shared/Network.ts"
import { makeFindOrigin, type Origins } from "../edge/Origin.ts"
import type { App } from "../edge/router.ts"
import {
  BodiesBusy,
  BodyReader,
  BodyTooLarge,
  maxDiscarded,
  RequestAborted,
  requestContext
} from "../edge/BodyReader.ts"
import type { Hold } from "../edge/BytesInFlight.ts"

/** The address cannot be listened on. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{ readonly cause: unknown }> {}

/** How long requests in flight may take to finish when a server stops, in milliseconds. */
export const graceMillis = 8_000

/** How long a request may take to arrive, in milliseconds; an import uploads a file in one request. */
const requestMillis = 3_600_000

/** How long the rest of an unwanted body may take, in milliseconds. */
const discardMillis = 10_000

/** Where a server listens, and which proxies it trusts. */
export interface ServeOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The reverse proxies whose X-Forwarded-For counts. */
  readonly trustedProxies: ReadonlyArray<IpRange>
  readonly limits: CallerLimits
}

/**
 * Serves an app until the scope closes; returns the port. Closing stops accepting, lets requests in flight finish for
 * at most 8 s, and then closes their connections.
 */
export const serve = Effect.fnUntraced(function* (app: App, options: ServeOptions) {
  const findOrigin = yield* makeFindOrigin(options.trustedProxies)
  const origins = new WeakMap<IncomingMessage, ReturnType<Origins["Service"]["of"]>>()
  // It stays open: a request is not interrupted when the server closes.
  const handle = yield* Effect.provideContext(
    NodeHttpServer.makeHandler(app, { scope: yield* Scope.make() }),
    requestContext(nodeReader, (request) => origins.get(sourceOf(request))!, options.limits.maxUnknownBytes)
  )
  const unanswered = new WeakMap<Duplex, number>()
  const reject = rejectUnparsed(unanswered)
  const server = yield* Effect.acquireRelease(
    listen(
      createServer({ requestTimeout: requestMillis }, (request, response) => {
        const { socket } = request
        // Bytes that follow a rejected request are not another request.
        if (!socket.writable) return
        if (namesHostTwice(request)) return reject(new Error("two hosts"), socket)
        // The address of a socket is gone once it is closed.
        origins.set(
          request,
          findOrigin(socket.remoteAddress ?? "", headerOf(request.headers["x-forwarded-for"]))
        )
        unanswered.set(socket, (unanswered.get(socket) ?? 0) + 1)
        response.once("close", () => {
          unanswered.set(socket, unanswered.get(socket)! - 1)
          if (!request.complete && !request.destroyed) discardRest(request)
        })
        handle(request, response)
      }).on("clientError", reject),
      options
    ),
    close
  )
  return (server.address() as AddressInfo).port
})

const listen = (server: Server, options: { readonly host: string; readonly port: number }) =>
  Effect.callback<Server, ListenFailed>((resume) => {
    const failed = (cause: Error) => resume(Effect.fail(new ListenFailed({ cause })))
    server.once("error", failed)
    server.listen(options.port, options.host, () => {
      server.off("error", failed)
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

/** RFC 9112 3.2: a request that names its host twice is rejected. The parser keeps the first without an error. */
const namesHostTwice = ({ headers, rawHeaders }: IncomingMessage): boolean =>
  headers.host?.includes(",") === true ||
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length > 1

/** Node joins the fields of a name by commas. */
const headerOf = (value: string | ReadonlyArray<string> | undefined): string | null =>
  value === undefined ? null : String(value)

const sourceOf = ({ source }: HttpServerRequest.HttpServerRequest) => source as IncomingMessage

const nodeReader = BodyReader.of({
  read: (request, limit, hold) => readBody(sourceOf(request), limit, hold),
  stream: (request, limit) =>
    Stream.fromAsyncIterable(piecesOf(sourceOf(request), limit), (error) =>
      error instanceof BodyTooLarge ? error : new RequestAborted()
    )
})

async function* piecesOf(request: IncomingMessage, limit: number): AsyncGenerator<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > limit) throw new BodyTooLarge({ limit })
  let size = 0
  // A body rejected halfway is discarded after the reply.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > limit) throw new BodyTooLarge({ limit })
    yield piece
  }
}

const readBody = (request: IncomingMessage, limit: number, hold: Hold) =>
  Effect.callback<Uint8Array, BodyTooLarge | RequestAborted | BodiesBusy>((resume) => {
    // The client disconnected before: no event will follow.
    if (request.destroyed) return resume(Effect.fail(new RequestAborted()))
    if (Number(request.headers["content-length"] ?? 0) > limit) {
      return resume(Effect.fail(new BodyTooLarge({ limit })))
    }
    const chunks: Array<Buffer> = []
    let size = 0
    let isRefused = false
    const refuse = (error: BodyTooLarge | BodiesBusy): void => {
      isRefused = true
      chunks.length = 0
      resume(Effect.fail(error))
      request.resume()
    }
    request.on("data", (chunk: Buffer) => {
      if (isRefused) return
      size += chunk.length
      if (size > limit) return refuse(new BodyTooLarge({ limit }))
      chunks.push(chunk)
      const taken = hold.take(chunk.length)
      if (taken === true) return
      // The client waits, since its connection is not read.
      request.pause()
      void taken.then((isTaken) => (isTaken ? request.resume() : refuse(new BodiesBusy())))
    })
    request.on("end", () =>
      resume(Effect.succeed(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)))
    )
    request.on("error", () => resume(Effect.fail(new RequestAborted())))
    request.on("close", () => resume(Effect.fail(new RequestAborted())))
  })

/**
 * Reads and discards the rest of a body that was not needed: a client that is still sending would not see the reply on
 * a connection that is closed.
 */
const discardRest = (request: IncomingMessage): void => {
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

/** Replies to bytes that are no request, by the parser's code; 400 for all others. */
const unparsed: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The request's headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time."]
}

/** Replies to what does not parse as HTTP, unless an earlier request of the connection still awaits its reply. */
const rejectUnparsed =
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
