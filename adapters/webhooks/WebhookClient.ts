/**
 * Implements the WebhookClient port with `node:http` and `node:https`, which Node and Bun both have.
 *
 * Connections are made to addresses that were looked up and checked here. This look-up replaces that of the agent, so that a
 * second look-up cannot return another address. A connection that is kept open keeps its address.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import type { LookupFunction, Socket } from "node:net"
import { Dns } from "../../core/ports/Dns.ts"
import { WebhookClient, type WebhookRequest } from "../../core/ports/WebhookClient.ts"
import type { AttemptAnswer } from "../../core/model/Webhook.ts"
import { addressOfHost } from "./Addresses.ts"
import { accepts, type LookUp, LookupRejected, makeLookUp } from "./Guard.ts"
import { Pools } from "./Pools.ts"

/** The configuration of the client. */
export interface Options {
  /** Whether http and addresses that are not public are permitted too. For development and tests only. */
  readonly allowPrivate: boolean
  /** Certificates that are trusted instead of the platform's, in PEM. */
  readonly ca?: string
  /** The time limit from connecting to the status line, in milliseconds; by default 10 seconds. */
  readonly answerMillis?: number
}

/** The default of `answerMillis`, in milliseconds. */
export const defaultAnswerMillis = 10_000
/** The time limit for the body of a response, in milliseconds. */
const bodyMillis = 1_000
/** How often a request is repeated if its kept connection was lost within `lostMillis` milliseconds. */
const maxRepeats = 3
const lostMillis = 1_000
const maxRead = 16 * 1024
const maxKept = 1024
/** The maximum bytes of a connection for one request: interim responses, the head, the body that is read, and what follows. */
const maxReceived = 128 * 1024
const userAgent = "svc-webhooks/1"

/** The error code of a request that failed before its response. */
const errorCodeOf = (error: unknown): string => {
  if (error instanceof LookupRejected) return error.reason
  const code =
    error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown"
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|VERIFY/i.test(code)) return `tls_${code.toLowerCase()}`
  switch (code) {
    case "ECONNREFUSED":
      return "connection_refused"
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return "connection_lost"
    case "ETIMEDOUT":
      return "timeout"
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return "unreachable"
    default:
      return `failed_${code.toLowerCase()}`
  }
}

/** Reads the body of a response to its end, its size limit or its time limit, and passes on the beginning. */
const readBody = (response: IncomingMessage, done: (body: string | null) => void): void => {
  const chunks: Array<Buffer> = []
  let size = 0
  const read = (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    // Small pieces are limited by number, because a piece of one byte costs as much as a long one.
    if (size > maxRead || chunks.length >= maxKept) finish()
  }
  const finish = () => {
    clearTimeout(timer)
    // Pieces that were already parsed may still arrive.
    response.off("data", read)
    if (!response.complete) response.destroy()
    const text = new TextDecoder()
      .decode(Buffer.concat(chunks).subarray(0, maxKept))
      .replaceAll("\0", "\ufffd")
    done(text === "" ? null : text)
  }
  const timer = setTimeout(finish, bodyMillis)
  response.on("data", read)
  response.once("end", finish)
  response.once("error", finish)
  response.once("aborted", finish)
}

const statusLine = /^HTTP\/1\.[01] (\d{3})(?: [^\r\n]*)?\r?\n/
const headEnd = /\r?\n\r?\n/

/** The status of the first status line that does not belong to an interim response; null if there is none. */
const statusOf = (received: string): number | null => {
  let rest = received
  for (;;) {
    const status = statusLine.exec(rest)?.[1]
    if (status === undefined) return null
    if (!status.startsWith("1") || status === "101") return Number(status)
    const end = headEnd.exec(rest)
    if (end === null) return null
    rest = rest.slice(end.index + end[0].length)
  }
}

/** Records what a connection receives for one request. The platform's parser drops a head that it cannot read. */
class Received {
  size = 0
  #isHead = true
  readonly #chunks: Array<Buffer> = []

  add(chunk: Buffer): void {
    this.size += chunk.length
    if (this.#isHead) this.#chunks.push(chunk)
  }

  /** Called when the head was read. Nothing is kept from then on. */
  endHead(): void {
    this.#isHead = false
    this.#chunks.length = 0
  }

  /** The status line's status, or null. */
  status(): number | null {
    return statusOf(Buffer.concat(this.#chunks).toString("latin1"))
  }
}

/** What each connection receives for its current request; null between two requests. */
const receivedBy = new WeakMap<Socket, Received | null>()

/**
 * Records what a connection receives from now on as belonging to a request. The connection is closed if it receives more than a
 * response may have, because the platform's parser reads any number of interim responses. It is also closed if it receives
 * anything between two requests, which the parser would take for the next response.
 */
const receive = (socket: Socket, received: Received): void => {
  const isNew = !receivedBy.has(socket)
  receivedBy.set(socket, received)
  if (!isNew) return
  // Registered before the parser's listener, which fails the request within the same event.
  socket.prependListener("data", (chunk: Buffer) => {
    const current = receivedBy.get(socket) ?? null
    current?.add(chunk)
    if (current === null || current.size > maxReceived) socket.destroy()
  })
}

/** The result of a response with a status. */
const answered = (httpStatus: number, answer: string | null, durationMs: number): AttemptAnswer => ({
  httpStatus,
  error: httpStatus >= 300 && httpStatus < 400 ? "redirect" : null,
  answer,
  durationMs
})

/** The result of one request on one connection. */
interface Sent {
  readonly answer: AttemptAnswer
  /** Whether it used a kept connection that was lost at once, or on which something other than a response arrived. */
  readonly isConnectionStale: boolean
}

/** One request on one connection. */
class PostRequest {
  readonly #answerMillis: number
  readonly #onEnd: (sent: Sent) => void
  #startedAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false
  #hasResponse = false
  #request: ClientRequest | null = null
  readonly #received = new Received()

  /** @param onEnd called once, unless the request is cancelled */
  constructor(answerMillis: number, onEnd: (sent: Sent) => void) {
    this.#answerMillis = answerMillis
    this.#onEnd = onEnd
  }

  /** Sends the request. */
  start(request: WebhookRequest, url: URL, { agent, lookUp }: { agent: Agent; lookUp: LookUp }): void {
    this.#startTimer()
    const secure = url.protocol === "https:"
    const body = Buffer.from(request.body as string)
    const make = secure ? httpsRequest : httpRequest
    this.#request = make({
      method: "POST",
      protocol: url.protocol,
      hostname: addressOfHost(url.hostname) ?? url.hostname.replace(/\.$/, ""),
      port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      headers: {
        ...request.headers,
        host: url.host,
        "user-agent": userAgent,
        "content-length": body.length
      },
      agent,
      lookup: this.#lookup(lookUp)
    })
    this.#request.once("socket", (socket) => receive(socket, this.#received))
    this.#request.once("response", (response) => this.#receive(response))
    this.#request.on("error", (error) => {
      // The status line has decided the result. What follows has no effect: a body of a 204, extra bytes, an incomplete body.
      if (this.#hasResponse) return
      const code = errorCodeOf(error)
      const isStale =
        code.startsWith("failed_hpe_") || (code === "connection_lost" && this.#elapsed() < lostMillis)
      this.#fail(code, isStale && this.#request?.reusedSocket === true)
    })
    this.#request.end(body)
  }

  /** Ends the request with an error, or with the status if the head was not read to its end. */
  #fail(error: string, isConnectionStale = false): void {
    const httpStatus = this.#received.status()
    if (httpStatus === null)
      this.#end({ httpStatus, error, answer: null, durationMs: this.#elapsed() }, isConnectionStale)
    else this.#end(answered(httpStatus, null, this.#elapsed()))
  }

  /** Cancels the request. */
  cancel(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
    this.#request?.destroy()
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#startedAt)
  }

  /** Starts the time limit for the status line. */
  #startTimer(): void {
    clearTimeout(this.#timer)
    this.#startedAt = performance.now()
    this.#timer = setTimeout(() => {
      this.#fail("timeout")
      this.#request?.destroy()
    }, this.#answerMillis)
  }

  /**
   * The agent's look-up, which runs only for new connections to a name. It has its own time limit, and its duration does not
   * count as time of the receiver.
   */
  #lookup(lookUp: LookUp): LookupFunction {
    return (name, { all }, callback) => {
      clearTimeout(this.#timer)
      lookUp(name).then(
        (found) => {
          this.#startTimer()
          const addresses = found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
          if (all === true) callback(null, addresses)
          else callback(null, addresses[0]!.address, addresses[0]!.family)
        },
        (error: Error) => {
          this.#startTimer()
          callback(error, "", 4)
          this.#fail(errorCodeOf(error))
        }
      )
    }
  }

  #receive(response: IncomingMessage): void {
    this.#hasResponse = true
    clearTimeout(this.#timer)
    this.#received.endHead()
    const durationMs = this.#elapsed()
    const { socket, statusCode = 0 } = response
    readBody(response, (answer) => {
      if (response.complete) receivedBy.set(socket, null)
      // The connection returns to its pool before the next iteration of the event loop, so that the next request finds it.
      setImmediate(() => this.#end(answered(statusCode, answer, durationMs)))
    })
  }

  #end(answer: AttemptAnswer, isConnectionStale = false): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#timer)
    this.#onEnd({ answer, isConnectionStale })
  }
}

/** The client, over the Dns port. */
export const layer = (options: Options): Layer.Layer<WebhookClient, never, Dns> =>
  Effect.gen(function* () {
    const { allowPrivate, answerMillis = defaultAnswerMillis } = options
    const dns = yield* Dns
    const pools = yield* Effect.acquireRelease(
      Effect.sync(() => new Pools(options.ca)),
      (opened) => Effect.sync(() => opened.close())
    )

    const lookUp = makeLookUp(dns, allowPrivate)

    const send = (request: WebhookRequest, url: URL) =>
      Effect.callback<Sent>((resume) => {
        const { agent, leave } = pools.enter(request.pool, url.protocol === "https:")
        const post = new PostRequest(answerMillis, (sent) => {
          leave()
          resume(Effect.succeed(sent))
        })
        post.start(request, url, { agent, lookUp })
        return Effect.sync(() => {
          post.cancel()
          leave()
        })
      })

    return WebhookClient.of({
      accepts: (url) => accepts(allowPrivate, url),
      post: Effect.fnUntraced(function* (request) {
        // Checked again, because the service may have been restarted with other rules since the webhook was created.
        if (!accepts(allowPrivate, request.url))
          return { httpStatus: null, error: "address_refused", durationMs: 0, answer: null }
        const url = new URL(request.url)
        let sent = yield* send(request, url)
        // The receiver closed a kept connection just as it was used, most likely before it read the request, or the connection
        // still held bytes after the previous response. Other kept connections may be in the same state, so the request is
        // repeated several times.
        for (let repeats = 0; sent.isConnectionStale && repeats < maxRepeats; repeats++) {
          sent = yield* send(request, url)
        }
        return sent.answer
      })
    })
  }).pipe(Layer.effect(WebhookClient))
