/**
 * Closes silent connections: when a network drops a connection without notice, a statement sent on it waits for a
 * reply that never arrives, and so does every later one.
 *
 * A server ends each statement at its `statement_timeout`, with a reply. So when a statement has waited longer, a
 * connection from which nothing arrived for as long is either dead or idle. All of those are destroyed; the
 * statements that wait on them fail, and the pool opens new ones when it needs them.
 *
 * @module
 */
import { Effect, type Scope } from "effect"
import type { Socket } from "node:net"

/** Milliseconds between two checks. */
const tickMillis = 1_000

/**
 * Time is counted in checks, not read from a clock: a process that was suspended has not received anything meanwhile,
 * and must not take a connection for silent before it has.
 */
let tick = 0

/** A statement that waits for its reply, and since when. */
interface Awaited {
  readonly since: number
}

/** The statements that wait for a reply, the oldest first. */
const awaited = new Set<Awaited>()

/** Marks an effect as one that waits for the database: for a connection, or for replies of the server. */
export const withReplyTimeout = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const statement: Awaited = { since: tick }
    awaited.add(statement)
    return Effect.onExitPrimitive(self, () => {
      awaited.delete(statement)
      return undefined
    })
  })

/** What was last received on a connection. */
interface Heard {
  readonly socket: Socket
  bytes: number
  at: number
  /** After how many checks without a byte a connection is silent. */
  readonly silentTicks: number
}

/** Who is called while statements wait, and after how many checks of waiting. */
interface Watcher {
  readonly ticks: number
  readonly call: () => void
}

const watchers = new Set<Watcher>()

/** Calls a function at each check at which some statement has waited for `millis`, until the scope closes. */
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
 * Watches a connection until it closes. It is destroyed when nothing arrived on it for `timeout` milliseconds while
 * some statement, of any connection, has waited for as long.
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
