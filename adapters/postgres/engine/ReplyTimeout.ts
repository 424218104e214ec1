/**
 * Connections that have gone silent: a network that forgot a connection tells neither side, so a statement sent on it
 * waits for an answer that never comes, and so does every one after it.
 *
 * A server ends each statement at its `statement_timeout`, with an answer. So when a statement has waited for longer,
 * a connection from which nothing came for as long is no use to it: either it is dead, or it idles. All of those are
 * destroyed; what waited on them fails, and the pool opens others when it needs them.
 *
 * @module
 */
import { Effect } from "effect"
import type { Socket } from "node:net"

/** How often is looked, milliseconds. */
const tickMillis = 1_000

/**
 * Time is counted in looks, not read from a clock: a process that was stopped and wakes has not listened meanwhile, and
 * takes no connection for silent before it has.
 */
let tick = 0

/** A statement whose answer is waited for, and since when. */
interface Awaited {
  readonly since: number
}

/** The statements whose answer is waited for, the oldest first. */
const awaited = new Set<Awaited>()

/** Marks an effect as one that waits for the database: for a connection, or for answers of the server. */
export const withReplyTimeout = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const statement: Awaited = { since: tick }
    awaited.add(statement)
    return Effect.onExitPrimitive(self, () => {
      awaited.delete(statement)
      return undefined
    })
  })

/** What was last seen of a connection. */
interface Heard {
  readonly socket: Socket
  bytes: number
  at: number
  /** How many looks without a byte are silence. */
  readonly patience: number
}

const watched = new Map<Socket, Heard>()
let timer: ReturnType<typeof setInterval> | undefined

const look = (): void => {
  tick++
  const [oldest] = awaited
  for (const heard of watched.values()) {
    const { bytesRead } = heard.socket
    if (bytesRead !== heard.bytes) {
      heard.bytes = bytesRead
      heard.at = tick
    }
    const since = oldest === undefined ? tick : Math.max(oldest.since, heard.at)
    if (tick - since > heard.patience) heard.socket.destroy(new Error("The connection has gone silent"))
  }
}

/**
 * Watches a connection until it closes. It is destroyed when nothing came from it for `patience` milliseconds while some
 * statement, of any connection, has been waiting for as long.
 */
export const watchSilence = (socket: Socket, patience: number): void => {
  watched.set(socket, { socket, bytes: socket.bytesRead, at: tick, patience: patience / tickMillis })
  timer ??= setInterval(look, tickMillis).unref()
  socket.once("close", () => {
    watched.delete(socket)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  })
}
