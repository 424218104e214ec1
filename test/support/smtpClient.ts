/**
 * An SMTP client that sends exactly the bytes a test writes, and reads one reply at a time.
 *
 * @module
 */
import { connect as connectTcp, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"

/** The address of a relay. */
export interface SmtpAddress {
  readonly host: string
  readonly port: number
  readonly tls: boolean
}

/** A conversation. */
export interface SmtpClient {
  /** Sends bytes, or a string as UTF-8. */
  readonly write: (bytes: string | Uint8Array) => void
  /** The next reply, with its lines joined by line feeds; null if the connection ended first. */
  readonly read: () => Promise<string | null>
  /** Sends a line and reads the next reply. */
  readonly say: (line: string) => Promise<string>
  /** The number of chunks received so far. Over TLS, these are the server's writes. */
  readonly pieces: () => number
  /** Resolves once the connection has ended, with the unread replies. */
  readonly ended: Promise<ReadonlyArray<string>>
  /** Encrypts the connection, after the reply to `STARTTLS`. */
  readonly encrypt: () => Promise<void>
  /** Sends EHLO, encrypts the connection if necessary, and logs in. */
  readonly login: (key: string) => Promise<void>
  /** Sends a message, which must have CRLF line ends and escaped dots, and returns the reply. */
  readonly send: (recipients: ReadonlyArray<string>, message: string) => Promise<string>
  /** The negotiated TLS version. */
  readonly protocol: () => string | null
  /** The SHA-256 of the server's certificate, in hex. */
  readonly fingerprint: () => string
  readonly close: () => void
}

/** Options of a connection. */
export interface ClientOptions {
  /** The local address, any of 127.0.0.0/8. */
  readonly from?: string
  readonly minVersion?: "TLSv1" | "TLSv1.2"
  readonly maxVersion?: "TLSv1.1" | "TLSv1.2"
}

const replyTimeout = 60_000

/** Opens a connection. The greeting is the first reply. */
export const openSmtp = async (address: SmtpAddress, options: ClientOptions = {}): Promise<SmtpClient> => {
  const { from, ...versions } = options
  const security = { rejectUnauthorized: false, ...versions }
  let socket: Socket = connectTcp({
    host: address.host,
    port: address.port,
    ...(from === undefined ? {} : { localAddress: from })
  })
  let tls: ReturnType<typeof connectTls> | null = null
  let input = ""
  let lines: Array<string> = []
  const answers: Array<string> = []
  let waiting: ((answer: string | null) => void) | null = null
  let isOver = false
  let pieces = 0
  let finish: (left: ReadonlyArray<string>) => void = () => undefined
  const ended = new Promise<ReadonlyArray<string>>((resolve) => {
    finish = resolve
  })

  const deliver = (answer: string) => {
    if (waiting === null) answers.push(answer)
    else {
      const take = waiting
      waiting = null
      take(answer)
    }
  }
  const onData = (chunk: Buffer) => {
    pieces++
    input += chunk.toString("utf8")
    for (let end = input.indexOf("\r\n"); end !== -1; end = input.indexOf("\r\n")) {
      const line = input.slice(0, end)
      input = input.slice(end + 2)
      lines.push(line)
      if (!/^\d{3}-/.test(line)) {
        deliver(lines.join("\n"))
        lines = []
      }
    }
  }
  const onClose = () => {
    if (isOver) return
    isOver = true
    waiting?.(null)
    waiting = null
    finish(answers)
  }
  const listen = (on: Socket) => {
    on.setNoDelay(true)
    on.on("data", onData)
    on.on("error", () => on.destroy())
    on.on("close", onClose)
    on.on("end", onClose)
  }
  const encrypt = async () => {
    socket.removeAllListeners("data")
    const upgraded = connectTls({ socket, ...security })
    tls = upgraded
    socket = upgraded
    listen(upgraded)
    await new Promise<void>((resolve, reject) => {
      upgraded.once("secureConnect", resolve)
      upgraded.once("error", reject)
      upgraded.once("close", () => reject(new Error("The handshake was broken off.")))
    })
  }
  const read = (): Promise<string | null> => {
    const answer = answers.shift()
    if (answer !== undefined) return Promise.resolve(answer)
    if (isOver) return Promise.resolve(null)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("No reply came.")), replyTimeout)
      waiting = (taken) => {
        clearTimeout(timer)
        resolve(taken)
      }
    })
  }
  const write = (bytes: string | Uint8Array) => void socket.write(bytes)
  const say = async (line: string) => {
    write(`${line}\r\n`)
    return (await read()) ?? "the connection ended"
  }
  const expectCode = async (line: string, code: string) => {
    const answer = await say(line)
    if (!answer.startsWith(code)) throw new Error(`${line.split(" ")[0]} got the reply ${answer}`)
  }

  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve)
    socket.once("error", reject)
  })
  if (address.tls) await encrypt()
  else listen(socket)

  return {
    write,
    read,
    say,
    pieces: () => pieces,
    ended,
    encrypt,
    login: async (key) => {
      if (tls === null) {
        await expectCode("EHLO test.example", "250")
        await expectCode("STARTTLS", "220")
        await encrypt()
      }
      await expectCode("EHLO test.example", "250")
      await expectCode(`AUTH PLAIN ${plainToken(key)}`, "235")
    },
    send: async (recipients, message) => {
      for (const line of ["MAIL FROM:<bounces@any.example>", ...recipients.map((to) => `RCPT TO:<${to}>`)]) {
        const answer = await say(line)
        if (!answer.startsWith("250")) return answer
      }
      const go = await say("DATA")
      if (!go.startsWith("354")) return go
      return say(`${stuffed(message)}\r\n.`)
    },
    protocol: () => tls?.getProtocol() ?? null,
    fingerprint: () => tls?.getPeerCertificate().fingerprint256 ?? "",
    close: () => socket.destroy()
  }
}

/** The argument of AUTH PLAIN. */
export const plainToken = (key: string): string => Buffer.from(`\0svc\0${key}`).toString("base64")

/** The lines of a message in the format of DATA, without the line end after the last one. */
export const stuffed = (message: string): string =>
  message
    .split(/\r?\n/)
    .map((line) => (line.startsWith(".") ? `.${line}` : line))
    .join("\r\n")

/** Opens a connection, reads the greeting, logs in. */
export const loggedIn = async (
  address: SmtpAddress,
  key: string,
  options: ClientOptions = {}
): Promise<SmtpClient> => {
  const client = await openSmtp(address, options)
  await client.read()
  await client.login(key)
  return client
}
