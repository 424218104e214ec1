/**
 * The SMTP relay: takes the mail of programs that log in with an API key (public-api, SMTP relay; RFC 5321, RFC 6409).
 * A message is answered 250 once it is stored with its delivery work.
 *
 * @module
 */
import { Cause, type Context, Data, Effect, Exit, Redacted, Semaphore } from "effect"
import type { AddressInfo, Socket } from "node:net"
import {
  SMTPServer,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession
} from "smtp-server"
import type { SMTPConnectionOptions } from "smtp-server/lib/smtp-connection.js"
import { type Answer, answerOf, answers, queuedAs } from "../../../core/relay/Answers.ts"
import { type Entry, Relay } from "../../../core/relay/Relay.ts"
import { describeDefect } from "../../../core/shared/Defect.ts"
import { parseEmail } from "../../../core/shared/EmailAddress.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import type { Certificate } from "../Certificate.ts"
import { type Held, takeIn } from "./Intake.ts"
import { defaultLimits, type Limits } from "./Limits.ts"
import { readMail } from "./MailReader.ts"
import { RelayConnection } from "./RelayConnection.ts"
import { makeTelemetry, type Telemetry } from "./Telemetry.ts"

/** A port cannot be listened on. */
export class RelayPortTaken extends Data.TaggedError("RelayPortTaken")<{
  readonly port: number
  readonly cause: unknown
}> {}

/** A port of the relay. */
export interface RelayPort {
  /** 0 for any free one. */
  readonly port: number
  /** Encrypted from the first byte, or by STARTTLS. */
  readonly implicitTls: boolean
}

/** Where to listen, as whom, and how much to take. */
export interface Options {
  /** Null for every address of the machine. */
  readonly host: string | null
  readonly ports: ReadonlyArray<RelayPort>
  /** The name the server introduces itself with. */
  readonly mailHost: string
  readonly certificate: Certificate
  readonly limits?: Partial<Limits> | undefined
}

/** A running relay. */
export interface RunningRelay {
  /** The ports listened on, in the order asked for. */
  readonly ports: ReadonlyArray<RelayPort>
  /** Connections from now on are shown this certificate. Throws when it is none. */
  readonly useCertificate: (certificate: Certificate) => void
}

/** Messages that are read at a time: it takes several times their size. */
const maxReading = 8

/** How long somebody refused may take to read why. */
const lingerMillis = 1_000

/** The ports below this one need privileges; without them a port this much higher takes their place (decisions 6). */
const privileged = 1024
const unprivilegedOffset = 10_000

/** An answer as smtp-server takes it. */
class Refusal extends Error {
  readonly responseCode: number
  constructor({ code, enhanced, text }: Answer) {
    super(`${enhanced} ${text}`)
    this.responseCode = code
  }
}

type Done = (error?: Error | null, text?: string) => void

/** Who logged in on a connection. */
interface Login {
  readonly accountId: string
  readonly key: Redacted.Redacted
}

/** What all ports of a relay share. */
interface Shared {
  readonly limits: Limits
  readonly held: Held
  /** Open connections by IP address. */
  readonly open: Map<string, number>
  readonly telemetry: Telemetry
}

/** A port's server: smtp-server's, with the relay's connections. */
class PortServer extends SMTPServer {
  readonly #shared: Shared
  readonly #connections = new Map<string, RelayConnection>()
  /** What gives back an open socket's place among those of its address, once. */
  readonly #leaving = new WeakMap<Socket, () => void>()

  constructor(options: SMTPServerOptions, shared: Shared) {
    super(options)
    this.#shared = shared
  }

  connectionOf({ id }: SMTPServerSession): RelayConnection | undefined {
    return this.#connections.get(id)
  }

  override connect(socket: Socket, socketOptions: SMTPConnectionOptions | null = null): void {
    const connection = new RelayConnection(this, socket, socketOptions, this.#shared.limits, () => {
      this.#connections.delete(connection.id)
      this.#shared.telemetry.closed(connection.id)
      // STARTTLS takes the socket over with all that listens to it.
      this.#leaving.get(socket)?.()
    })
    this.connections.add(connection)
    this.#connections.set(connection.id, connection)
    this.#shared.telemetry.opened(connection.id)
    connection.on("error", (error: Error) => this._onError(error))
    connection.init()
  }

  // Counted from the first packet on: a handshake that never ends is a connection too.
  override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
    const { limits, open } = this.#shared
    const address = socket.remoteAddress ?? ""
    const count = open.get(address) ?? 0
    if (count >= limits.maxConnectionsOfAddress) {
      socket.on("error", () => socket.destroy())
      const { code, enhanced, text } = answers.tooManyConnections
      if (handshake) socket.destroy()
      else
        socket.end(`${code} ${enhanced} ${text}\r\n`, () =>
          setTimeout(() => socket.destroy(), lingerMillis).unref()
        )
      return false
    }
    open.set(address, count + 1)
    const leave = () => {
      if (!this.#leaving.delete(socket)) return
      const left = (open.get(address) ?? 1) - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    }
    this.#leaving.set(socket, leave)
    socket.once("close", leave)
    const release = super._acceptSocket(socket, handshake)
    if (release === false || !handshake) return release
    // The socket on top: a handshake is not torn down from below.
    const timer = setTimeout(() => this._pendingSockets.get(socket)?.destroy(), limits.loginMillis)
    return () => {
      clearTimeout(timer)
      release()
    }
  }

  stop(): void {
    for (const connection of this.#connections.values()) connection.stop()
  }
}

/** Listens until the scope closes. */
export const serveRelay = Effect.fnUntraced(function* (options: Options) {
  const relay = yield* Relay
  const context = yield* Effect.context()
  const reading = yield* Semaphore.make(maxReading)
  const limits: Limits = { ...defaultLimits, ...options.limits }
  const telemetry = yield* makeTelemetry
  const shared: Shared = { limits, held: { bytes: 0 }, open: new Map(), telemetry }
  const servers: Array<PortServer> = []
  const running: Array<RelayPort> = []

  // All at once: one port's clients do not wait for the other's.
  yield* Effect.addFinalizer(() =>
    Effect.forEach(servers, close, { concurrency: "unbounded", discard: true })
  )
  for (const asked of options.ports) {
    const server = makeServer(relay, context, reading, shared, options, asked.implicitTls)
    const port = yield* Effect.uninterruptible(listenOr(server, options.host, asked.port))
    servers.push(server)
    running.push({ ...asked, port })
  }
  const result: RunningRelay = {
    ports: running,
    useCertificate: ({ cert, key }) => {
      for (const server of servers) server.updateSecureContext({ cert, key })
    }
  }
  return result
})

const makeServer = (
  relay: Relay["Service"],
  context: Context.Context<never>,
  reading: Semaphore.Semaphore,
  { limits, ...shared }: Shared,
  { certificate, mailHost }: Options,
  implicitTls: boolean
): PortServer => {
  const run = Effect.runCallbackWith(context)

  /** Runs what ends in an answer: 451 for whatever may be otherwise later. */
  const answerOfRun = (
    effect: Effect.Effect<Answer | null, unknown>,
    done: (answer: Answer | null) => void
  ) =>
    run(
      Effect.timeoutOrElse(effect, {
        duration: limits.takeMillis,
        orElse: () => Effect.succeed(answers.temporary)
      }),
      {
        onExit: (exit) => {
          if (Exit.isSuccess(exit)) return done(exit.value)
          if (Cause.hasDies(exit.cause)) {
            run(
              Effect.logError("A message could not be taken").pipe(
                Effect.annotateLogs(describeDefect(exit.cause))
              )
            )
          }
          return done(answers.temporary)
        }
      }
    )

  const onAuth: SMTPServerOptions["onAuth"] = ({ password: given }, session, done) => {
    const password = given ?? ""
    let accountId = ""
    const entering = Effect.map(relay.login(session.remoteAddress, password), (entry) => {
      if (entry._tag === "Authenticated") accountId = entry.accountId
      return refusalOf(entry)
    })
    answerOfRun(shared.telemetry.step(session.id, "login", entering), (answer) => {
      if (answer !== null) return done(new Refusal(answer))
      const login: Login = { accountId, key: Redacted.make(password, { label: "API key" }) }
      return done(null, { user: login })
    })
  }

  const onMailFrom = (_sender: unknown, session: SMTPServerSession, done: Done) => {
    const login = loginOf(session)
    if (login === null) return done(new Refusal(answers.loginRequired))
    const authenticate = Effect.map(relay.authenticate(Redacted.value(login.key)), refusalOf)
    return answerOfRun(shared.telemetry.step(session.id, "mail", authenticate), (answer) => {
      // The key was revoked since.
      if (answer === answers.loginRefused) session.user = undefined
      done(answer && new Refusal(answer))
    })
  }

  const onRcptTo = ({ address }: { readonly address: string }, _session: SMTPServerSession, done: Done) =>
    done(parseEmail(address) === null ? new Refusal(answers.badRecipient) : null)

  const take = Effect.fnUntraced(function* (accountId: string, session: SMTPServerSession, raw: Buffer) {
    const mail = yield* reading.withPermit(Effect.promise(() => readMail(raw)))
    if (mail === null) return answerOf(Problem.of("sending.message_unreadable"))
    const envelope = session.envelope.rcptTo.flatMap(({ address }) => parseEmail(address) ?? [])
    return yield* relay.accept(accountId, envelope, mail).pipe(
      Effect.map(queuedAs),
      Effect.catchTag("Problem", (problem) => Effect.succeed(answerOf(problem)))
    )
  })

  const onData = (stream: SMTPServerDataStream, session: SMTPServerSession, done: Done) => {
    const connection = server.connectionOf(session)
    const login = loginOf(session)
    const finish = (answer: Answer) => {
      intake.release()
      if (answer.code === 250) {
        connection?.accepted()
        done(null, `${answer.enhanced} ${answer.text}`)
      } else done(new Refusal(answer))
      connection?.answered()
    }
    const intake = takeIn(stream, limits, shared.held, {
      onCut: (answer) => connection?.end(answer),
      onEnd: (message) => {
        if (login === null) return finish(answers.loginRequired)
        if (!Buffer.isBuffer(message)) return finish(message)
        const taken = take(login.accountId, session, message)
        return answerOfRun(shared.telemetry.step(session.id, "message", taken), (answer) =>
          finish(answer ?? answers.temporary)
        )
      }
    })
  }

  const server = new PortServer(
    {
      secure: implicitTls,
      name: mailHost,
      banner: "svc",
      heloResponse: "%s",
      cert: certificate.cert,
      key: certificate.key,
      minVersion: "TLSv1.2",
      authMethods: ["PLAIN", "LOGIN"],
      authRequiredMessage: answers.loginRequired.text,
      hideENHANCEDSTATUSCODES: false,
      size: limits.maxMessageBytes,
      maxClients: limits.maxConnections,
      maxRecipients: limits.maxRecipients,
      maxCommandLength: limits.maxCommandLength,
      maxAllowedUnauthenticatedCommands: limits.maxErrors,
      socketTimeout: limits.idleMillis,
      closeTimeout: limits.graceMillis,
      disableReverseLookup: true,
      disabledCommands: ["EXPN", "HELP", "WIZ", "SHELL", "KILL", "XCLIENT", "XFORWARD"],
      logger: false,
      onAuth,
      onMailFrom,
      onRcptTo,
      onData
    },
    { limits, ...shared }
  )
  return server
}

const refusalOf = ({ _tag }: Entry): Answer | null => {
  switch (_tag) {
    case "Authenticated":
      return null
    case "Refused":
      return answers.loginRefused
    case "LockedOut":
      return answers.lockedOut
    case "RateLimited":
      return answers.tooManyMessages
  }
}

const loginOf = ({ user }: SMTPServerSession): Login | null => {
  const login: unknown = user
  return typeof login === "object" && login !== null ? (login as Login) : null
}

const hasCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code

const listen = (server: PortServer, host: string | null, port: number) =>
  Effect.callback<number, RelayPortTaken>((resume) => {
    const refused = (cause: Error) => resume(Effect.fail(new RelayPortTaken({ port, cause })))
    server.once("error", refused)
    server.listen(port, host ?? undefined, () => {
      server.off("error", refused)
      // From now on errors are those of connections, which end by themselves.
      server.on("error", () => undefined)
      resume(Effect.succeed((server.server.address() as AddressInfo).port))
    })
  })

/** Where privileges are missing for a port, the one that takes its place. */
const listenOr = (server: PortServer, host: string | null, port: number) =>
  Effect.catchTag(listen(server, host, port), "RelayPortTaken", (error) => {
    if (port === 0 || port >= privileged || !hasCode(error.cause, "EACCES")) return Effect.fail(error)
    const other = port + unprivilegedOffset
    return Effect.tap(listen(server, host, other), () =>
      Effect.logWarning(`SMTP port ${port} needs privileges: listening on ${other} in its place`)
    )
  })

/** Idle clients are told at once; a message on its way is finished. */
const close = (server: PortServer) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.stop()
  })
