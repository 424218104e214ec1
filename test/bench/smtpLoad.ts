/**
 * Sends messages over TLS. It uses little CPU, so that it can run on the same machine as the server it measures.
 *
 * @module
 */
import { connect, type TLSSocket } from "node:tls"
import type { Measured } from "./load.ts"

/** The settings of a load. */
export interface SmtpLoad {
  /** A port with implicit TLS. */
  readonly port: number
  readonly user: string
  /** Empty for no login. */
  readonly password: string
  readonly from: string
  /** The approximate size of each message, in bytes. */
  readonly messageBytes: number
  readonly connections: number
  /** Whether each connection sends only one message. */
  readonly onePerConnection: boolean
  readonly millis: number
}

const textOf = (bytes: number): string =>
  `${"It works, and goes on to say so for a line of text.".padEnd(74, ".")}\r\n`.repeat(Math.ceil(bytes / 76))

/** A step of the dialogue: what is sent, and the number of replies. */
type Step = readonly [text: string, answers: number]

/** Sends messages, one after another on each connection. Any rejection fails the run. */
export const runSmtpLoad = async (load: SmtpLoad): Promise<Measured> => {
  const { connections, from, millis, onePerConnection, password, port, user } = load
  const token = Buffer.from(`\0${user}\0${password}`).toString("base64")
  const body = textOf(load.messageBytes)
  const opening: ReadonlyArray<Step> = [
    ["", 1],
    ["EHLO load.example\r\n", 1],
    ...(password === "" ? [] : [[`AUTH PLAIN ${token}\r\n`, 1] as const])
  ]
  const message: ReadonlyArray<Step> = [
    [`MAIL FROM:<${from}>\r\nRCPT TO:<ada@example.org>\r\nDATA\r\n`, 3],
    [`From: ${from}\r\nTo: ada@example.org\r\nSubject: Hello\r\n\r\n${body}.\r\n`, 1]
  ]
  const until = performance.now() + millis
  const latencies: Array<number> = []

  const converse = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const opened = performance.now()
      const socket: TLSSocket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false })
      socket.setNoDelay(true)
      let steps = [...opening, ...message]
      let began = opened
      let open = 0
      let rest = ""
      let isOver = false
      const next = () => {
        const step = steps.shift()
        if (step === undefined) {
          const now = performance.now()
          latencies.push(now - began)
          began = now
          if (onePerConnection || now >= until) {
            isOver = true
            return void socket.end("QUIT\r\n")
          }
          steps = [...message]
          return next()
        }
        open = step[1]
        if (step[0] !== "") socket.write(step[0])
      }
      socket.on("data", (chunk: Buffer) => {
        rest += chunk.toString("latin1")
        for (let end = rest.indexOf("\r\n"); end !== -1; end = rest.indexOf("\r\n")) {
          const line = rest.slice(0, end)
          rest = rest.slice(end + 2)
          if (line[3] === "-") continue
          if (!/^[23]/.test(line)) {
            socket.destroy()
            return reject(new Error(`The load was answered ${line}`))
          }
          if (open > 0 && --open === 0) next()
        }
      })
      // Postfix resets a connection that the client closes first.
      socket.on("error", (error) => (isOver ? resolve() : reject(error)))
      socket.on("close", () => resolve())
      next()
    })
  const caller = async () => {
    do await converse()
    while (performance.now() < until)
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, caller))
  const seconds = (performance.now() - began) / 1000
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { count: sorted.length, perSecond: sorted.length / seconds, p50: at(0.5), p99: at(0.99) }
}
