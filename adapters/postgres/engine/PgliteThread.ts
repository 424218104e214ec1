/**
 * Runs in the thread of an embedded database. It opens the database in the directory with which it is started, or that is sent to
 * it, or creates one there, and then serves one request after another.
 *
 * @module
 */
import { once } from "node:events"
import { setFlagsFromString } from "node:v8"
import { parentPort, workerData } from "node:worker_threads"
import { compileModule, hasDatabase, makeDatabase, openDurable } from "./FsyncFilesystem.ts"
import {
  type PgliteReply,
  type PgliteRequest,
  type PgliteSession,
  sessionOf,
  transferable
} from "./Pglite.ts"

/**
 * V8 compiles WebAssembly code that runs often a second time, for the whole process. For PGlite that takes 550 MB at the start,
 * most of it for a single function, and 50 MB permanently. Without it, statements take about as long.
 */
const compileOnce = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"]

const port = parentPort!

const reply = (bytes: Uint8Array | null): void => {
  const own = bytes === null ? null : transferable(bytes)
  port.postMessage({ bytes: own } satisfies PgliteReply, own === null ? [] : [own.buffer])
}

const fail = (error: unknown): void =>
  port.postMessage({ failure: error instanceof Error ? error.message : String(error) } satisfies PgliteReply)

const serve = async (session: PgliteSession, request: PgliteRequest): Promise<Uint8Array | null> => {
  if (request instanceof Uint8Array) return session.send(request)
  await session[request]()
  return null
}

if (!("bun" in process.versions)) for (const flag of compileOnce) setFlagsFromString(flag)
try {
  const given = workerData as string | null
  const compiled = given === null ? await compileModule() : {}
  const [directory] = given === null ? ((await once(port, "message")) as [string]) : [given]
  const session = sessionOf(
    await (hasDatabase(directory) ? openDurable(directory, compiled) : makeDatabase(directory))
  )
  let last = Promise.resolve()
  port.on("message", (request: PgliteRequest) => {
    last = last
      .then(() => serve(session, request))
      .then(reply, fail)
      .then(() => {
        if (request === "close") port.close()
      })
  })
  reply(null)
} catch (error) {
  fail(error)
  port.close()
}
