/**
 * A mail server that accepts everything and keeps only the count, in a separate thread: cheap enough to share a machine
 * with what it measures, and outside of the measured thread.
 *
 * @module
 */
import { createServer, type AddressInfo } from "node:net"
import { isMainThread, Worker, workerData } from "node:worker_threads"

/** A running sink. */
export interface Sink {
  readonly url: string
  /** Messages accepted so far. */
  readonly count: () => number
  readonly stop: () => void
}

const end = "\r\n.\r\n"

/** Memory shared with the thread: the number of accepted messages, and the port. */
const takenAt = 0
const portAt = 1

const serve = (shared: Int32Array): void => {
  const server = createServer((socket) => {
    let text = ""
    let inData = false
    socket.setNoDelay(true)
    socket.on("error", () => undefined)
    socket.write("220 sink ESMTP\r\n")
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      while (true) {
        const mark = inData ? end : "\r\n"
        const at = text.indexOf(mark)
        if (at < 0) {
          // Keeps only what may be the beginning of a message's end; otherwise a large one would be searched repeatedly.
          if (inData) text = text.slice(-end.length)
          return
        }
        const line = text.slice(0, at)
        text = text.slice(at + mark.length)
        if (inData) {
          inData = false
          Atomics.add(shared, takenAt, 1)
          socket.write("250 2.0.0 taken\r\n")
        } else if (/^EHLO/i.test(line)) socket.write("250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n")
        else if (/^DATA/i.test(line)) {
          inData = true
          socket.write("354 go on\r\n")
        } else if (/^QUIT/i.test(line)) socket.end("221 2.0.0 bye\r\n")
        else socket.write("250 2.0.0 ok\r\n")
      }
    })
  })
  server.listen(0, "127.0.0.1", () => {
    Atomics.store(shared, portAt, (server.address() as AddressInfo).port)
    Atomics.notify(shared, portAt)
  })
}

/** Starts a sink on 127.0.0.1. */
export const startSink = async (): Promise<Sink> => {
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL(import.meta.url), { workerData: shared })
  await Atomics.waitAsync(shared, portAt, 0).value
  return {
    url: `smtp://127.0.0.1:${Atomics.load(shared, portAt)}`,
    count: () => Atomics.load(shared, takenAt),
    stop: () => void worker.terminate()
  }
}

if (!isMainThread) serve(workerData as Int32Array)
