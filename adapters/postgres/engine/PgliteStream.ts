/**
 * Connects the driver of a PostgreSQL server to PGlite, by a stream of the PostgreSQL protocol.
 *
 * @module
 */
import { Duplex } from "node:stream"
import { holdBegin } from "../connection/HeldBegin.ts"
import type { PgliteSession } from "./Pglite.ts"

const cancelRequestCode = 80_877_102
const terminate = 0x58

/** The second word of a connection's first message is its type. */
const isCancelRequest = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && new DataView(bytes.buffer, bytes.byteOffset).getInt32(4) === cancelRequestCode

const query = 0x51
const sync = 0x53

/** Messages up to each that PostgreSQL answers with ReadyForQuery, and the rest. The first of a connection have no type. */
const requestsIn = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const requests: Array<Uint8Array> = []
  let start = 0
  for (let at = 0; at + 5 <= bytes.length;) {
    const type = bytes[at]
    if (type === 0) break
    at += 1 + view.getUint32(at + 1)
    if (type !== query && type !== sync) continue
    requests.push(bytes.subarray(start, at))
    start = at
  }
  if (start < bytes.length) requests.push(bytes.subarray(start))
  return requests
}

/**
 * How long one statement may follow the other without a turn of the event loop, milliseconds. A database in this thread replies
 * within the turn, so timers and other fibers would wait as long as statements come.
 */
const sliceMillis = 10

/**
 * A connection to PGlite's one session. A new connection finds the session as a server would provide it: without an
 * earlier connection's transaction, settings or prepared statements.
 */
export const connect = (session: PgliteSession): Duplex => {
  let begun = false
  let sliceBegan = performance.now()

  /** Goes on at once, or after a turn of the event loop where the last one was too long ago. */
  const goOn = (next: () => void): void => {
    if (performance.now() - sliceBegan < sliceMillis) return next()
    setImmediate(() => {
      sliceBegan = performance.now()
      next()
    })
  }

  const reply = async (bytes: Uint8Array): Promise<Uint8Array | null> => {
    if (!begun) {
      // PGlite runs one statement at a time to its end: there is nothing to cancel.
      if (isCancelRequest(bytes)) return null
      begun = true
      await session.reset()
    }
    if (bytes[0] === terminate) return null
    return session.send(bytes)
  }

  const stream: Duplex = holdBegin(
    new Duplex({
      read() {},
      write(chunk: Uint8Array, _encoding, done) {
        // Each reply is read at once: a statement may take long that was sent together with short ones.
        const replies = requestsIn(chunk).map((request) =>
          reply(request).then((bytes) => {
            stream.push(bytes)
          })
        )
        Promise.all(replies).then(
          () => goOn(done),
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error)))
        )
      },
      final(done) {
        stream.push(null)
        done()
      }
    })
  )
  return stream
}
