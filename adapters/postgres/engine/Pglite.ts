/**
 * PGlite as its one session: in this thread, or in a thread of its own, so that no statement holds up the thread that
 * answers calls.
 *
 * @module
 */
import type { PGlite } from "@electric-sql/pglite"
import { Worker } from "node:worker_threads"
import { sessionSettings } from "./session.ts"

/** A database with one session. */
export interface PgliteSession {
  /** Makes the session as a new connection finds it: without a transaction, settings or prepared statements of earlier ones. */
  readonly reset: () => Promise<void>
  /** Sends messages of the PostgreSQL protocol; returns the replies. Calls are served in their order. */
  readonly send: (messages: Uint8Array) => Promise<Uint8Array>
  /** Closes the database, once everything sent before is done. */
  readonly close: () => Promise<void>
}

/** What a thread is asked: to reset, to close, or to send messages. */
export type PgliteRequest = "reset" | "close" | Uint8Array

/** A thread's reply: null for a database that is open, and for what has no result; a message for a failure. */
export type PgliteReply = { readonly bytes: Uint8Array | null } | { readonly failure: string }

const settings = Object.entries(sessionSettings)
  .map(([name, value]) => `set ${name} = '${value}';`)
  .join("")

/**
 * The replies to messages. PGlite's other methods for messages parse the replies as well, and keep what they parsed for the
 * life of the database, which the memory of a server would not last for.
 */
const repliesTo = (database: PGlite, messages: Uint8Array, syncToFs: boolean): Promise<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  return database
    .execProtocolRawStream(messages, {
      syncToFs,
      // Copied: it is a view of the memory of the database.
      onRawData: (part) => parts.push(part.slice())
    })
    .then(() => (parts.length === 1 ? parts[0]! : Buffer.concat(parts)))
}

/** The session of a database in this thread. */
export const sessionOf = (database: PGlite): PgliteSession => ({
  reset: async () => {
    await database.exec("rollback")
    await database.exec("discard all")
    await database.exec(settings)
  },
  send: (messages) => repliesTo(database, messages, true),
  close: () => database.close()
})

/**
 * Runs PostgreSQL with timers that keep no process alive: it leaves one behind after a statement, and cancels it with the
 * next. PGlite takes the timers of the platform, so they are replaced while it runs, when nothing else does.
 */
const withQuietTimers = <A>(run: () => A): A => {
  const original = globalThis.setTimeout
  const quiet = (...args: Parameters<typeof original>) => {
    const timer = original(...args)
    timer.unref?.()
    return timer
  }
  globalThis.setTimeout = Object.assign(quiet, original)
  try {
    return run()
  } finally {
    globalThis.setTimeout = original
  }
}

/** The session of a database in memory, in this thread, which keeps no process alive. */
export const quietSessionOf = (database: PGlite): PgliteSession => ({
  ...sessionOf(database),
  send: (messages) => withQuietTimers(() => repliesTo(database, messages, false))
})

/** The module that a thread runs: beside this one, as source or as built. */
const threadModule = new URL(
  import.meta.url.endsWith(".ts") ? "./PgliteThread.ts" : "./PgliteThread.js",
  import.meta.url
)

/** Bytes in a buffer of their own, which can be handed to another thread without a copy. */
export const transferable = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes)

interface Waiting {
  readonly resolve: (bytes: Uint8Array | null) => void
  readonly reject: (error: Error) => void
}

/** A session in a thread. */
interface ThreadSession extends PgliteSession {
  /** Ends the thread as it is, as a crash would. */
  readonly abandon: () => Promise<unknown>
}

/**
 * Starts a thread that opens the database in a directory, or makes one there; without a directory it compiles PostgreSQL, and opens
 * the one that it is sent. It keeps the process alive only while it owes a reply.
 */
const startThread = (directory: string | null) => {
  const thread = new Worker(threadModule, {
    workerData: directory,
    // The database is in the memory of WebAssembly.
    resourceLimits: { maxYoungGenerationSizeMb: 6 }
  })
  const waiting: Array<Waiting> = []
  let ended: Error | null = null
  const end = (error: Error) => {
    ended ??= error
    for (const { reject } of waiting.splice(0)) reject(ended)
  }
  thread.on("message", (reply: PgliteReply) => {
    const first = waiting.shift()
    if (waiting.length === 0) thread.unref()
    if ("failure" in reply) first?.reject(new Error(reply.failure))
    else first?.resolve(reply.bytes)
  })
  thread.on("error", (error) => end(error instanceof Error ? error : new Error(String(error))))
  const exited = new Promise<void>((resolve) => {
    thread.on("exit", () => {
      end(new Error("The thread of the database has ended"))
      resolve()
    })
  })
  const replied = () =>
    new Promise<Uint8Array | null>((resolve, reject) => {
      if (ended !== null) return reject(ended)
      waiting.push({ resolve, reject })
      thread.ref()
    })
  const ask = (request: PgliteRequest, transfer: ReadonlyArray<ArrayBuffer> = []) => {
    const reply = replied()
    thread.postMessage(request, transfer)
    return reply
  }
  const session: ThreadSession = {
    reset: async () => {
      await ask("reset")
    },
    send: async (messages) => {
      // Copied: the driver may use its buffer again.
      const own = new Uint8Array(messages)
      return (await ask(own, [own.buffer])) ?? new Uint8Array()
    },
    close: async () => {
      await ask("close")
      thread.ref()
      await exited
    },
    abandon: () => thread.terminate()
  }
  return { directory, opened: replied(), session, thread, owesReply: () => waiting.length > 0 }
}

let early: ReturnType<typeof startThread> | null = null

/**
 * Starts the thread of the database that is opened first, which works while this one loads the service: it opens the database in
 * `directory`, or compiles PostgreSQL. It keeps no process alive until that database is asked for.
 */
export const startEarly = (directory: string | null): void => {
  early = startThread(directory)
  early.thread.unref()
  // Whoever opens the database gets the failure.
  early.opened.catch(() => undefined)
}

/** The thread that opens the database in a directory: the early one, unless it opens another. */
const threadOf = (directory: string): ReturnType<typeof startThread> => {
  if (early === null || ![null, directory].includes(early.directory)) return startThread(directory)
  const started = early
  early = null
  if (started.directory === null) started.thread.postMessage(directory, [])
  if (started.owesReply()) started.thread.ref()
  return started
}

/**
 * Opens the database in a directory in a thread of its own, or makes one there, which is durable only after that: it has to be
 * closed, synced and opened again. The thread keeps the process alive only while it owes a reply.
 *
 * @param mostMillis how long opening may take; any time unless given
 */
export const openThread = async (directory: string, mostMillis?: number): Promise<ThreadSession> => {
  const { opened, session } = threadOf(directory)
  const ending = mostMillis === undefined ? undefined : setTimeout(() => void session.abandon(), mostMillis)
  await opened.finally(() => clearTimeout(ending))
  return session
}

/** The shortest time between two attempts to open a database again, and the longest that one may take, milliseconds. */
const reopenMillis = { pause: 1_000, most: 60_000 }

const [errorResponse, readyForQuery] = [0x45, 0x5a]

/**
 * The message of the error with which PostgreSQL ended; null where it goes on. It is not ready for another statement then: it
 * would run that without an end.
 */
const endOf = (reply: Uint8Array): string | null => {
  const view = new DataView(reply.buffer, reply.byteOffset, reply.byteLength)
  const last = reply.length - 6
  if (last < 0 || (reply[last] === readyForQuery && view.getUint32(last + 1) === 5)) return null
  for (let at = 0; at + 5 <= reply.length; at += 1 + view.getUint32(at + 1)) {
    if (reply[at] !== errorResponse) continue
    const fields = Buffer.from(reply.subarray(at + 5))
      .toString()
      .split("\0")
    if (fields.some((field) => field === "VPANIC" || field === "VFATAL")) {
      return fields.find((field) => field.startsWith("M"))?.slice(1) ?? ""
    }
  }
  return null
}

/**
 * The session of a database in a directory, which is opened again after an error that PostgreSQL ends with, such as a disk
 * without room for its log: what was committed is there, as after a crash. The next connection opens it.
 */
export const openLasting = async (directory: string): Promise<PgliteSession> => {
  let session = await openThread(directory)
  let failure: { readonly error: unknown; readonly until: number } | null = null
  const fail = (error: unknown): never => {
    failure = { error, until: performance.now() + reopenMillis.pause }
    throw error
  }
  const reopen = async () => {
    if (failure === null) return
    if (performance.now() < failure.until) throw failure.error
    await session.abandon()
    session = await openThread(directory, reopenMillis.most).catch(fail)
    failure = null
  }
  return {
    reset: async () => {
      await reopen()
      await session.reset().catch(fail)
    },
    send: async (messages) => {
      if (failure !== null) throw failure.error
      const reply = await session.send(messages).catch(fail)
      const end = endOf(reply)
      return end === null ? reply : fail(new Error(`The database stopped: ${end}`))
    },
    close: () => (failure === null ? session.close() : session.abandon().then(() => undefined))
  }
}
