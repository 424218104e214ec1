/**
 * Closes silent connections. If a network drops a connection without notice, a statement sent on it waits for a reply that
 * never arrives, and so does every later statement.
 *
 * A server ends each statement with a reply when its `statement_timeout` is reached. So if a statement has waited longer, a
 * connection on which nothing has arrived for as long is either dead or idle. All such connections are destroyed. The
 * statements that wait on them fail, and the pool opens new connections when it needs them.
 *
 * @module
 */
import { Effect, type Scope } from "effect"
import type { Socket } from "node:net"

/** The time between two checks, in milliseconds. */
const tickMillis = 1_000

/**
 * Time is counted in checks instead of read from a clock. A suspended process could not receive anything, and must not treat
 * a connection as silent before it has had the chance.
 */
let tick = 0

/** A statement that waits for its reply, and the tick at which it began to wait. */
interface Awaited {
  readonly since: number
}

/** The statements that wait for a reply, oldest first. */
const awaited = new Set<Awaited>()

/** Marks an effect as waiting for the database: for a connection, or for replies of the server. */
export const withReplyTimeout = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const statement: Awaited = { since: tick }
    awaited.add(statement)
    return Effect.onExitPrimitive(self, () => {
      awaited.delete(statement)
      return undefined
    })
  })

/** When something was last received on a connection. */
interface Heard {
  readonly socket: Socket
  bytes: number
  at: number
  /** After how many checks without receiving a byte a connection counts as silent. */
  readonly silentTicks: number
}

/** A callback for statements that wait long, and the number of checks before it is called. */
interface Watcher {
  readonly ticks: number
  readonly call: () => void
}

const watchers = new Set<Watcher>()

/** Calls a function at each check at which any statement has waited for `millis`, until the scope closes. */
export const whileWaiting = (millis: number, call: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => {
    const watcher: Watcher = { ticks: millis / tickMillis, call }
    watchers.add(watcher)
    return Effect.addFinalizer(() => Effect.sync(() => watchers.delete(watcher)))
  })

const watched = new Map<Socket, Heard>()
let timer: ReturnType<typeof setInterval> | undefined

const check = (): void => {
  tick++
  const [oldest] = awaited
  for (const { call, ticks } of watchers) {
    if (oldest !== undefined && tick - oldest.since >= ticks) call()
  }
  for (const heard of watched.values()) {
    const { bytesRead } = heard.socket
    if (bytesRead !== heard.bytes) {
      heard.bytes = bytesRead
      heard.at = tick
    }
    const since = oldest === undefined ? tick : Math.max(oldest.since, heard.at)
    if (tick - since > heard.silentTicks) heard.socket.destroy(new Error("The connection has gone silent"))
  }
}

/**
 * Watches a connection until it closes. The connection is destroyed if nothing has arrived on it for `timeout` milliseconds
 * while any statement, of any connection, has waited that long.
 */
export const watchSilence = (socket: Socket, timeout: number): void => {
  watched.set(socket, { socket, bytes: socket.bytesRead, at: tick, silentTicks: timeout / tickMillis })
  timer ??= setInterval(check, tickMillis).unref()
  socket.once("close", () => {
    watched.delete(socket)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  })
}
