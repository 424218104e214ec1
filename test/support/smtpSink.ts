/**
 * A mail server of a test's own on 127.0.0.1, built on smtp-server: takes messages and keeps them, or answers as the
 * test says.
 *
 * @module
 */
import { SMTPServer } from "smtp-server"

/** A message that was taken. */
export interface SunkMessage {
  readonly mailFrom: string
  readonly rcptTo: ReadonlyArray<string>
  /** The message as it came, its dots unstuffed. */
  readonly raw: string
  /** Whether it came encrypted. */
  readonly secure: boolean
  /** The name the sender introduced itself with. */
  readonly clientName: string
  /** The user who authenticated; null without. */
  readonly user: string | null
}

/** Where the sink can refuse. `message` is the answer to the message itself. */
export type SinkStage = "greeting" | "mail" | "rcpt" | "message"

/**
 * A reply such as `550 5.1.1 nobody here`, `drop` to close the connection instead, `hang` to say nothing, or null to
 * take it.
 */
export type SinkAnswer = string | "drop" | "hang" | null

/** How the sink behaves. */
export interface SinkOptions {
  /** The port; any free one unless given. */
  readonly port?: number
  /** Whether STARTTLS is offered; offered unless given. `broken` offers it and fails the handshake. */
  readonly startTls?: "on" | "off" | "broken"
  /** Whether the connection is encrypted from its first byte. */
  readonly implicitTls?: boolean
  /** The user and password it asks for; none unless given. */
  readonly login?: { readonly user: string; readonly pass: string }
  /** Before each answer to a message, milliseconds. */
  readonly delay?: number
}

/** A running sink. */
export interface SmtpSink {
  readonly port: number
  /** As `SVC_SMTP_URL` takes it, without credentials. */
  readonly url: string
  /** What it took, in the order it came. */
  readonly messages: () => ReadonlyArray<SunkMessage>
  /** Answers a stage so from now on; a function is given the address, or the message at `message`. */
  readonly answer: (stage: SinkStage, answer: SinkAnswer | ((about: string) => SinkAnswer)) => void
  /** Connections so far, and those open now, and the most at once. */
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
    disabledCommands: login === undefined ? ["AUTH"] : [],
    logger: false,
    closeTimeout: 200,
    // A handshake with a version nobody speaks any more cannot succeed.
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
              user: typeof session.user === "string" ? session.user : null
            })
            done()
          })
        if (delay === 0) finish()
        else setTimeout(finish, delay)
      })
    }
  })
  // What a client breaks off is its own affair.
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
