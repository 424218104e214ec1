/**
 * One SMTP connection to a server, over nodemailer's: opened, used for messages one after another, closed.
 *
 * @module
 */
import { Data, Effect } from "effect"
import SMTPConnection from "nodemailer/lib/smtp-connection/index.js"
import { isIP } from "node:net"
import { TLSSocket } from "node:tls"
import type { Conversation, OutboundMessage } from "../../../core/model/Message.ts"
import { parseReply, type SmtpReply, type SmtpStage } from "../../../core/sending/delivery/SmtpReply.ts"
import { SmtpDialogue, maxReplyBytes } from "./SmtpDialogue.ts"
import { type MailTransaction, makeMailTransaction } from "./MailTransaction.ts"
import { type Limits, limits as defaults } from "./Limits.ts"
import { type SmtpError, stageOfCommand, wordOf } from "./SmtpError.ts"
import { Transcript } from "./Transcript.ts"

/** A server and how it is spoken to. */
export interface Peer {
  /** Its name, which a certificate would carry. */
  readonly host: string
  /** The address to connect to; the host's, as the system finds it, when they are the same. */
  readonly address: string
  readonly port: number
  /**
   * `implicit` from the first byte, `required` by STARTTLS or not at all, `offered` when the server offers it and the
   * upgrade succeeds, `never`.
   */
  readonly tls: "implicit" | "required" | "offered" | "never"
  /** Whether its certificate has to be valid for its name. */
  readonly verify: boolean
  readonly credentials: { readonly user: string; readonly pass: string } | null
  /** The name we introduce ourselves with. */
  readonly name: string
}

/** A connection could not be made, or the server did not want it. */
export class CannotOpen extends Data.TaggedError("CannotOpen")<{
  /** How far it came. */
  readonly stage: SmtpStage
  /** What the server said to it; null when it said nothing. */
  readonly reply: SmtpReply | null
  /** Whether the encryption failed, after the server offered it. */
  readonly tlsFailed: boolean
  readonly conversation: Conversation
}> {}

/** An open connection. It carries one message at a time. */
export interface Connection {
  /** Messages it was used for. */
  readonly uses: () => number
  /** Whether it can take another message. */
  readonly isOpen: () => boolean
  /** The protocol of its encryption, such as `TLSv1.3`; null without. */
  readonly tls: () => string | null
  /**
   * Hands a message over. `pointOfNoReturn` is asked once everything but the last bytes is sent; when it answers false
   * they are not, and the connection is cut, as it is by interrupting.
   */
  readonly deliver: (
    message: OutboundMessage,
    pointOfNoReturn: Effect.Effect<boolean>
  ) => Effect.Effect<MailTransaction>
  /** Says goodbye. */
  readonly quit: () => void
}

/** Opens a connection: greeting, EHLO, encryption, authentication. Interrupting closes it. */
export const open = (peer: Peer, limits: Limits = defaults): Effect.Effect<Connection, CannotOpen> =>
  Effect.callback<Connection, CannotOpen>((resume) => {
    const transcript = new Transcript()
    const smtp = new SMTPConnection({
      host: peer.address,
      port: peer.port,
      secure: peer.tls === "implicit",
      requireTLS: peer.tls === "required",
      opportunisticTLS: peer.tls === "offered",
      ignoreTLS: peer.tls === "never",
      name: peer.name,
      tls: { rejectUnauthorized: peer.verify },
      ...(isIP(peer.host) === 0 ? { servername: peer.host } : {}),
      connectionTimeout: limits.openMillis,
      greetingTimeout: limits.openMillis,
      dnsTimeout: limits.openMillis,
      // Above every stage's own limit, which is what ends a silent server.
      socketTimeout: 2 * limits.answerMillis,
      socketCloseTimeout: limits.closeMillis,
      maxResponseSize: maxReplyBytes,
      transactionLog: true,
      logger: transcript.logger
    })
    const context = contextOf(peer, smtp, transcript)
    let settled = false
    const settle = (result: Effect.Effect<Connection, CannotOpen>) => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      resume(result)
    }
    const fail = (error: SmtpError) => {
      const stage = stageOfCommand(transcript.lastCommand)
      const reply = error.response === undefined ? null : parseReply(error.response)
      const tlsFailed =
        reply === null && (stage === "StartTls" || peer.tls === "implicit") && wordOf(error) !== "timeout"
      settle(
        Effect.fail(
          new CannotOpen({ stage, reply, tlsFailed, conversation: context.conversation(wordOf(error)) })
        )
      )
      smtp.close()
    }
    const timer = setTimeout(
      () => fail(Object.assign(new Error("timeout"), { code: "ETIMEDOUT" })),
      limits.openMillis
    )
    const failClosed = () => fail(Object.assign(new Error("closed"), { code: "ECONNECTION" }))
    const succeed = () => {
      const socket = smtp._socket
      if (!socket) return failClosed()
      // A message's last bytes are written by themselves: held back for an acknowledgement, they would wait 40 ms.
      socket.setNoDelay(true)
      const exchange = new SmtpDialogue(smtp, socket, transcript)
      smtp.off("error", fail)
      smtp.off("end", failClosed)
      settle(Effect.succeed(connectionOf(exchange, context, limits)))
    }
    smtp.on("error", fail)
    smtp.once("end", failClosed)
    smtp.connect((error) => {
      if (error) return fail(error)
      context.secured()
      if (peer.credentials === null) return succeed()
      smtp.login({ ...peer.credentials }, (refused) => (refused ? fail(refused) : succeed()))
    })
    return Effect.sync(() => {
      clearTimeout(timer)
      smtp.close()
      if (smtp._socket) smtp._socket.destroy()
    })
  })

interface ConnectionContext {
  readonly transcript: Transcript
  /** Notes how the connection is encrypted, which a closed one no longer tells. */
  readonly secured: () => void
  readonly conversation: (error: string | null) => Conversation
}

const contextOf = (peer: Peer, smtp: SMTPConnection, transcript: Transcript): ConnectionContext => {
  const { address, host } = peer
  let tls: string | null = null
  return {
    transcript,
    secured: () => {
      const socket: unknown = smtp._socket
      if (socket instanceof TLSSocket) tls = socket.getProtocol()
    },
    conversation: (error) => ({
      host: address === host ? host : `${host} [${address}]`,
      tls,
      replies: transcript.replies(),
      error
    })
  }
}

const connectionOf = (exchange: SmtpDialogue, context: ConnectionContext, limits: Limits): Connection => {
  const { conversation, transcript } = context
  const handOver = makeMailTransaction({ exchange, transcript, conversation, limits })
  let uses = 0
  const deliver: Connection["deliver"] = (message, pointOfNoReturn) =>
    Effect.suspend(() => {
      if (uses > 0) transcript.restart()
      uses++
      return handOver(message, pointOfNoReturn)
    })
  return {
    uses: () => uses,
    isOpen: () => exchange.broken === null,
    tls: () => conversation(null).tls,
    deliver,
    quit: () => exchange.quit(limits.closeMillis)
  }
}
