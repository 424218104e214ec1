/**
 * Connects the driver for PostgreSQL servers to PGlite, with a stream of the PostgreSQL protocol.
 *
 * @module
 */
import { Duplex } from "node:stream"
import { holdBegin } from "../connection/HeldBegin.ts"
import type { PgliteSession } from "./Pglite.ts"

const cancelRequestCode = 80_877_102
const terminate = 0x58

/** Whether a connection's first message requests a cancellation. Its second word is the message's type. */
const isCancelRequest = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && new DataView(bytes.buffer, bytes.byteOffset).getInt32(4) === cancelRequestCode

const query = 0x51
const sync = 0x53

/** Splits messages after each one that PostgreSQL answers with ReadyForQuery. The first message of a connection has no type. */
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
 * How long statements may run one after another without yielding to the event loop, in milliseconds. A database in this
 * thread replies within the same iteration, so timers and other fibers would wait as long as statements arrive.
 */
const sliceMillis = 10

/**
 * Opens a connection to PGlite's single session. A new connection finds the session as a server would provide it: without an
 * earlier connection's transaction, settings or prepared statements.
 */
export const connect = (session: PgliteSession): Duplex => {
  let begun = false
  let sliceBegan = performance.now()

  /** Continues immediately, or yields to the event loop first if the last yield was too long ago. */
  const goOn = (next: () => void): void => {
    if (performance.now() - sliceBegan < sliceMillis) return next()
    setImmediate(() => {
      sliceBegan = performance.now()
      next()
    })
  }

  const reply = async (bytes: Uint8Array): Promise<Uint8Array | null> => {
    if (!begun) {
      // PGlite runs each statement to its end, so there is nothing to cancel.
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
        // Each reply is passed on at once, because a long statement may be sent together with short ones.
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
