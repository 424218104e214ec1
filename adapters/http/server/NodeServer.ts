/**
 * Serves the app with Effect's handler on a `node:http` server, of Node or Bun. The server rejects bytes that are not a valid
 * HTTP request.
 *
 * @module
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Data, Effect, Latch, Scope, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, Server as NetServer } from "node:net"
import { randomUUID } from "node:crypto"
import type { Duplex } from "node:stream"
import { PiecedBytes } from "../../../core/shared/Bytes.ts"
import type { CallerLimits } from "../../../core/shared/CallerLimits.ts"
import type { IpRange } from "../../../core/shared/Network.ts"
import { makeFindOrigin } from "../edge/Origin.ts"
import { busyReply } from "../edge/reply.ts"
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
import { Connections, countParsedPieces, maxPiecesOfTurn, ReceivedRequest } from "./Connections.ts"
import { RequestCounts } from "./RequestCounts.ts"

/** The server cannot listen on the address. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{ readonly cause: unknown }> {}

/** How long requests in progress may take to finish when a server stops, in milliseconds. */
export const graceMillis = 8_000

/**
 * How long idle connections stay open in a process that stops while others continue, in milliseconds. A client may already
 * have sent a request, whose response then says that the connection closes.
 */
export const drainMillis = 1_000

/** How long the rest of an unwanted body may take, in milliseconds. */
const discardMillis = 10_000

const isBun = process.versions["bun"] !== undefined

/** Where a server listens, and which proxies it trusts. */
export interface ServeOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The reverse proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: ReadonlyArray<IpRange>
  readonly limits: CallerLimits
  /** Whether other processes of the machine serve the same port, and continue when this one stops. */
  readonly isOneOfMany?: boolean
}

/**
 * Serves an app until the scope closes. Returns the port. Closing stops accepting connections, lets requests in progress
 * finish for at most 8 s, and then closes their connections.
 */
export const serve = Effect.fnUntraced(function* (app: App, options: ServeOptions) {
  const { limits, trustedProxies } = options
  const findOrigin = yield* makeFindOrigin(trustedProxies)
  const shutdown = yield* Latch.make(false)
  // This scope stays open, so that closing the server does not interrupt requests.
  const handle = yield* Effect.provideContext(
    NodeHttpServer.makeHandler(app, { scope: yield* Scope.make() }),
    requestContext(
      nodeReader,
      {
        of: (request) => sourceOf(request).origin,
        setKnown: (request) => {
          sourceOf(request).isKnown = true
        }
      },
      limits.maxUnknownBytes,
      shutdown.await
    )
  )
  const counts = new RequestCounts(limits)
  const connections = new Connections({
    limits,
    trustedProxies,
    reject: (socket, reason) => reject(socket, closing[reason]),
    answer: (request, response) => {
      // The connections of a proxy carry requests of many networks.
      if (request.origin.trust === "Forwarded" && !counts.enter(request.origin)) {
        request.isRefused = true
        return replyBusy(response)
      }
      return handle(request, response)
    },
    ended: (request) => {
      if (request.origin.trust === "Forwarded" && !request.isRefused) counts.leave(request.origin)
      if (!request.complete && !request.destroyed) discardRest(request)
    }
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => connections.stop()))
  const rejectUnparsed = (error: Error & { readonly code?: string }, socket: Duplex) => {
    if (connections.isBusy(socket)) socket.destroy()
    else reject(socket, unparsed[error.code ?? ""] ?? notHttp)
  }
  let isStopping = false
  const take = (request: ReceivedRequest, response: ServerResponse<ReceivedRequest>) => {
    const { socket } = request
    if (isStopping) response.shouldKeepAlive = false
    // Bytes after a rejected request are not another request.
    if (!socket.writable) return
    if (namesHostTwice(request)) return rejectUnparsed(new Error("two hosts"), socket)
    // The address of a socket is no longer available after it is closed.
    request.origin = findOrigin(socket.remoteAddress ?? "", headerOf(request.headers["x-forwarded-for"]))
    connections.take(request, response)
  }
  const server = createServer(
    {
      IncomingMessage: ReceivedRequest,
      headersTimeout: limits.headersMillis,
      keepAliveTimeout: limits.idleMillis,
      // `Connections` limits the time of a body by its rate.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(1_000, limits.headersMillis / 4)
    },
    take
  )
  server
    .on("connection", (socket) => connections.open(socket))
    .on("clientError", rejectUnparsed)
    .on("checkContinue", (request, response) => {
      const { shouldKeepAlive } = response
      // A rejected client may or may not send its body. Bytes that follow are not another request.
      response.shouldKeepAlive = false
      request.askForBody = () => {
        request.askForBody = () => undefined
        response.shouldKeepAlive = shouldKeepAlive
        response.writeContinue()
      }
      take(request, response)
    })
  yield* Effect.acquireRelease(listen(server, options), (running) => {
    isStopping = true
    return close(running, options.isOneOfMany === true ? drainMillis : 0)
  })
  yield* Effect.addFinalizer(() => shutdown.open)
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

const close = (server: Server, idleMillis: number) =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMillis)
    const ended = () => {
      clearTimeout(timer)
      resume(Effect.void)
    }
    // On Bun, a server that stops listening closes idle connections at once.
    if (isBun) return void setTimeout(() => server.close(ended), idleMillis)
    // The method `close` of `node:http` closes idle connections at once.
    NetServer.prototype.close.call(server, ended)
    if (idleMillis === 0) server.closeIdleConnections()
    else setTimeout(() => server.closeIdleConnections(), idleMillis)
  })

/** RFC 9112 3.2: a request with more than one Host field is rejected. The parser keeps the first without an error. */
const namesHostTwice = ({ headers, rawHeaders }: IncomingMessage): boolean =>
  headers.host?.includes(",") === true ||
  rawHeaders.filter((name, index) => name.length === 4 && index % 2 === 0 && name.toLowerCase() === "host")
    .length > 1

/** The value of a header. Node joins several fields of a name by commas. */
const headerOf = (value: string | ReadonlyArray<string> | undefined): string | null =>
  value === undefined ? null : String(value)

const sourceOf = ({ source }: HttpServerRequest.HttpServerRequest) => source as ReceivedRequest

const nodeReader = BodyReader.of({
  read: (request, limit, hold) => readBody(sourceOf(request), limit, hold),
  stream: (request, limit) =>
    Stream.fromAsyncIterable(piecesOf(sourceOf(request), limit), (error) =>
      error instanceof BodyTooLarge ? error : new RequestAborted()
    )
})

async function* piecesOf(request: ReceivedRequest, limit: number): AsyncGenerator<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > limit) throw new BodyTooLarge({ limit })
  request.askForBody()
  let size = 0
  // If a body is rejected before its end, the rest is discarded after the reply.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > limit) throw new BodyTooLarge({ limit })
    yield piece
  }
}

const readBody = (request: ReceivedRequest, limit: number, hold: Hold) =>
  Effect.callback<Uint8Array, BodyTooLarge | RequestAborted | BodiesBusy>((resume) => {
    // The client has already disconnected, so no event will follow.
    if (request.destroyed) return resume(Effect.fail(new RequestAborted()))
    if (Number(request.headers["content-length"] ?? 0) > limit) {
      return resume(Effect.fail(new BodyTooLarge({ limit })))
    }
    request.askForBody()
    const bytes = new PiecedBytes()
    let parsedBefore = countParsedPieces()
    let isRefused = false
    let isComplete = false
    const refuse = (error: BodyTooLarge | BodiesBusy): void => {
      isRefused = true
      bytes.clear()
      resume(Effect.fail(error))
      request.resume()
    }
    request.on("data", (chunk: Buffer) => {
      if (isRefused) return
      if (bytes.size + chunk.length > limit) return refuse(new BodyTooLarge({ limit }))
      bytes.add(chunk)
      const taken = hold.take(chunk.length)
      if (taken === true) {
        // Bun keeps reading if a client sends small chunks. Other requests are answered in between.
        const isMuch = isBun && countParsedPieces() - parsedBefore > maxPiecesOfTurn
        if (!isMuch) return
        parsedBefore = countParsedPieces()
        request.pause()
        return void setImmediate(() => request.resume())
      }
      // The client waits, because its connection is not read.
      request.pause()
      void taken.then((isTaken) => (isTaken ? request.resume() : refuse(new BodiesBusy())))
    })
    request.on("end", () => {
      isComplete = true
      resume(Effect.succeed(bytes.whole()))
    })
    request.on("error", () => resume(Effect.fail(new RequestAborted())))
    // `close` follows each request. Creating an error costs more than the rest of this function.
    request.on("close", () => {
      if (!isComplete) resume(Effect.fail(new RequestAborted()))
    })
  })

/**
 * Reads and discards the rest of an unwanted body. A client that is still sending would not see the reply if its connection
 * were closed.
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

/** A reply that the server itself sends: the status line, the message, and further header fields. */
type OwnReply = readonly [status: string, message: string, fields?: string]

const notHttp: OwnReply = ["400 Bad Request", "This is not an HTTP request the server understands."]
const tooSlow: OwnReply = ["408 Request Timeout", "The request did not arrive in time."]

/** Replies to bytes that are not a request, by the parser's error code; `notHttp` for all others. */
const unparsed: Readonly<Record<string, OwnReply>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The request's headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow
}

/** Replies before a connection is closed. */
const closing: Readonly<Record<"Busy" | "Slow", OwnReply>> = {
  Busy: ["503 Service Unavailable", "Too many connections.", "retry-after: 1\r\n"],
  Slow: tooSlow
}

/** How long a rejected connection stays open so that its client can read the reason, in milliseconds. */
const lingerMillis = 500

/** Writes a reply directly to the socket, and closes the connection. */
const reject = (socket: Duplex, [status, message, fields = ""]: OwnReply): void => {
  if (!socket.writable) return void socket.destroy()
  const body = JSON.stringify({ statusCode: Number(status.slice(0, 3)), message, errors: {} })
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/problem+json; charset=utf-8\r\n` +
      `content-length: ${body.length}\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n` +
      `x-request-id: ${randomUUID()}\r\n${fields}connection: close\r\n\r\n${body}`
  )
  const timer = setTimeout(() => socket.destroy(), lingerMillis)
  socket.once("close", () => clearTimeout(timer))
}

/** Replies to a request of a network that has too many in progress. */
const replyBusy = (response: ServerResponse): void => {
  const { body, headers, status } = busyReply()
  response.writeHead(status, headers).end(body)
}
