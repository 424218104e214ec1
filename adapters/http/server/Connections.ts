/**
 * The connections of a server: their number, how slow their clients may be, and which are closed to make room for others.
 * A connection has one request in progress. Pipelined requests wait until the client has received the response before.
 *
 * @module
 */
import { IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { PiecedBytes } from "../../../core/shared/Bytes.ts"
import type { CallerLimits } from "../../../core/shared/CallerLimits.ts"
import { isTrusted, type IpRange, networkOf, type Origin } from "../../../core/shared/Network.ts"

/** A request with its origin and state. Properties burden the garbage collector less than a map of requests. */
export class ReceivedRequest extends IncomingMessage {
  origin: Origin = noOrigin
  /** Whether the caller was authenticated. */
  isKnown = false
  /** Whether the network of the request has too many requests in progress. */
  isRefused = false
  /** How much of the body has arrived, in bytes. */
  receivedBytes = 0
  /** Asks the client for the body that it announced (RFC 9110, 10.1.1). Called when the service is about to read it. */
  askForBody = (): void => undefined
  /** Whether its connection holds bytes that are not parsed yet. */
  isHeld = (): boolean => false

  override _read(size: number): void {
    super._read(size)
    // Otherwise Node would continue to read the socket, although bytes before it wait to be parsed.
    if (this.isHeld()) this.socket.pause()
  }

  /** Small chunks that have not been passed on yet. */
  #small: PiecedBytes | null = null

  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#passOn()
      return super.push(null)
    }
    this.receivedBytes += chunk.length
    parsedPieces++
    if (this.headers["transfer-encoding"] === undefined || chunk.length >= passedOnSize) {
      this.#passOn()
      return super.push(chunk)
    }
    if (this.#small === null) {
      this.#small = new PiecedBytes()
      setImmediate(() => this.#passOn())
    }
    this.#small.add(chunk)
    return this.#small.size < passedOnSize || this.#passOn()
  }

  /** Passes small chunks on together, because each costs its reader as much as a large one. */
  #passOn(): boolean {
    const small = this.#small
    this.#small = null
    return small === null || this.destroyed || super.push(small.whole())
  }
}

/** The size, in bytes, up to which small chunks are collected. */
const passedOnSize = 8 * 1024

let parsedPieces = 0

/** How many pieces of bodies were parsed since the process started. A chunk is one piece, whatever its size. */
export const countParsedPieces = (): number => parsedPieces

const noOrigin: Origin = { address: "", network: "", trust: "None" }

/** A request with its response. */
interface HttpCall {
  readonly request: ReceivedRequest
  readonly response: ServerResponse
}

/** A call in progress. */
interface Running extends HttpCall {
  readonly since: number
  /** A lower bound for the bytes of the body that have not arrived; negative if the body's length is not known. */
  bodyLeft: number
  /** How long the service itself has not read the body, in milliseconds. */
  waitedMillis: number
  /** Since when part of the response has not been received; null until that is noticed. */
  unread: { readonly since: number; readonly takenBefore: number } | null
}

interface Network {
  readonly name: string
  readonly connections: Set<Connection>
  /** The number of waiting requests of its connections. */
  waiting: number
}

interface Connection {
  readonly socket: Socket
  readonly network: Network
  readonly isProxy: boolean
  running: Running | null
  /** Requests that were parsed together with the one in progress. */
  readonly waiting: Array<HttpCall>
  /** Bytes that arrived and are not parsed, because earlier requests are not answered yet. */
  held: Buffer | null
  /** Parses the held bytes and continues reading; null if the runtime parses all of a packet at once (Bun). */
  resume: (() => void) | null
  /** Whether the bytes parsed last had many pieces of a body. If so, the connection waits when others had many too. */
  sendsSmall: boolean
  /** Whether a request was answered in this iteration of the event loop. The next request waits for another iteration. */
  rests: boolean
  /** When the connection was opened, or its last response was received by the client. */
  idleSince: number
}

/** The options and callbacks of a server's connections. */
export interface ConnectionsOptions {
  readonly limits: CallerLimits
  readonly trustedProxies: ReadonlyArray<IpRange>
  /** Processes a request. */
  readonly answer: (request: ReceivedRequest, response: ServerResponse) => void
  /** Called when the client has received the response to a request, or the connection has ended. */
  readonly ended: (request: ReceivedRequest) => void
  /** Sends an error to a client that no other reply is being sent to, and closes its connection. */
  readonly reject: (socket: Socket, reason: "Busy" | "Slow") => void
}

/**
 * How many bytes are parsed at a time, if they may be several requests, or belong to a body of unknown length. Requests
 * that are parsed cannot wait at less than 2.4 KB each.
 */
const maxHead = 1024
const maxChunkedPiece = 2 * 1024

/**
 * How many pieces of bodies are parsed in one iteration of the event loop, for all connections together. Each takes about
 * a microsecond, and a packet may contain ten thousand.
 */
export const maxPiecesOfTurn = 2_000

/** If the bytes parsed at a time contain more pieces than this, the pieces are small. */
const manyPieces = 16

/**
 * The maximum number of waiting requests: per connection, per network and in total. A connection that exceeds them is
 * closed; its client repeats the requests that were not answered (RFC 9112, 9.3.2).
 */
export const maxWaitingOfConnection = 500
export const maxWaitingOfNetwork = 2_000
const maxWaiting = 10_000

/** The maximum number of response bytes that clients have not received, per network and in total. */
const maxUnreadOfNetwork = 32 * 1024 * 1024
const maxUnread = 128 * 1024 * 1024

/**
 * How long an idle connection is kept for its client's pool although the network has too many, in milliseconds. A busy
 * client is about to use it, and would see its request fail.
 */
const pooledMillis = 1_000

/** More than the connections of any network. */
const rankStep = 10_000_000

/** How often connections are checked, in milliseconds; more often if limits are shorter. */
const lookMillis = 1_000

/** The number of bytes to parse next. */
const pieceSize = (running: Running | null): number => {
  if (running === null) return maxHead
  const isChunked = running.request.headers["transfer-encoding"] !== undefined
  return isChunked ? maxChunkedPiece : Math.max(maxHead, running.bodyLeft)
}

/** How much of a response its client has not received, in bytes. */
const unreadOf = ({ running }: Connection): number => running?.response.writableLength ?? 0

/** Keeps connections within their limits. */
export class Connections {
  readonly #options: ConnectionsOptions
  readonly #networks = new Map<string, Network>()
  readonly #bySocket = new Map<Duplex, Connection>()
  readonly #timer: NodeJS.Timeout
  #waiting = 0
  /** How many pieces of bodies were parsed in this iteration of the event loop, and the connections that wait for the next. */
  #piecesOfTurn = 0
  #parsedLater: Array<Connection> = []
  #lookedAt = Date.now()

  constructor(options: ConnectionsOptions) {
    this.#options = options
    const { bodyMillis, idleMillis, unreadMillis } = options.limits
    const shortest = Math.min(bodyMillis, idleMillis, unreadMillis)
    this.#timer = setInterval(() => this.#look(), Math.min(lookMillis, shortest / 4)).unref()
  }

  /** Stops checking connections. Their state does not change. */
  stop(): void {
    clearInterval(this.#timer)
  }

  /** Admits a connection. At the limit it closes one that waits for its client, or else rejects the new one. */
  open(socket: Socket): void {
    const { limits, reject, trustedProxies } = this.#options
    const address = socket.remoteAddress
    // The connection was closed before it was accepted.
    if (address === undefined) return void socket.destroy()
    const name = networkOf(address)
    const isProxy = isTrusted(address, trustedProxies)
    const network = this.#networks.get(name) ?? { name, connections: new Set(), waiting: 0 }
    const { connections } = network
    if (
      !isProxy &&
      connections.size >= limits.maxConnectionsPerNetwork &&
      !this.#evict(connections, pooledMillis)
    ) {
      return reject(socket, "Busy")
    }
    if (this.#bySocket.size >= limits.maxConnections && !this.#evict(this.#bySocket.values(), 0)) {
      return reject(socket, "Busy")
    }
    const connection: Connection = {
      socket,
      network,
      isProxy,
      running: null,
      waiting: [],
      held: null,
      resume: null,
      sendsSmall: false,
      rests: false,
      idleSince: Date.now()
    }
    this.#bySocket.set(socket, connection)
    connections.add(connection)
    this.#networks.set(name, network)
    socket.once("close", () => this.#remove(connection))
    this.#parseInPieces(connection)
  }

  /**
   * Passes bytes from the socket to Node's parser in pieces, because the parser would parse all requests of a packet at
   * once. Bun's parser does not read from the socket; there, parsed requests wait.
   */
  #parseInPieces(connection: Connection): void {
    const { socket } = connection
    const [parse] = socket.listeners("data") as unknown as ReadonlyArray<(data: Buffer) => void>
    if (parse === undefined) return
    const feed = (data: Buffer): void => {
      let at = 0
      // Bytes after the connection's last reply are not another request.
      while (at < data.length && socket.writable) {
        const { running, waiting } = connection
        const isTooMuch = connection.sendsSmall && this.#piecesOfTurn >= maxPiecesOfTurn
        if (isTooMuch) this.#parsedLater.push(connection)
        if (isTooMuch || waiting.length > 0 || running?.request.complete === true) {
          connection.held = data.subarray(at)
          socket.pause()
          return
        }
        const size = pieceSize(running)
        const before = parsedPieces
        parse(at === 0 && size >= data.length ? data : data.subarray(at, at + size))
        const pieces = parsedPieces - before
        connection.sendsSmall = pieces > manyPieces
        this.#count(pieces)
        if (connection.running !== null) connection.running.bodyLeft -= size
        at += size
      }
    }
    socket.removeListener("data", parse)
    socket.on("data", (data: Buffer) => {
      if (connection.held === null) return feed(data)
      // The socket was resumed because the body of the request in progress was read.
      connection.held = Buffer.concat([connection.held, data])
      socket.pause()
    })
    connection.resume = () => {
      const { held, running } = connection
      connection.held = null
      if (held !== null) feed(held)
      // If its buffer is full, the reader of the body resumes the socket.
      const isFull =
        running !== null && running.request.readableLength >= running.request.readableHighWaterMark
      if (connection.held === null && socket.isPaused() && !isFull) socket.resume()
    }
  }

  /** Counts pieces of bodies that were parsed in this iteration of the event loop. */
  #count(pieces: number): void {
    if (pieces > 0 && this.#piecesOfTurn === 0) setImmediate(() => this.#nextTurn())
    this.#piecesOfTurn += pieces
  }

  /** Parses what the last iteration left, within the limit. Connections that still wait come first in the next iteration. */
  #nextTurn(): void {
    this.#piecesOfTurn = 0
    for (let left = this.#parsedLater.length; left > 0 && this.#piecesOfTurn < maxPiecesOfTurn; left--) {
      this.#parsedLater.shift()!.resume?.()
    }
  }

  /** Processes a request, or keeps it until the client has received the responses before it. */
  take(request: ReceivedRequest, response: ServerResponse): void {
    const connection = this.#bySocket.get(request.socket)
    if (connection === undefined) return
    const { isProxy, network, waiting } = connection
    request.isHeld = () => connection.held !== null
    if (connection.running === null && !connection.rests) {
      return this.#run(connection, { request, response })
    }
    waiting.push({ request, response })
    this.#waiting++
    network.waiting++
    if (
      waiting.length > maxWaitingOfConnection ||
      this.#waiting > maxWaiting ||
      (network.waiting > maxWaitingOfNetwork && !isProxy)
    ) {
      this.#close(connection)
    }
  }

  /** Whether a request of the connection has not been answered. */
  isBusy(socket: Duplex): boolean {
    const connection = this.#bySocket.get(socket)
    return connection !== undefined && (connection.running !== null || connection.rests)
  }

  #run(connection: Connection, { request, response }: HttpCall): void {
    const { socket } = connection
    connection.running = {
      request,
      response,
      since: Date.now(),
      bodyLeft: Number(request.headers["content-length"] ?? -1),
      waitedMillis: 0,
      unread: null
    }
    // Emitted after the client has received the last byte.
    response.once("close", () => {
      this.#options.ended(request)
      connection.running = null
      connection.idleSince = Date.now()
      if (socket.destroyed) return
      const { held, resume } = connection
      if (resume !== null && held === null && connection.waiting.length === 0) return resume()
      // The response may be received within this iteration. A client that pipelines requests would block the event loop.
      connection.rests = true
      setImmediate(() => this.#goOn(connection))
    })
    this.#options.answer(request, response)
  }

  /** Processes the next waiting request, or continues reading. */
  #goOn(connection: Connection): void {
    connection.rests = false
    const next = connection.waiting.shift()
    if (next === undefined) return connection.resume?.()
    this.#waiting--
    connection.network.waiting--
    this.#run(connection, next)
  }

  #remove(connection: Connection): void {
    if (!this.#bySocket.delete(connection.socket)) return
    const { network, waiting } = connection
    this.#waiting -= waiting.length
    network.waiting -= waiting.length
    waiting.length = 0
    network.connections.delete(connection)
    if (network.connections.size === 0) this.#networks.delete(network.name)
  }

  #close(connection: Connection): void {
    this.#remove(connection)
    connection.socket.destroy()
  }

  /**
   * Closes the connection whose loss is cheapest for its client: an idle one, or else one that still sends a request and
   * whose caller is unknown. Among these it chooses the network with the most connections, and of that the oldest. Returns
   * false if there is none.
   */
  #evict(connections: Iterable<Connection>, idleMillis: number): boolean {
    const now = Date.now()
    let best: Connection | null = null
    let bestRank = -1
    for (const connection of connections) {
      const { isProxy, network, running } = connection
      const isUnknown = running !== null && !running.request.complete && !running.request.isKnown
      if (running !== null && !isUnknown) continue
      if (running === null && now - connection.idleSince < idleMillis) continue
      const rank = (isProxy ? 0 : 2 * rankStep) + (isUnknown ? 0 : rankStep) + network.connections.size
      if (rank > bestRank) {
        best = connection
        bestRank = rank
      }
    }
    if (best === null) return false
    this.#close(best)
    return true
  }

  /** Closes connections with slow clients and, while too many response bytes are unread, those unread for the longest time. */
  #look(): void {
    const now = Date.now()
    const passed = now - this.#lookedAt
    this.#lookedAt = now
    const { limits, reject } = this.#options
    const unread: Array<Connection> = []
    for (const connection of this.#bySocket.values()) {
      const { idleSince, running, socket } = connection
      if (running === null) {
        // Node closes silent connections earlier. This one sends bytes that are not a request, such as empty lines.
        if (now - idleSince > limits.idleMillis + limits.headersMillis) this.#close(connection)
        continue
      }
      if (unreadOf(connection) > 0) unread.push(connection)
      if (this.#isSlow(connection, running, now, passed)) {
        this.#remove(connection)
        if (running.response.headersSent) socket.destroy()
        else reject(socket, "Slow")
      }
    }
    if (unread.length > 0) this.#boundUnread(unread)
  }

  #isSlow({ socket }: Connection, running: Running, now: number, passed: number): boolean {
    const { bodyMillis, minBytesPerSecond, unreadMillis } = this.#options.limits
    const { request, response } = running
    const left = response.writableLength
    if (left === 0) running.unread = null
    else {
      const taken = socket.bytesWritten - left
      running.unread ??= { since: now, takenBefore: taken }
      const allowed = unreadMillis + ((taken - running.unread.takenBefore) * 1_000) / minBytesPerSecond
      if (now - running.unread.since >= allowed) return true
    }
    // The rest of a body after its response is discarded, and has a time limit of its own.
    if (request.complete || response.writableEnded) return false
    // The client cannot send while the service does not read.
    if (request.readableLength > 0 || request.isPaused()) running.waitedMillis += passed
    const spent = now - running.since - running.waitedMillis
    return spent > bodyMillis + (request.receivedBytes * 1_000) / minBytesPerSecond
  }

  #boundUnread(connections: ReadonlyArray<Connection>): void {
    const byNetwork = new Map<Network, number>()
    let total = 0
    for (const connection of connections) {
      const { network } = connection
      total += unreadOf(connection)
      byNetwork.set(network, (byNetwork.get(network) ?? 0) + unreadOf(connection))
    }
    const oldest = connections.toSorted(
      (one, other) => (one.running?.unread?.since ?? 0) - (other.running?.unread?.since ?? 0)
    )
    for (const connection of oldest) {
      const { isProxy, network } = connection
      const ofNetwork = byNetwork.get(network) ?? 0
      if (total <= maxUnread && (isProxy || ofNetwork <= maxUnreadOfNetwork)) continue
      total -= unreadOf(connection)
      byNetwork.set(network, ofNetwork - unreadOf(connection))
      this.#close(connection)
    }
  }
}
