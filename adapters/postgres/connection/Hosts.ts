/**
 * Finds the host to use among those of a connection URL, and finds another one, such as a promoted standby, if it fails.
 *
 * @module
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Latch, Redacted, Schedule, type Scope } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import type { Socket } from "node:net"
import { type HostRole, hostAddress, hostRoleOf, hostUrls } from "./ConnectionUrl.ts"
import { watchSilence, whileWaiting } from "../engine/ReplyTimeout.ts"
import { addressOf, openSocket } from "../engine/Socket.ts"

/** The time limit for a host to report its role. */
const checkTimeout = "2 seconds"

/** The time between two rounds of querying all hosts while none of them can be used. */
const findPause = "250 millis"

/** How long a statement waits before the hosts are queried whether another one has taken over, in milliseconds. */
const suspiciousMillis = 3_000

/** The time between two rounds while statements wait. */
const suspicionPause = "1 second"

/** The hosts of a connection URL. */
export interface Hosts {
  /** The URL of the host for new connections. */
  readonly current: () => Redacted.Redacted
  /** Opens a connection to that host. */
  readonly open: () => Socket
}

const whetherReadOnly: Readonly<Record<HostRole, string | null>> = {
  any: null,
  primary: "select pg_is_in_recovery()",
  "read-write": "select current_setting('transaction_read_only') = 'on'"
}

const unfit = (message: string) =>
  new SqlError({ reason: new ConnectionError({ cause: new Error(message), message, operation: "connect" }) })

/** Fails if a host does not answer, or does not have the role. */
const check = Effect.fnUntraced(
  function* (url: Redacted.Redacted, role: HostRole) {
    const connection = yield* PgConnection.make({
      url,
      stream: () => openSocket(addressOf(Redacted.value(url))).unref(),
      connectTimeout: checkTimeout,
      applicationName: "svc host check",
      prepare: false
    })
    const question = whetherReadOnly[role]
    if (question === null) return undefined
    const [row] = yield* connection.queryValues(question)
    return row?.[0] === false ? undefined : yield* unfit("The host is read-only")
  },
  Effect.scoped,
  Effect.timeoutOrElse({
    duration: checkTimeout,
    orElse: () => Effect.fail(unfit("The host does not answer in time"))
  })
)

/**
 * The hosts of a valid URL, until the scope closes. A URL with one host is used directly. With several, the host with the right
 * role is searched for at the start, and again whenever a connection to it ends or a statement waits for long. When another
 * host is found, the connections to the previous one are destroyed, so that their statements fail and the pool opens new
 * connections.
 *
 * @param silentMillis after how long a silent connection is destroyed, in milliseconds; null for never
 * @param keepsAlive whether connections keep the process alive
 */
export const makeHosts = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  silentMillis: number | null,
  keepsAlive: boolean
): Effect.fn.Return<Hosts, never, Scope.Scope> {
  const text = Redacted.value(url)
  const urls = hostUrls(text)!.map((one) => Redacted.make(one))
  const role = hostRoleOf(text)
  const hasSeveral = urls.length > 1
  const suspicious = yield* Latch.make(false)
  const sockets = new Map<Socket, number>()
  let current = 0

  const open = (): Socket => {
    const host = current
    const socket = openSocket(addressOf(Redacted.value(urls[host]!)))
    if (silentMillis !== null) watchSilence(socket, silentMillis)
    if (!keepsAlive) socket.unref()
    if (!hasSeveral) return socket
    sockets.set(socket, host)
    socket.once("close", () => {
      sockets.delete(socket)
      if (host === current) suspicious.openUnsafe()
    })
    return socket
  }

  const use = (host: number): void => {
    current = host
    for (const [socket, other] of sockets) {
      if (other !== host) socket.destroy(new Error("Another host has taken over"))
    }
  }

  const find = Effect.gen(function* () {
    const found = yield* Effect.raceAll(urls.map((one, host) => Effect.as(check(one, role), host)))
    if (found === current) return
    use(found)
    yield* Effect.annotateLogs(Effect.logWarning("another database host is used"), {
      host: hostAddress(Redacted.value(urls[found]!))
    })
  })

  const follow = Effect.gen(function* () {
    yield* suspicious.await
    yield* suspicious.close
    yield* find.pipe(
      Effect.tapErrorTag("SqlError", () => Effect.logWarning("no database host can be used")),
      Effect.catchTag("SqlError", () => Effect.retry(find, Schedule.spaced(findPause)))
    )
    yield* Effect.sleep(suspicionPause)
  })

  if (hasSeveral) {
    yield* Effect.ignore(find)
    yield* whileWaiting(suspiciousMillis, () => suspicious.openUnsafe())
    yield* Effect.forkScoped(Effect.forever(Effect.ignore(follow)))
  }
  return { current: () => urls[current]!, open }
})
