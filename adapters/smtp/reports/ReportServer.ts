/**
 * The inbound mail server: accepts only the reports of receiving servers, by SMTP (RFC 5321). It accepts mail for return paths
 * that the service signed, for the operator's role addresses and for daily reports. It replies 250 after the report is stored.
 *
 * @module
 */
import { type Context, Data, Effect } from "effect"
import type { SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from "smtp-server"
import { PiecedBytes } from "../../../core/shared/Bytes.ts"
import { type CallerLimits, defaultCallerLimits } from "../../../core/shared/CallerLimits.ts"
import { MailReports } from "../../../core/sending/aggregates/MailReports.ts"
import { reportBounds } from "../../../core/ports/MailReportReader.ts"
import { Reports } from "../../../core/sending/reports/Reports.ts"
import { inSpan } from "../../../core/shared/Tracing.ts"
import type { Certificate } from "../Certificate.ts"
import { watchPace } from "../Pace.ts"
import { PlacedServer } from "../PlacedServer.ts"
import { type Place, Places } from "../Places.ts"
import { close, type Done, listen, Rejection, runCommand } from "../SmtpServer.ts"

/** The server cannot listen on its address. */
export class ReportPortTaken extends Data.TaggedError("ReportPortTaken")<{ readonly cause: unknown }> {}

/** Where the server listens, and under which name. */
export interface Options {
  /** Null for every address of the machine. */
  readonly host: string | null
  /** 0 for any free port. */
  readonly port: number
  /** The server's name in its greeting. */
  readonly mailHost: string
  readonly certificate: Certificate
  /** The places of its connections, which other servers may share. By default the server has its own. */
  readonly places?: Places | undefined
  readonly limits?: Partial<CallerLimits> | undefined
}

/** The largest message that is accepted, in bytes. Many servers return the whole message with their report. */
const maxBytes = 16 * 1024 * 1024

/** The number of bytes kept from the beginning of a message. A report precedes the message that it returns. */
const keptBytes = 1024 * 1024

/** If a message is too large, its connection is closed after this many bytes. */
const maxDiscarded = 2 * maxBytes

const maxRecipients = 20
/** After this many rejected recipients the connection is closed, because its client is guessing addresses. */
const maxRejected = 10
const idleMillis = 60_000
const connectionMillis = 600_000
/** How long a command may be processed, in milliseconds, before the reply is 451. */
const takeMillis = 20_000
/** How long connections may take to finish when the server stops, in milliseconds. */
const graceMillis = 5_000

const tooLarge = new Rejection(552, "5.3.4 The message is too large")
const busy = new Rejection(451, "4.3.0 Not now, try again later")
const placeTaken = new Rejection(421, "4.7.0 Too many connections, and no message came on this one")

/** The operation on the server's connections that handlers use. */
interface OpenConnections {
  /** Closes a connection, after a last reply if one is given. */
  readonly cut: (sessionId: string, reply?: Rejection) => void
  readonly placeOf: (sessionId: string) => Place | undefined
}

/** A connected client. */
interface Client {
  readonly place: Place | undefined
  readonly timer: NodeJS.Timeout
  /** The number of rejected recipients. */
  rejected: number
}

/** A running server. */
export interface RunningReports {
  readonly port: number
  /** Uses a certificate for new connections. Throws if it is invalid. */
  readonly useCertificate: (certificate: Certificate) => void
}

/** The size that a client declared with MAIL (RFC 1870); 0 if none. */
const declaredBytes = (sender: SMTPServerAddress | false): number =>
  sender === false || sender.args === false ? 0 : Number(sender.args["SIZE"]) || 0

/** Makes the command handlers for servers that send reports. */
const makeReportHandlers = (
  reports: Reports["Service"],
  mailReports: MailReports["Service"],
  context: Context.Context<never>,
  limits: CallerLimits,
  connections: OpenConnections
) => {
  const { cut, placeOf } = connections
  /** The bytes kept of messages on all connections, whose senders are not authenticated. */
  let held = 0
  const clients = new Map<string, Client>()

  /** Runs an effect that returns a rejection or null. The reply is 451 if it fails or takes too long. */
  const run = (effect: Effect.Effect<Rejection | null, unknown>, done: Done): void =>
    runCommand(
      effect,
      {
        context,
        millis: takeMillis,
        orElse: busy,
        defectMessage: "A report could not be taken"
      },
      done
    )

  return {
    onConnect: ({ id }: SMTPServerSession, done: Done): void => {
      const place = placeOf(id)
      place?.onEvict(() => cut(id, placeTaken))
      const timer = setTimeout(() => cut(id), connectionMillis)
      clients.set(id, { place, timer, rejected: 0 })
      return done()
    },
    onClose: ({ id }: SMTPServerSession): void => {
      const client = clients.get(id)
      clearTimeout(client?.timer)
      client?.place?.leave()
      clients.delete(id)
    },
    onRcptTo: ({ address }: SMTPServerAddress, { envelope, id }: SMTPServerSession, done: Done): void => {
      const isDaily = mailReports.kindOf(address) !== null
      // The size could not be checked at MAIL, when it was not known that this is a daily report.
      if (isDaily && declaredBytes(envelope.mailFrom) > reportBounds.message) return done(tooLarge)
      const accepts = isDaily ? Effect.succeed(true) : reports.accepts(address)
      const rejection = Effect.map(accepts, (accepted) => {
        const client = clients.get(id)
        if (accepted) {
          client?.place?.setStanding("KnowsRecipient")
          return null
        }
        const rejected = client === undefined ? 0 : ++client.rejected
        return rejected >= maxRejected
          ? new Rejection(421, "4.7.0 Too many unknown recipients")
          : new Rejection(550, "5.1.1 No such address here")
      })
      run(rejection, done)
    },
    onData: (stream: SMTPServerDataStream, { envelope, id }: SMTPServerSession, done: Done): void => {
      const recipients = envelope.rcptTo.map(({ address }) => address)
      const kinds = new Set(recipients.flatMap((recipient) => mailReports.kindOf(recipient) ?? []))
      // A daily report is read completely.
      const mostKept = kinds.size === 0 ? keptBytes : reportBounds.message
      const bytes = new PiecedBytes()
      let isBusy = false
      const release = () => {
        held -= bytes.size
        bytes.clear()
      }
      const stopWatching = watchPace({
        millis: limits.bodyMillis,
        minBytesPerSecond: limits.minBytesPerSecond,
        bytes: () => stream.byteLength,
        onSlow: () => cut(id, new Rejection(421, "4.4.2 The message comes too slowly"))
      })
      stream.on("data", (chunk: Buffer) => {
        const rest = isBusy ? chunk.subarray(0, 0) : chunk.subarray(0, mostKept - bytes.size)
        if (held + rest.length > limits.maxUnknownBytes) {
          isBusy = true
          release()
        } else if (rest.length > 0) {
          bytes.add(rest)
          held += rest.length
        }
        if (stream.byteLength > maxDiscarded) cut(id)
      })
      stream.once("close", () => {
        stopWatching()
        if (!stream.readableEnded) release()
      })
      stream.on("end", () => {
        stopWatching()
        const finish: Done = (error, text) => {
          release()
          // From now on the client is treated like a new one.
          clients.get(id)?.place?.setStanding("Unknown")
          done(error, text)
        }
        if (stream.sizeExceeded || (kinds.size > 0 && stream.byteLength > mostKept)) return finish(tooLarge)
        if (isBusy) return finish(busy)
        const raw = Buffer.from(bytes.whole())
        const others = recipients.filter((recipient) => mailReports.kindOf(recipient) === null)
        const take = Effect.andThen(
          Effect.forEach(kinds, (kind) => mailReports.take(kind, raw), { discard: true }),
          others.length === 0
            ? Effect.void
            : reports.take([{ recipients: others, raw: raw.subarray(0, keptBytes) }])
        )
        return run(Effect.as(inSpan("smtp.report", { kind: "server", root: true }, take), null), finish)
      })
    }
  }
}

/** Listens until the scope closes. */
export const serveReports = Effect.fnUntraced(function* (options: Options) {
  const limits: CallerLimits = { ...defaultCallerLimits, ...options.limits }
  const connectionOf = (id: string) => {
    for (const connection of server.connections) if (connection.id === id) return connection
    return undefined
  }
  const handlers = makeReportHandlers(yield* Reports, yield* MailReports, yield* Effect.context(), limits, {
    cut: (id, reply) => {
      const connection = connectionOf(id)
      if (reply !== undefined) connection?.send(reply.responseCode, reply.message)
      connection?.close()
    },
    placeOf: (id) => {
      const connection = connectionOf(id)
      return connection && server.placeOf(connection._socket)
    }
  })
  const server: PlacedServer = new PlacedServer(
    {
      name: options.mailHost,
      banner: "reports only",
      key: options.certificate.key,
      cert: options.certificate.cert,
      minVersion: "TLSv1.2",
      size: maxBytes,
      maxRecipients,
      socketTimeout: idleMillis,
      closeTimeout: graceMillis,
      disableReverseLookup: true,
      disabledCommands: ["AUTH", "VRFY", "EXPN", "HELP", "WIZ", "SHELL", "KILL", "XCLIENT", "XFORWARD"],
      logger: false,
      ...handlers
    },
    options.places ?? new Places(limits)
  )
  const port = yield* Effect.acquireRelease(listen(server, options.host, options.port), () =>
    close(server)
  ).pipe(Effect.mapError((cause) => new ReportPortTaken({ cause })))
  const running: RunningReports = {
    port,
    useCertificate: ({ cert, key }) => server.updateSecureContext({ cert, key })
  }
  return running
})
