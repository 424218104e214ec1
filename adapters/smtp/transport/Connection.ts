/**
 * A connection to an SMTP server, based on nodemailer's. It is opened, used for one message after another, and closed.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { isIP } from "node:net"
import { TLSSocket } from "node:tls"
import type { Conversation, OutboundMessage } from "../../../core/model/Message.ts"
import type { HostTerms, TlsError, TlsResult } from "../../../core/model/TlsTerms.ts"
import { parseReply, type SmtpReply, type SmtpStage } from "../../../core/sending/shaping/SmtpReply.ts"
import { SmtpDialogue, maxReplyBytes } from "./SmtpDialogue.ts"
import { SMTPConnection, socketOf } from "./Nodemailer.ts"
import type { AddressSlot, ConnectionPlace } from "./AddressSlots.ts"
import { checkCertificate } from "../CertificateCheck.ts"
import { makeMailTransaction, type TransactionTerms } from "./MailTransaction.ts"
import { type Limits, limits as defaults } from "./Limits.ts"
import { reasonOf, type SmtpError, stageOfCommand } from "./SmtpError.ts"
import type { TransactionResult } from "./TransactionResult.ts"
import { Transcript } from "./Transcript.ts"

/** A server, and how to connect to it. */
export interface Peer {
  /** The server's name, for which a certificate would be valid. */
  readonly host: string
  /** The address to connect to, or the host if the system is to resolve it. */
  readonly address: string
  readonly port: number
  /**
   * `implicit` encrypts from the first byte. `required` uses STARTTLS or fails. `offered` uses STARTTLS if the server offers it
   * and the upgrade succeeds. `never` does not encrypt.
   */
  readonly tls: "implicit" | "required" | "offered" | "never"
  /** Whether the certificate must be valid for the server's name. */
  readonly verify: boolean
  readonly credentials: { readonly user: string; readonly pass: string } | null
  /** The name of this host in EHLO. */
  readonly name: string
  /** The address to connect from. By default the system chooses it. */
  readonly localAddress?: string
  /** Whether attempts show the texts of its replies, or only the codes. */
  readonly showsReplies: boolean
  /** The terms of encryption; absent if `tls` and `verify` are sufficient. */
  readonly security?: PeerSecurity
}

/** The encryption that a domain requires of a server. */
export interface PeerSecurity {
  readonly terms: HostTerms
  /** Identifies the terms. A kept connection is used only for messages with the same terms. */
  readonly key: string
  /** Certificates that are trusted instead of the platform's, in PEM. */
  readonly ca?: string | undefined
  /** Called with the result of each connection. */
  readonly observe: (result: TlsResult, source: string) => void
}

/** A connection could not be opened, or the server rejected it. */
export class CannotOpen extends Data.TaggedError("CannotOpen")<{
  /** The stage in which opening failed. */
  readonly stage: SmtpStage
  /** The server's reply in that stage; null if there was none. */
  readonly reply: SmtpReply | null
  /** Whether encryption failed after the server had offered it. */
  readonly tlsFailed: boolean
  /** Whether the connection did not satisfy its terms. */
  readonly insecure: boolean
  readonly conversation: Conversation
}> {}

/**
 * Opens a connection: greeting, EHLO, encryption, authentication. Interruption closes it.
 *
 * @param slot its place at the address, released after the connection is closed
 * @param place its place in the lane, released at the same time
 * @param onCommand called with each command, without secrets
 */
export const open = (
  peer: Peer,
  limits: Limits = defaults,
  slot: AddressSlot | null = null,
  place: ConnectionPlace | null = null,
  onCommand?: (command: string) => void
): Effect.Effect<Connection, CannotOpen> =>
  Effect.callback<Connection, CannotOpen>((resume) => {
    const transcript = new Transcript((command) => {
      // The first command is sent after the greeting.
      if (transcript.lastCommand === undefined) expireIn(limits.helloMillis)
      onCommand?.(command)
    })
    const smtp = new SMTPConnection(optionsOf(peer, limits, transcript))
    const context = new ConnectionContext(peer, smtp, transcript)
    let isDone = false
    const end = (result: Effect.Effect<Connection, CannotOpen>) => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      releaseOnceClosed()
      resume(result)
    }
    const release = () => {
      slot?.release()
      place?.release()
    }
    const releaseOnceClosed = () => {
      const socket = socketOf(smtp)
      if (socket === null || socket.closed) release()
      else socket.once("close", release)
    }
    const fail = (error: SmtpError) => {
      end(Effect.fail(context.cannotOpen(error)))
      smtp.close()
    }
    let timer: NodeJS.Timeout | undefined
    const expireIn = (millis: number) => {
      clearTimeout(timer)
      timer = setTimeout(() => fail(Object.assign(new Error("timeout"), { code: "ETIMEDOUT" })), millis)
    }
    expireIn(limits.openMillis)
    const failClosed = () => fail(Object.assign(new Error("closed"), { code: "ECONNECTION" }))
    const succeed = () => {
      const socket = socketOf(smtp)
      if (socket === null) return failClosed()
      // The last bytes of a message are a separate write. If they waited for an acknowledgement, that would take 40 ms.
      socket.setNoDelay(true)
      const dialogue = new SmtpDialogue(smtp, socket, transcript)
      smtp.off("error", fail)
      smtp.off("end", failClosed)
      end(Effect.succeed(new Connection(dialogue, context, limits, slot, place)))
    }
    smtp.on("error", fail)
    smtp.once("end", failClosed)
    smtp.connect((error) => {
      if (error) return fail(error)
      const refusal = context.noteEncryption()
      if (refusal !== null) return fail(refusal)
      if (peer.credentials === null) return succeed()
      smtp.login({ ...peer.credentials }, (rejected) => (rejected ? fail(rejected) : succeed()))
    })
    return Effect.sync(() => {
      clearTimeout(timer)
      releaseOnceClosed()
      smtp.close()
      socketOf(smtp)?.destroy()
    })
  })

const optionsOf = (peer: Peer, limits: Limits, transcript: Transcript): SMTPConnection.Options => ({
  host: peer.address,
  port: peer.port,
  secure: peer.tls === "implicit",
  requireTLS: peer.tls === "required",
  opportunisticTLS: peer.tls === "offered",
  ignoreTLS: peer.tls === "never",
  name: peer.name,
  ...(peer.localAddress === undefined ? {} : { localAddress: peer.localAddress }),
  tls: {
    rejectUnauthorized: peer.verify,
    ...(peer.tls === "required" ? { minVersion: "TLSv1.2" as const } : {}),
    ...(peer.security?.ca === undefined ? {} : { ca: peer.security.ca })
  },
  ...(isIP(peer.host) === 0 ? { servername: peer.host } : {}),
  connectionTimeout: limits.openMillis,
  greetingTimeout: limits.openMillis,
  dnsTimeout: limits.openMillis,
  // Longer than the time limit of any stage, so that those limits end the wait for a silent server.
  socketTimeout: 2 * limits.answerMillis,
  socketCloseTimeout: limits.closeMillis,
  maxResponseSize: maxReplyBytes,
  transactionLog: true,
  logger: transcript.logger
})

/** The facts about a connection: its server, its encryption and its replies. */
class ConnectionContext {
  readonly peer: Peer
  readonly #smtp: SMTPConnection
  readonly transcript: Transcript
  /** The version of TLS; null without encryption. */
  tls: string | null = null
  /** How the connection violated its terms; null if it did not. */
  #breach: TlsError | null = null

  constructor(peer: Peer, smtp: SMTPConnection, transcript: Transcript) {
    this.peer = peer
    this.#smtp = smtp
    this.transcript = transcript
  }

  /**
   * Stores how the connection is encrypted, which cannot be read after it is closed. Returns an error if that does not satisfy
   * its terms.
   */
  noteEncryption(): SmtpError | null {
    const socket = socketOf(this.#smtp)
    const { security } = this.peer
    if (socket instanceof TLSSocket) this.tls = socket.getProtocol()
    if (security === undefined || socket === null) return null
    const { certificate, errors, isRequired, isTesting } = security.terms
    const result = !(socket instanceof TLSSocket)
      ? "starttls-not-supported"
      : certificate === null
        ? "success"
        : checkCertificate(socket, certificate, Date.now())
    security.observe(result, socket.localAddress ?? "")
    if (result === "success" || isTesting || !isRequired) return null
    this.#breach = result === "starttls-not-supported" ? errors.noTls : errors.certificate
    return new Error(this.#breach)
  }

  /** The conversation so far, with the reason why it failed; null if it did not. */
  conversation(error: string | null): Conversation {
    const { address, host } = this.peer
    return {
      host: address === host ? host : `${host} [${address}]`,
      tls: this.tls,
      replies: this.peer.showsReplies ? this.transcript.replies() : this.transcript.codes(),
      error
    }
  }

  cannotOpen(error: SmtpError): CannotOpen {
    const stage = stageOfCommand(this.transcript.lastCommand)
    const { security } = this.peer
    if (
      this.#breach === null &&
      security?.terms.isRequired === true &&
      stage === "StartTls" &&
      error.code !== "ETIMEDOUT"
    ) {
      this.#breach = security.terms.errors.noTls
      security.observe(error.response === undefined ? "validation-failure" : "starttls-not-supported", "")
    }
    if (this.#breach !== null)
      return new CannotOpen({
        stage,
        reply: null,
        tlsFailed: false,
        insecure: true,
        conversation: this.conversation(this.#breach)
      })
    const reply = error.response === undefined ? null : parseReply(error.response)
    const reason = reasonOf(error)
    const tlsFailed =
      reply === null && (stage === "StartTls" || this.peer.tls === "implicit") && reason !== "timeout"
    return new CannotOpen({
      stage,
      reply,
      tlsFailed,
      insecure: false,
      conversation: this.conversation(reason)
    })
  }
}

/** An open connection. It sends one message at a time. */
export class Connection {
  readonly #dialogue: SmtpDialogue
  readonly #context: ConnectionContext
  readonly #limits: Limits
  readonly #send: ReturnType<typeof makeMailTransaction>
  /** Its place at the server's address; null if places are not counted. */
  readonly slot: AddressSlot | null
  /** Its place in the lane; null if places are not counted. */
  readonly place: ConnectionPlace | null
  #uses = 0

  constructor(
    dialogue: SmtpDialogue,
    context: ConnectionContext,
    limits: Limits,
    slot: AddressSlot | null,
    place: ConnectionPlace | null
  ) {
    this.#dialogue = dialogue
    this.#context = context
    this.#limits = limits
    this.#send = makeMailTransaction({
      dialogue,
      transcript: context.transcript,
      conversation: (error) => context.conversation(error)
    })
    this.slot = slot
    this.place = place
  }

  /** The connected server. */
  get peer(): Peer {
    return this.#context.peer
  }

  /** How many messages the connection was used for. */
  uses(): number {
    return this.#uses
  }

  /** Whether it can send another message. */
  isOpen(): boolean {
    return this.#dialogue.broken === null
  }

  /** The version of TLS, such as `TLSv1.3`; null without encryption. */
  tls(): string | null {
    return this.#context.tls
  }

  /** The server's last replies. */
  replies(): ReadonlyArray<string> {
    return this.#context.transcript.replies()
  }

  /** Sends a message; see {@link makeMailTransaction}. */
  send(message: OutboundMessage, terms: TransactionTerms): Effect.Effect<TransactionResult> {
    return Effect.suspend(() => {
      if (this.#uses > 0) this.#context.transcript.restart()
      this.#uses++
      return this.#send(message, terms)
    })
  }

  /** Closes the connection with QUIT. */
  quit(): void {
    this.#dialogue.quit(this.#limits.closeMillis)
  }
}
