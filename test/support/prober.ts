/**
 * Measures how late a server answers while a test loads it, in a process of its own, so that neither the test's load nor a
 * hiccup of the machine counts.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"

/** One answer of the server. */
export interface Probe {
  /** When it was asked, epoch milliseconds. */
  readonly at: number
  readonly millis: number
  /** How long an idle server in a process of its own took to answer at the same instant. */
  readonly idleMillis: number
  /** For how long the server's main thread was ready to run meanwhile, and the machine ran others. */
  readonly queuedMillis: number
}

/** What a prober saw. */
export interface Probed {
  readonly count: number
  /** What went wrong: no answer, or another status than 200. */
  readonly faults: ReadonlyArray<string>
  /** The latest answers at least. */
  readonly probes: ReadonlyArray<Probe>
}

/** What the server itself took of an answer's time: without what the machine took from it or from everyone. */
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

/** Asks a URL every 50 ms until it is stopped. `pid` is the server's. */
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
