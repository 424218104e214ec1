/**
 * Calls an API over kept-alive HTTP/1.1 connections, one for each concurrent call. It uses little CPU, so that it can run on the
 * same machine as the server it measures.
 *
 * @module
 */
import { connect, type Socket } from "node:net"
import { takeAnswer } from "./load.ts"

/** Connections to one server. */
export interface CallPool {
  /** Posts a JSON body. Returns the status, `timeout`, or the code of the error. */
  readonly post: (path: string, key: string, body: string) => Promise<string>
  readonly close: () => void
}

/** The longest idle time of a connection that is reused, in milliseconds. Servers close idle connections after some seconds. */
const idleMillis = 3_000

interface Line {
  readonly socket: Socket
  idleSince: number
  pending: Buffer
  answered: ((answer: string) => void) | null
}

/**
 * Makes a pool. It opens no connection before the first call.
 *
 * @param timeout the longest time to a response, in milliseconds
 */
export const makeCallPool = (baseUrl: string, timeout: number): CallPool => {
  const { host, hostname, port } = new URL(baseUrl)
  const idle: Array<Line> = []
  const all = new Set<Line>()

  const end = (line: Line, why: string) => {
    all.delete(line)
    const at = idle.indexOf(line)
    if (at !== -1) idle.splice(at, 1)
    line.socket.destroy()
    line.answered?.(why)
    line.answered = null
  }

  const open = (): Line => {
    const socket = connect(Number(port), hostname)
    const line: Line = { socket, idleSince: 0, pending: Buffer.alloc(0), answered: null }
    all.add(line)
    socket.setNoDelay(true)
    socket.setTimeout(timeout, () => end(line, "timeout"))
    socket.on("error", (error: NodeJS.ErrnoException) => end(line, error.code ?? error.name))
    socket.on("close", () => end(line, "closed"))
    socket.on("data", (chunk) => {
      line.pending = line.pending.length === 0 ? chunk : Buffer.concat([line.pending, chunk])
      const answer = takeAnswer(line.pending)
      if (answer === null) return
      line.pending = answer.rest
      const { answered } = line
      line.answered = null
      line.idleSince = performance.now()
      idle.push(line)
      answered?.(String(answer.status))
    })
    return line
  }

  /** The connection that became idle last; a new one if that has been idle for too long. */
  const take = (): Line => {
    const line = idle.pop()
    if (line === undefined) return open()
    if (performance.now() - line.idleSince < idleMillis) return line
    end(line, "closed")
    return open()
  }

  return {
    post: (path, key, body) =>
      new Promise((resolve) => {
        const line = take()
        line.answered = resolve
        line.socket.write(
          `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
            `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
        )
      }),
    close: () => {
      for (const line of all) end(line, "closed")
    }
  }
}
