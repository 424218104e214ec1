/**
 * The inbound mail port: accepts the reports of receiving servers by SMTP (RFC 5321), and nothing else. It accepts mail
 * for return paths that the service signed and for the operator's role addresses, and replies 250 once the report is
 * stored.
 *
 * @module
 */
import { type Context, Data, Effect } from "effect"
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerSession
} from "smtp-server"
import { Reports } from "../../../core/sending/reports/Reports.ts"
import { inSpan } from "../../../core/shared/Tracing.ts"
import type { Certificate } from "../Certificate.ts"
import { close, type Done, listen, Rejection, runCommand } from "../SmtpServer.ts"

/** The server cannot listen on its address. */
export class ReportPortTaken extends Data.TaggedError("ReportPortTaken")<{ readonly cause: unknown }> {}

/** Where and under which name the server listens. */
export interface Options {
  /** Null for every address of the machine. */
  readonly host: string | null
  /** 0 for any free port. */
  readonly port: number
  /** The name of the server in its greeting. */
  readonly mailHost: string
  readonly certificate: Certificate
}

/** The largest message that is accepted, in bytes: many servers return the whole message with their report. */
const maxBytes = 16 * 1024 * 1024

/** The bytes of a message that are kept, from its beginning: a report comes before the message it returns. */
const keptBytes = 1024 * 1024

/** The bytes of a message that is too large after which the connection is closed. */
const maxDiscarded = 2 * maxBytes

const maxConnections = 100
/** As many as a mail server opens to one destination by default (Postfix: 20). */
const maxConnectionsOfAddress = 20
const maxRecipients = 20
/** Rejected recipients after which a connection is closed: its client is guessing addresses. */
const maxRejected = 10
const idleMillis = 60_000
const connectionMillis = 600_000
/** How long a command may be processed before the reply is 451. */
const takeMillis = 20_000
/** How long connections may finish when the server stops. */
const graceMillis = 5_000

/** A client that is connected. */
interface Client {
  readonly address: string
  readonly timer: NodeJS.Timeout
  /** Recipients that were rejected. */
  rejected: number
}

/** A running server. */
export interface RunningReports {
  readonly port: number
  /** Uses a certificate for new connections. Throws when it is invalid. */
  readonly useCertificate: (certificate: Certificate) => void
}

/** Makes the handlers of the commands of the servers that send reports. `cut` closes a connection. */
const makeReportHandlers = (
  reports: Reports["Service"],
  context: Context.Context<never>,
  cut: (sessionId: string) => void
) => {
  const clients = new Map<string, Client>()

  /** Runs an effect that returns a rejection or null; 451 for every failure, and for one that takes too long. */
  const run = (effect: Effect.Effect<Rejection | null, unknown>, done: Done): void =>
    runCommand(
      effect,
      {
        context,
        millis: takeMillis,
        orElse: new Rejection(451, "4.3.0 Not now, try again later"),
        defectMessage: "A report could not be taken"
      },
      done
    )

  return {
    onConnect: ({ id, remoteAddress }: SMTPServerSession, done: Done): void => {
      let ofAddress = 0
      for (const client of clients.values()) if (client.address === remoteAddress) ofAddress++
      if (ofAddress >= maxConnectionsOfAddress) return done(new Rejection(421, "Too many connections"))
      const timer = setTimeout(() => cut(id), connectionMillis)
      clients.set(id, { address: remoteAddress, timer, rejected: 0 })
      return done()
    },
    onClose: ({ id }: SMTPServerSession): void => {
      clearTimeout(clients.get(id)?.timer)
      clients.delete(id)
    },
    onRcptTo: ({ address }: SMTPServerAddress, { id }: SMTPServerSession, done: Done): void => {
      const rejection = Effect.map(reports.accepts(address), (accepted) => {
        if (accepted) return null
        const client = clients.get(id)
        const rejected = client === undefined ? 0 : ++client.rejected
        return rejected >= maxRejected
          ? new Rejection(421, "4.7.0 Too many unknown recipients")
          : new Rejection(550, "5.1.1 No such address here")
      })
      run(rejection, done)
    },
    onData: (stream: SMTPServerDataStream, { envelope, id }: SMTPServerSession, done: Done): void => {
      const chunks: Array<Buffer> = []
      let kept = 0
      stream.on("data", (chunk: Buffer) => {
        const rest = chunk.subarray(0, keptBytes - kept)
        if (rest.length > 0) chunks.push(rest)
        kept += rest.length
        if (stream.byteLength > maxDiscarded) cut(id)
      })
      stream.on("end", () => {
        if (stream.sizeExceeded) return done(new Rejection(552, "5.3.4 The message is too large"))
        const recipients = envelope.rcptTo.map(({ address }) => address)
        const take = reports.take([{ recipients, raw: Buffer.concat(chunks) }])
        return run(Effect.as(inSpan("smtp.report", { kind: "server", root: true }, take), null), done)
      })
    }
  }
}

/** Listens until the scope closes. */
export const serveReports = Effect.fnUntraced(function* (options: Options) {
  const cut = (id: string) => {
    for (const connection of server.connections) if (connection.id === id) connection.close()
  }
  const handlers = makeReportHandlers(yield* Reports, yield* Effect.context(), cut)
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
    ...handlers
  })
  const port = yield* Effect.acquireRelease(listen(server, options.host, options.port), () =>
    close(server)
  ).pipe(Effect.mapError((cause) => new ReportPortTaken({ cause })))
  const running: RunningReports = {
    port,
    useCertificate: ({ cert, key }) => server.updateSecureContext({ cert, key })
  }
  return running
})
