/**
 * A mail server on 127.0.0.1, based on smtp-server, that accepts and stores messages, or replies as a test specifies.
 *
 * @module
 */
import { SMTPServer } from "smtp-server"

/** An accepted message. */
export interface SunkMessage {
  readonly mailFrom: string
  readonly rcptTo: ReadonlyArray<string>
  /** The raw message, with dots unstuffed. */
  readonly raw: string
  /** Whether the connection was encrypted. */
  readonly secure: boolean
  /** The host name in the client's EHLO. */
  readonly clientName: string
  /** The address from which the client connected. */
  readonly clientAddress: string
  /** The authenticated user; null if there is none. */
  readonly user: string | null
}

/** The stages at which the sink can reject. `message` is the reply to the message itself. */
export type SinkStage = "greeting" | "mail" | "rcpt" | "message"

/**
 * A reply such as `550 5.1.1 no such user`, `drop` to close the connection instead, `hang` to send nothing, or null to
 * accept.
 */
export type SinkAnswer = string | "drop" | "hang" | null

/** The settings of a sink. */
export interface SinkOptions {
  /** The port; a free one by default. */
  readonly port?: number
  /** Whether STARTTLS is offered, by default yes. `broken` offers it but fails the handshake. */
  readonly startTls?: "on" | "off" | "broken"
  /** Whether the connection is encrypted from the first byte. */
  readonly implicitTls?: boolean
  /** The certificate with its issuers, and the key; by default those of smtp-server. */
  readonly certificate?: { readonly cert: string; readonly key: string }
  /** The user and password it requires; none by default. */
  readonly login?: { readonly user: string; readonly pass: string }
  /** The delay before the reply to a message, in milliseconds. */
  readonly delay?: number
}

/** A running sink. */
export interface SmtpSink {
  readonly port: number
  /** In the format of `SVC_SMTP_URL`, without credentials. */
  readonly url: string
  /** The accepted messages, in the order they arrived. */
  readonly messages: () => ReadonlyArray<SunkMessage>
  /** Sets the reply at a stage. A function gets the address; at `message`, the message. */
  readonly answer: (stage: SinkStage, answer: SinkAnswer | ((about: string) => SinkAnswer)) => void
  /** The number of connections made so far and open now, and the most open at the same time. */
  readonly connections: () => { readonly made: number; readonly open: number; readonly peak: number }
  readonly stop: () => Promise<void>
}

const refusal = (reply: string): Error =>
  Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })

/** Starts a sink. */
export const startSmtpSink = async (options: SinkOptions = {}): Promise<SmtpSink> => {
  const { delay = 0, implicitTls = false, login, startTls = "on" } = options
  const taken: Array<SunkMessage> = []
  const answers = new Map<SinkStage, (about: string) => SinkAnswer>()
  let made = 0
  let peak = 0

  const drop = (id: string) => {
    for (const connection of server.connections) {
      if (connection.id === id) connection._socket.destroy()
    }
  }

  const decide = (stage: SinkStage, about: string, id: string, done: (error?: Error | null) => void) => {
    const answer = answers.get(stage)?.(about) ?? null
    if (answer === null) return done()
    if (answer === "hang") return
    if (answer === "drop") return drop(id)
    done(refusal(answer))
  }

  const server = new SMTPServer({
    banner: "sink",
    secure: implicitTls,
    hideSTARTTLS: startTls === "off",
    hideENHANCEDSTATUSCODES: true,
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    disabledCommands: [...(login === undefined ? ["AUTH"] : []), ...(startTls === "off" ? ["STARTTLS"] : [])],
    logger: false,
    closeTimeout: 200,
    // A handshake with an obsolete TLS version cannot succeed.
    ...options.certificate,
    ...(startTls === "broken" ? { minVersion: "TLSv1", maxVersion: "TLSv1" } : {}),
    onConnect: (session, done) => {
      made++
      peak = Math.max(peak, server.connections.size)
      decide("greeting", "", session.id, done)
    },
    onAuth: ({ password, username }, _session, done) => {
      if (username === login?.user && password === login?.pass) done(null, { user: username })
      else done(refusal("535 5.7.8 Authentication failed"))
    },
    onMailFrom: ({ address }, session, done) => decide("mail", address, session.id, done),
    onRcptTo: ({ address }, session, done) => decide("rcpt", address, session.id, done),
    onData: (stream, session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString("utf8")
        const finish = () =>
          decide("message", raw, session.id, (error) => {
            if (error) return done(error)
            const { mailFrom, rcptTo } = session.envelope
            taken.push({
              mailFrom: mailFrom ? mailFrom.address : "",
              rcptTo: rcptTo.map((to) => to.address),
              raw,
              secure: session.secure,
              clientName: session.hostNameAppearsAs || "",
              clientAddress: session.remoteAddress,
              user: typeof session.user === "string" ? session.user : null
            })
            done()
          })
        if (delay === 0) finish()
        else setTimeout(finish, delay)
      })
    }
  })
  // A client may abort a connection.
  server.on("error", () => undefined)

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, "127.0.0.1", () => resolve())
  })
  const address = server.server.address()
  if (address === null || typeof address === "string") throw new Error("The sink has no port.")

  return {
    port: address.port,
    url: `${implicitTls ? "smtps" : "smtp"}://127.0.0.1:${address.port}`,
    messages: () => [...taken],
    answer: (stage, answer) => {
      answers.set(stage, typeof answer === "function" ? answer : () => answer)
    },
    connections: () => ({ made, open: server.connections.size, peak }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
      })
  }
}
