/**
 * Measures the response times of a server while a test loads it. It runs in a separate process and corrects for the machine, so
 * that only the server's own delays count.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"

/** One measurement. */
export interface Probe {
  /** When the request was sent, in epoch milliseconds. */
  readonly at: number
  readonly millis: number
  /** How long an idle server in a separate process took to respond at the same moment. */
  readonly idleMillis: number
  /** How long the server's main thread was meanwhile runnable but not running. */
  readonly queuedMillis: number
}

/** The result of a prober. */
export interface Probed {
  readonly count: number
  /** What went wrong: no response, or a status other than 200. */
  readonly faults: ReadonlyArray<string>
  /** The latest measurements. */
  readonly probes: ReadonlyArray<Probe>
}

/** The part of a response time caused by the server itself, without delays of the machine. */
export const ownMillis = ({ idleMillis, millis, queuedMillis }: Probe): number =>
  millis - Math.max(idleMillis, queuedMillis)

const node = join(import.meta.dirname, "../../node_modules/.bin/node")

const idleServer = `
  const server = require("node:http").createServer((_, response) => response.end("{}"))
  server.listen(0, "127.0.0.1", () => process.send(server.address().port))
  process.on("disconnect", () => process.exit(0))
`

const start = (parameters: ReadonlyArray<string>): ChildProcess =>
  spawn(node, parameters, { stdio: ["ignore", "inherit", "inherit", "ipc"] })

const messageOf = <Message>(child: ChildProcess): Promise<Message> =>
  new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(message as Message))
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`The process ended with ${code}.`)))
  })

/** Requests a URL every 50 ms until stopped. `pid` is the server's process id. */
export const startProber = async (url: string, pid: number): Promise<{ stop: () => Promise<Probed> }> => {
  const idle = start(["-e", idleServer])
  const port = await messageOf<number>(idle)
  const program = join(import.meta.dirname, "proberProcess.ts")
  const prober = start([program, url, String(pid), `http://127.0.0.1:${port}`])
  return {
    stop: async () => {
      const seen = messageOf<Probed>(prober)
      prober.send("stop")
      const probed = await seen
      idle.disconnect()
      return probed
    }
  }
}
