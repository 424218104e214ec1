/**
 * Provides the single session of PGlite: in this thread, or in a thread of its own, so that no statement blocks the thread
 * that answers calls.
 *
 * @module
 */
import type { PGlite } from "@electric-sql/pglite"
import { Worker } from "node:worker_threads"
import { sessionSettings } from "./session.ts"

/** A database with one session. */
export interface PgliteSession {
  /** Resets the session for a new connection: without a transaction, settings or prepared statements of earlier ones. */
  readonly reset: () => Promise<void>
  /** Sends messages of the PostgreSQL protocol. Returns the replies. Calls are served in order. */
  readonly send: (messages: Uint8Array) => Promise<Uint8Array>
  /** Closes the database after everything that was sent before. */
  readonly close: () => Promise<void>
}

/** A request to a thread: to reset, to close, or to send messages. */
export type PgliteRequest = "reset" | "close" | Uint8Array

/** A thread's reply: null if the database was opened or the request has no result; a message if it failed. */
export type PgliteReply = { readonly bytes: Uint8Array | null } | { readonly failure: string }

const settings = Object.entries(sessionSettings)
  .map(([name, value]) => `set ${name} = '${value}';`)
  .join("")

/**
 * Returns the replies to messages. PGlite's other methods for messages also parse the replies, and keep what they parsed for
 * the life of the database, for which a server's memory would not suffice.
 */
const repliesTo = (database: PGlite, messages: Uint8Array, syncToFs: boolean): Promise<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  return database
    .execProtocolRawStream(messages, {
      syncToFs,
      // Copied, because it is a view of the database's memory.
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
 * Runs PostgreSQL with timers that do not keep the process alive. PostgreSQL leaves a timer behind after each statement and
 * cancels it with the next. PGlite uses the platform's timers, so they are replaced while it runs, when no other code does.
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

/** The session of a database in memory, in this thread. It does not keep the process alive. */
export const quietSessionOf = (database: PGlite): PgliteSession => ({
  ...sessionOf(database),
  send: (messages) => withQuietTimers(() => repliesTo(database, messages, false))
})

/** The module that a thread runs, located beside this one both as source and as built code. */
const threadModule = new URL(
  import.meta.url.endsWith(".ts") ? "./PgliteThread.ts" : "./PgliteThread.js",
  import.meta.url
)

/** Bytes in a buffer of their own, which can be transferred to another thread without a copy. */
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
  /** Terminates the thread immediately, like a crash. */
  readonly abandon: () => Promise<unknown>
}

/**
 * Starts a thread that opens the database in a directory, or creates one there. Without a directory, the thread compiles
 * PostgreSQL, and opens the directory that is sent later. It keeps the process alive only while a reply is pending.
 */
const startThread = (directory: string | null) => {
  const thread = new Worker(threadModule, {
    workerData: directory,
    // The limit does not affect the database, whose memory belongs to WebAssembly.
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
      // Copied, because the driver may reuse its buffer.
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
 * Starts the thread of the database that is opened first. The thread works while this one loads the service: it opens the
 * database in `directory`, or compiles PostgreSQL. It does not keep the process alive until that database is requested.
 */
export const startEarly = (directory: string | null): void => {
  early = startThread(directory)
  early.thread.unref()
  // A failure is reported to the code that opens the database.
  early.opened.catch(() => undefined)
}

/** The thread that opens the database in a directory: the early one, unless that was started for another directory. */
const threadOf = (directory: string): ReturnType<typeof startThread> => {
  if (early === null || ![null, directory].includes(early.directory)) return startThread(directory)
  const started = early
  early = null
  if (started.directory === null) started.thread.postMessage(directory, [])
  if (started.owesReply()) started.thread.ref()
  return started
}

/**
 * Opens the database in a directory in a thread of its own, or creates one there. A new database is durable only after it was
 * closed, synced and opened again. The thread keeps the process alive only while a reply is pending.
 *
 * @param mostMillis the time limit of opening, in milliseconds; by default none
 */
export const openThread = async (directory: string, mostMillis?: number): Promise<ThreadSession> => {
  const { opened, session } = threadOf(directory)
  const ending = mostMillis === undefined ? undefined : setTimeout(() => void session.abandon(), mostMillis)
  await opened.finally(() => clearTimeout(ending))
  return session
}

/** The minimum time between two attempts to reopen a database, and the time limit of one attempt, in milliseconds. */
const reopenMillis = { pause: 1_000, most: 60_000 }

const [errorResponse, readyForQuery] = [0x45, 0x5a]

/**
 * The message of an error with which PostgreSQL terminated; null if it continues. After such an error it cannot take another
 * statement, which would run without ever ending.
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
 * The session of a database in a directory. If PostgreSQL terminates with an error, such as a full disk when it writes its
 * log, the database is reopened when the next connection is made. Everything committed is preserved, as after a crash.
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
