/**
 * The SMTP relay: accepts mail from programs that log in with an API key (docs/contributing/public-api.md "SMTP relay"; RFC
 * 5321, RFC 6409). It replies 250 to a message after the message is stored together with its delivery jobs.
 *
 * @module
 */
import { Data, Effect } from "effect"
import type { Socket } from "node:net"
import type { SMTPServerOptions } from "smtp-server"
import type { SMTPConnectionOptions } from "smtp-server/lib/smtp-connection.js"
import { Threads } from "../../../core/ports/Threads.ts"
import { answers } from "../../../core/relay/Answers.ts"
import { Relay } from "../../../core/relay/Relay.ts"
import type { Certificate } from "../Certificate.ts"
import { closeSoon, PlacedServer } from "../PlacedServer.ts"
import { Places } from "../Places.ts"
import { close, listen } from "../SmtpServer.ts"
import { defaultLimits, type Limits } from "./Limits.ts"
import { RelayConnection } from "./RelayConnection.ts"
import { makeRelayHandlers, type RelayHandlers } from "./RelayHandlers.ts"
import { makeTelemetry, type Telemetry } from "./Telemetry.ts"

/** The server cannot listen on a port. */
export class RelayPortTaken extends Data.TaggedError("RelayPortTaken")<{
  readonly port: number
  readonly cause: unknown
}> {}

/** A port of the relay. */
export interface RelayPort {
  /** 0 for any free one. */
  readonly port: number
  /** Whether the port is encrypted from the first byte, or with STARTTLS. */
  readonly implicitTls: boolean
}

/** Where the relay listens, its name, and its limits. */
export interface Options {
  /** Null for every address of the machine. */
  readonly host: string | null
  readonly ports: ReadonlyArray<RelayPort>
  /** The server's name in its greeting. */
  readonly mailHost: string
  readonly certificate: Certificate
  readonly limits?: Partial<Limits> | undefined
  /** Whether its ports and connections keep the process alive; by default true. */
  readonly keepsAlive?: boolean | undefined
  /** The places of its connections, which other servers may share. By default the relay has its own. */
  readonly places?: Places | undefined
}

/** A running relay. */
export interface RunningRelay {
  /** The ports on which it listens, in the order of the options. */
  readonly ports: ReadonlyArray<RelayPort>
  /** Uses a certificate for new connections. Throws if it is invalid. */
  readonly useCertificate: (certificate: Certificate) => void
}

/**
 * Ports below `privileged` require privileges. Without them, the relay listens on a port `unprivilegedOffset` higher
 * (docs/contributing/decisions.md 6).
 */
const privileged = 1024
const unprivilegedOffset = 10_000

/** The parts that all ports of a relay share. */
interface Shared {
  readonly limits: Limits
  readonly places: Places
  readonly telemetry: Telemetry
}

/** The server of one port: smtp-server's, with the connections of the relay. */
class PortServer extends PlacedServer {
  readonly #shared: Shared
  readonly #connections = new Map<string, RelayConnection>()

  constructor(options: SMTPServerOptions, handlers: RelayHandlers, shared: Shared) {
    super(
      {
        ...options,
        onAuth: (auth, session, done) =>
          handlers.onAuth(auth, session, this.#connections.get(session.id), done),
        onMailFrom: (_sender, session, done) => handlers.onMailFrom(session, done),
        onRcptTo: (to, _session, done) => handlers.onRcptTo(to, done),
        onData: (stream, session, done) =>
          handlers.onData({ stream, session, done, connection: this.#connections.get(session.id) })
      },
      shared.places
    )
    this.#shared = shared
  }

  override connect(socket: Socket, socketOptions: SMTPConnectionOptions | null = null): void {
    const place = this.placeOf(socket)
    const connection = new RelayConnection(this, socket, {
      options: socketOptions,
      limits: this.#shared.limits,
      onLogin: (accountId) => place?.authenticate(accountId) ?? true,
      onClosed: () => {
        this.#connections.delete(connection.id)
        this.#shared.telemetry.closed(connection.id)
        // Needed because STARTTLS replaces the socket and removes its listeners.
        place?.leave()
      }
    })
    place?.onEvict(() => {
      connection.end(answers.placeTaken)
      closeSoon(socket)
    })
    this.connections.add(connection)
    this.#connections.set(connection.id, connection)
    this.#shared.telemetry.opened(connection.id)
    connection.on("error", (error: Error) => this._onError(error))
    connection.init()
  }

  override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
    const release = super._acceptSocket(socket, handshake)
    if (release === false || !handshake) return release
    const { loginMillis } = this.#shared.limits
    const timer = setTimeout(() => this._pendingSockets.get(socket)?.destroy(), loginMillis)
    return () => {
      clearTimeout(timer)
      release()
    }
  }

  /** Closes idle connections immediately, and others after their message. */
  override close(done: () => void): void {
    super.close(done)
    for (const connection of this.#connections.values()) connection.stop()
  }
}

/** Listens until the scope closes. */
export const serveRelay = Effect.fnUntraced(function* (options: Options) {
  const relay = yield* Relay
  const limits: Limits = { ...defaultLimits, ...options.limits }
  const telemetry = yield* makeTelemetry
  const handlers = makeRelayHandlers({
    relay,
    context: yield* Effect.context(),
    threads: yield* Threads,
    telemetry,
    limits
  })
  const shared: Shared = { limits, places: options.places ?? new Places(limits), telemetry }
  const servers: Array<PortServer> = []
  const running: Array<RelayPort> = []

  // All ports are closed at the same time, so that clients of one need not wait for those of another.
  yield* Effect.addFinalizer(() =>
    Effect.forEach(servers, close, { concurrency: "unbounded", discard: true })
  )
  for (const requested of options.ports) {
    const server = new PortServer(serverOptions(options, limits, requested.implicitTls), handlers, shared)
    const port = yield* Effect.uninterruptible(listenOrSubstitute(server, options.host, requested.port))
    servers.push(server)
    if (options.keepsAlive === false) {
      server.server.unref()
      server.server.on("connection", (socket) => socket.unref())
    }
    running.push({ ...requested, port })
  }
  const result: RunningRelay = {
    ports: running,
    useCertificate: ({ cert, key }) => {
      for (const server of servers) server.updateSecureContext({ cert, key })
    }
  }
  return result
})

/** The options of smtp-server for one port. */
const serverOptions = (
  { certificate, mailHost }: Options,
  limits: Limits,
  implicitTls: boolean
): SMTPServerOptions => ({
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
  maxRecipients: limits.maxRecipients,
  maxCommandLength: limits.maxCommandLength,
  maxAllowedUnauthenticatedCommands: limits.maxErrors,
  socketTimeout: limits.idleMillis,
  closeTimeout: limits.graceMillis,
  disableReverseLookup: true,
  disabledCommands: ["EXPN", "HELP", "WIZ", "SHELL", "KILL", "XCLIENT", "XFORWARD"],
  logger: false
})

const hasCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code

const listenOn = (server: PortServer, host: string | null, port: number) =>
  Effect.mapError(listen(server, host, port), (cause) => new RelayPortTaken({ port, cause }))

/** Listens on a port, or on its substitute if privileges are missing. */
const listenOrSubstitute = (server: PortServer, host: string | null, port: number) =>
  Effect.catch(listenOn(server, host, port), (error) => {
    if (port === 0 || port >= privileged || !hasCode(error.cause, "EACCES")) return Effect.fail(error)
    const substitute = port + unprivilegedOffset
    return Effect.tap(listenOn(server, host, substitute), () =>
      Effect.logWarning(`SMTP port ${port} needs privileges: listening on ${substitute} instead`)
    )
  })
