/**
 * The inbound port: takes the reports of receiving servers by SMTP (RFC 5321), and nothing else. Mail is taken for
 * return paths that prove to be ours and for the operator's role addresses; it is answered 250 once what it says is
 * stored.
 *
 * @module
 */
import { Cause, Data, Effect, Exit } from "effect"
import type { AddressInfo } from "node:net"
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server"
import { Reports } from "../../../core/sending/reports/Reports.ts"
import { describeDefect } from "../../../core/shared/Defect.ts"
import { inSpan } from "../../../core/shared/Tracing.ts"
import type { Certificate } from "../Certificate.ts"

/** The address cannot be listened on. */
export class ReportPortTaken extends Data.TaggedError("ReportPortTaken")<{ readonly cause: unknown }> {}

/** Where to listen and as whom. */
export interface Options {
  /** Null for every address of the machine. */
  readonly host: string | null
  /** 0 for any free port. */
  readonly port: number
  /** The name the server introduces itself with. */
  readonly mailHost: string
  readonly certificate: Certificate
}

/** The largest message that is taken, in bytes: many servers return the whole message with their report. */
const maxBytes = 16 * 1024 * 1024

/** As much of a message is kept, from its beginning: what a report says comes before the message it returns. */
const keptBytes = 1024 * 1024

/** Past this many bytes of a message that is too large the connection is cut. */
const maxDiscarded = 2 * maxBytes

const maxConnections = 100
/** As many as a mail server opens to one destination unless told otherwise (Postfix: 20). */
const maxConnectionsOfAddress = 20
const maxRecipients = 20
/** Refused recipients after which a connection ends: who asks on is guessing. */
const maxRefused = 10
const idleMillis = 60_000
const connectionMillis = 600_000
/** How long taking one message in may last before its sender is asked to come again. */
const takeMillis = 20_000
/** How long connections may finish when the server stops. */
const graceMillis = 5_000

/** An answer of the server: a reply code and its text. */
class Refusal extends Error {
  readonly responseCode: number
  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

type Done = (error?: Error | null) => void

/** What a connection did so far. */
interface Guest {
  readonly address: string
  readonly timer: NodeJS.Timeout
  refused: number
}

/** A running inbound port. */
export interface RunningReports {
  readonly port: number
  /** Connections from now on are shown this certificate. Throws when it is none. */
  readonly useCertificate: (certificate: Certificate) => void
}

/** Listens until the scope closes. */
export const serveReports = Effect.fnUntraced(function* (options: Options) {
  const reports = yield* Reports
  const run = Effect.runCallbackWith(yield* Effect.context())
  const guests = new Map<string, Guest>()

  /** Answers 451 for whatever may be otherwise later. */
  const answer = <E>(effect: Effect.Effect<Refusal | null, E>, done: Done) =>
    run(
      Effect.timeoutOrElse(effect, {
        duration: takeMillis,
        orElse: () => Effect.succeed(new Refusal(451, "4.3.0 Not now, try again later"))
      }),
      {
        onExit: (exit) => {
          if (Exit.isSuccess(exit)) return done(exit.value)
          if (!Cause.hasDies(exit.cause)) return done(new Refusal(451, "4.3.0 Not now, try again later"))
          run(
            Effect.logError("A report could not be taken").pipe(
              Effect.annotateLogs(describeDefect(exit.cause))
            )
          )
          return done(new Refusal(451, "4.3.0 Not now, try again later"))
        }
      }
    )

  const cut = (id: string) => {
    for (const connection of server.connections) if (connection.id === id) connection.close()
  }

  const onConnect = (session: SMTPServerSession, done: Done) => {
    let ofAddress = 0
    for (const guest of guests.values()) if (guest.address === session.remoteAddress) ofAddress++
    if (ofAddress >= maxConnectionsOfAddress) return done(new Refusal(421, "Too many connections"))
    const timer = setTimeout(() => cut(session.id), connectionMillis)
    guests.set(session.id, { address: session.remoteAddress, timer, refused: 0 })
    return done()
  }

  const onClose = (session: SMTPServerSession) => {
    clearTimeout(guests.get(session.id)?.timer)
    guests.delete(session.id)
  }

  const onRcptTo = ({ address }: { readonly address: string }, session: SMTPServerSession, done: Done) =>
    answer(
      Effect.map(reports.accepts(address), (accepted) => {
        if (accepted) return null
        const guest = guests.get(session.id)
        const refused = guest === undefined ? 0 : ++guest.refused
        return refused >= maxRefused
          ? new Refusal(421, "4.7.0 Too many unknown recipients")
          : new Refusal(550, "5.1.1 No such address here")
      }),
      done
    )

  const onData = (stream: SMTPServerDataStream, session: SMTPServerSession, done: Done) => {
    const chunks: Array<Buffer> = []
    let kept = 0
    stream.on("data", (chunk: Buffer) => {
      const rest = chunk.subarray(0, keptBytes - kept)
      if (rest.length > 0) chunks.push(rest)
      kept += rest.length
      if (stream.byteLength > maxDiscarded) cut(session.id)
    })
    stream.on("end", () => {
      if (stream.sizeExceeded) return done(new Refusal(552, "5.3.4 The message is too large"))
      const recipients = session.envelope.rcptTo.map(({ address }) => address)
      const take = reports.take([{ recipients, raw: Buffer.concat(chunks) }])
      return answer(Effect.as(inSpan("smtp.report", { kind: "server", root: true }, take), null), done)
    })
  }

  const server = new SMTPServer({
    name: options.mailHost,
    banner: "reports only",
    key: options.certificate.key,
    cert: options.certificate.cert,
    minVersion: "TLSv1.2",
    size: maxBytes,
    maxClients: maxConnections,
    maxRecipients,
    socketTimeout: idleMillis,
    closeTimeout: graceMillis,
    disableReverseLookup: true,
    disabledCommands: ["AUTH", "VRFY", "EXPN", "HELP", "WIZ", "SHELL", "KILL", "XCLIENT", "XFORWARD"],
    logger: false,
    onConnect,
    onClose,
    onRcptTo,
    onData
  })
  yield* Effect.acquireRelease(listen(server, options), () => close(server))
  const running: RunningReports = {
    port: (server.server.address() as AddressInfo).port,
    useCertificate: ({ cert, key }) => server.updateSecureContext({ cert, key })
  }
  return running
})

const listen = (server: SMTPServer, { host, port }: Options) =>
  Effect.callback<void, ReportPortTaken>((resume) => {
    const refused = (cause: Error) => resume(Effect.fail(new ReportPortTaken({ cause })))
    server.once("error", refused)
    server.listen(port, host ?? undefined, () => {
      server.off("error", refused)
      // From now on errors are those of connections, which end by themselves.
      server.on("error", () => undefined)
      resume(Effect.void)
    })
  })

const close = (server: SMTPServer) =>
  Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
