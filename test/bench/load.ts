/**
 * Sends HTTP/1.1 requests over kept-alive connections. It uses little CPU, so that it can run on the same machine as the server
 * it measures.
 *
 * @module
 */
import { connect, type Socket } from "node:net"

/** The settings of a load. */
export interface Load {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** The body of the request with that number. */
  readonly body: (index: number) => string
  readonly connections: number
  readonly millis: number
}

/** The results of a load. */
export interface Measured {
  readonly count: number
  readonly perSecond: number
  /** The median and the 99th percentile of the latency, in milliseconds. */
  readonly p50: number
  readonly p99: number
}

const headEnd = Buffer.from("\r\n\r\n")

/** Splits the first complete response off the received bytes; null if it is incomplete. */
export const takeAnswer = (bytes: Buffer): { readonly status: number; readonly rest: Buffer } | null => {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return null
  const head = bytes.toString("latin1", 0, end)
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const total = end + headEnd.length + length
  if (bytes.length < total) return null
  return { status: Number(head.slice(9, 12)), rest: bytes.subarray(total) }
}

/** Sends requests, one after another on each connection. Any status except 200 or 201 fails the run. */
export const runLoad = async (load: Load): Promise<Measured> => {
  const { hostname, pathname, port } = load.url
  const head =
    `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n` +
    Object.entries(load.headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")
  const latencies: Array<number> = []
  let index = 0
  const until = performance.now() + load.millis

  const connection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect(Number(port), hostname)
      socket.setNoDelay(true)
      let pending: Buffer = Buffer.alloc(0)
      let sentAt = 0
      const send = () => {
        const body = load.body(index++)
        sentAt = performance.now()
        socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
      }
      socket.once("connect", send)
      socket.once("error", reject)
      socket.on("data", (chunk) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        const answer = takeAnswer(pending)
        if (answer === null) return
        if (answer.status !== 200 && answer.status !== 201) {
          socket.destroy()
          return reject(new Error(`the status was ${answer.status}: ${pending.toString().slice(0, 500)}`))
        }
        pending = answer.rest
        const now = performance.now()
        latencies.push(now - sentAt)
        if (now < until) return send()
        socket.end()
        resolve()
      })
    })

  const from = performance.now()
  await Promise.all(Array.from({ length: load.connections }, connection))
  const seconds = (performance.now() - from) / 1000
  latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]!
  return { count: latencies.length, perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99) }
}
