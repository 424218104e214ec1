/**
 * A mail server that sends exactly the replies of a test's script, well-formed or not, and closes the connection where the script
 * says.
 *
 * @module
 */
import { createServer, type Socket } from "node:net"
import { setImmediate } from "node:timers/promises"

/**
 * What happens at each stage: a raw string that is written, with a line end if it lacks one, or `drop`, which closes the
 * connection after writing any string before it. `message` is the stage after the final dot, `body` the stage at the first bytes
 * of a message.
 */
export interface Script {
  readonly greeting?: string
  readonly ehlo?: string
  readonly mail?: string
  readonly rcpt?: string
  readonly data?: string
  readonly body?: string
  readonly message?: string
  readonly rset?: string
  /** The reply to DATA is written once this promise is resolved. */
  readonly dataAfter?: Promise<void>
  /** What follows the reply to DATA is read once this promise is resolved. */
  readonly bodyAfter?: Promise<void>
  /** How replies are written: one by one (the default), those to one chunk `together`, or byte by byte (`bytes`). */
  readonly pace?: "together" | "bytes"
}

/** A running script. */
export interface ScriptServer {
  readonly port: number
  /** The commands so far, without the messages. */
  readonly commands: () => ReadonlyArray<string>
  /** The chunks received so far. If the client waits for replies between its writes, each chunk is one write. */
  readonly pieces: () => ReadonlyArray<string>
  /**
   * The number of complete messages, once all connections have ended. The server may still be reading after a client has left.
   */
  readonly settled: () => Promise<number>
  /** Writes an unsolicited line to all connected clients. */
  readonly tell: (line: string) => void
  /** Replaces the script from now on. */
  readonly set: (script: Script) => void
  readonly stop: () => Promise<void>
}

const usual: Required<Omit<Script, "body" | "bodyAfter" | "dataAfter" | "pace">> = {
  greeting: "220 script ESMTP",
  ehlo: "250-script\r\n250 PIPELINING",
  mail: "250 2.1.0 Ok",
  rcpt: "250 2.1.5 Ok",
  data: "354 go ahead",
  message: "250 2.0.0 Ok",
  rset: "250 2.0.0 Ok"
}

/** Starts a server with a script. Stages that it does not name have the usual replies. */
export const startSmtpScript = async (first: Script = {}): Promise<ScriptServer> => {
  let script = first
  let whole = 0
  const seen: Array<string> = []
  const came: Array<string> = []
  const open = new Set<Socket>()
  let idle: Array<() => void> = []

  const serve = (socket: Socket) => {
    let input = ""
    let inMessage = false
    // Small replies follow each other; with Nagle's algorithm, each would wait 40 ms for a delayed acknowledgement.
    socket.setNoDelay(true)
    open.add(socket)
    socket.on("close", () => {
      open.delete(socket)
      if (open.size > 0) return
      for (const tell of idle) tell()
      idle = []
    })
    socket.on("error", () => socket.destroy())
    const slowly = async (text: string) => {
      for (const byte of text) {
        socket.write(byte)
        await setImmediate()
      }
    }
    let said = Promise.resolve()
    const say = (text: string) => {
      if (text === "drop") socket.destroy()
      else if (text.endsWith("drop")) socket.end(text.slice(0, -4))
      else if (text !== "") {
        const line = text.endsWith("\n") ? text : `${text}\r\n`
        if (script.pace === "bytes") said = said.then(() => slowly(line))
        else socket.write(line)
      }
    }
    const sayAt = (stage: keyof typeof usual) => say(script[stage] ?? usual[stage])
    const command = (line: string) => {
      seen.push(line)
      const verb = line.slice(0, 4).toUpperCase()
      if (verb === "EHLO" || verb === "HELO") sayAt("ehlo")
      else if (verb === "MAIL") sayAt("mail")
      else if (verb === "RCPT") sayAt("rcpt")
      else if (verb === "RSET") sayAt("rset")
      else if (verb === "DATA") {
        const answer = script.data ?? usual.data
        inMessage = /^[23]/.test(answer)
        if (script.bodyAfter !== undefined) {
          socket.pause()
          void script.bodyAfter.then(() => socket.resume())
        }
        if (script.dataAfter === undefined) say(answer)
        else void script.dataAfter.then(() => say(answer))
      } else if (verb === "QUIT") socket.end("221 bye\r\n")
      else say("502 5.5.1 no such command")
    }
    socket.on("data", (chunk) => {
      came.push(chunk.toString("latin1"))
      input += chunk.toString("latin1")
      if (script.pace === "together") {
        socket.cork()
        process.nextTick(() => socket.uncork())
      }
      while (input !== "") {
        if (inMessage) {
          if (script.body !== undefined) return say(script.body)
          const end = input.startsWith(".\r\n") ? 0 : input.indexOf("\r\n.\r\n")
          if (end === -1) return
          input = input.slice(end + (input.startsWith(".\r\n") ? 3 : 5))
          inMessage = false
          // RFC 2920, 3.1: a client that pipelined DATA after a rejected recipient ends it with an empty message.
          if (end > 0) whole++
          sayAt("message")
        } else {
          const end = input.indexOf("\r\n")
          if (end === -1) return
          const line = input.slice(0, end)
          input = input.slice(end + 2)
          command(line)
        }
      }
    })
    sayAt("greeting")
  }

  const server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The script has no port.")
  return {
    port: address.port,
    commands: () => [...seen],
    pieces: () => [...came],
    settled: async () => {
      if (open.size > 0) await new Promise<void>((resolve) => idle.push(resolve))
      return whole
    },
    tell: (line) => {
      for (const socket of open) socket.write(`${line}\r\n`)
    },
    set: (next) => {
      script = next
    },
    stop: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy()
        server.close(() => resolve())
      })
  }
}
