/**
 * A mail server that accepts everything and only records the number of messages and the arrival of each probe. It runs in a
 * separate thread and uses little CPU, so that it can run on the same machine as the server it measures.
 *
 * @module
 */
import { createServer, type AddressInfo } from "node:net"
import { isMainThread, Worker, workerData } from "node:worker_threads"

/** A running sink. */
export interface Sink {
  readonly url: string
  /** The number of messages accepted so far, without probes. */
  readonly count: () => number
  /** When a probe was accepted, in epoch milliseconds; null before that. */
  readonly probedAt: (number: number) => number | null
  readonly stop: () => void
}

const end = "\r\n.\r\n"

/** The recipient of a probe, and the most probes. */
export const probeAddress = (number: number): string => `probe-${number}@probe.example`
const probePattern = /^RCPT TO:<probe-(\d+)@/i
const maxProbes = 100_000

/**
 * Positions in the memory shared with the thread: the number of accepted messages, the port, and the arrival of each probe after
 * the start.
 */
const takenAt = 0
const portAt = 1
const probesAt = 2

/** The parameters of the thread. */
interface Started {
  readonly shared: Int32Array
  /** Epoch milliseconds. */
  readonly startedAt: number
}

const serve = ({ shared, startedAt }: Started): void => {
  const server = createServer((socket) => {
    let text = ""
    let probe: number | null = null
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
          // Keeps only what may be the beginning of a message's end, because a large message would otherwise be searched
          // repeatedly.
          if (inData) text = text.slice(-end.length)
          return
        }
        const line = text.slice(0, at)
        text = text.slice(at + mark.length)
        if (inData) {
          inData = false
          if (probe === null) Atomics.add(shared, takenAt, 1)
          else Atomics.store(shared, probesAt + probe, Date.now() - startedAt)
          socket.write("250 2.0.0 taken\r\n")
        } else if (/^EHLO/i.test(line)) socket.write("250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n")
        else if (/^DATA/i.test(line)) {
          inData = true
          socket.write("354 go on\r\n")
        } else if (/^QUIT/i.test(line)) socket.end("221 2.0.0 bye\r\n")
        else {
          if (/^MAIL/i.test(line)) probe = null
          const probed = probePattern.exec(line)
          if (probed !== null) probe = Number(probed[1])
          socket.write("250 2.0.0 ok\r\n")
        }
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
  const shared = new Int32Array(new SharedArrayBuffer(4 * (probesAt + maxProbes)))
  const startedAt = Date.now()
  const worker = new Worker(new URL(import.meta.url), { workerData: { shared, startedAt } satisfies Started })
  await Atomics.waitAsync(shared, portAt, 0).value
  return {
    url: `smtp://127.0.0.1:${Atomics.load(shared, portAt)}`,
    count: () => Atomics.load(shared, takenAt),
    probedAt: (number) => {
      const at = Atomics.load(shared, probesAt + number)
      return at === 0 ? null : startedAt + at
    },
    stop: () => void worker.terminate()
  }
}

if (!isMainThread) serve(workerData as Started)
