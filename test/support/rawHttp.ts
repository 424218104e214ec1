/**
 * Sends raw bytes to an HTTP server, for requests that no client would send.
 *
 * @module
 */
import { connect } from "node:net"

/** What a connection received until it was closed, or was silent for a while. */
export interface RawAnswer {
  readonly text: string
  /** The statuses of the responses, in order. */
  readonly statuses: ReadonlyArray<number>
  /** Whether the server closed the connection. */
  readonly closed: boolean
}

const quietMillis = 1_500

/** Sends bytes to a server and reads its responses. */
export const sendRaw = (baseUrl: string, bytes: string | Uint8Array): Promise<RawAnswer> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl)
    const socket = connect(Number(port), hostname)
    let text = ""
    const end = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
      resolve({ text, statuses, closed })
    }
    let timer = setTimeout(() => end(false), 10 * quietMillis)
    socket.on("connect", () => socket.write(bytes))
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1")
      clearTimeout(timer)
      timer = setTimeout(() => end(false), quietMillis)
    })
    socket.on("close", () => end(true))
    // Closing the connection is as acceptable as an error response.
    socket.on("error", () => undefined)
  })
