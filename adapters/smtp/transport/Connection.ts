/**
 * One SMTP connection to a server, over nodemailer's: opened, used for messages one after another, closed.
 *
 * @module
 */
import { Data, Effect } from "effect"
import SMTPConnection from "nodemailer/lib/smtp-connection/index.js"
import { isIP } from "node:net"
import { TLSSocket } from "node:tls"
import type { Conversation, OutboundMessage } from "../../../core/sending/Message.ts"
import { parseReply, type SmtpReply, type SmtpStage } from "../../../core/sending/SmtpReply.ts"
import { type Limits, limits as defaults } from "./Limits.ts"
import { MessageStream } from "./MessageStream.ts"
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

/** What became of a message on a connection. */
export type Handover =
  | { readonly _tag: "Taken"; readonly conversation: Conversation }
  | {
      readonly _tag: "Answered"
      readonly stage: SmtpStage
      readonly reply: SmtpReply
      readonly conversation: Conversation
    }
  | { readonly _tag: "Impossible"; readonly conversation: Conversation }
  | {
      readonly _tag: "Broken"
      /** How far it came: `asked` once the point of no return was asked for, `committed` once the last byte may have left. */
      readonly progress: "none" | "asked" | "committed"
      readonly conversation: Conversation
    }
  | { readonly _tag: "Withdrawn"; readonly conversation: Conversation }

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
  ) => Effect.Effect<Handover>
  /** Says goodbye. */
  readonly quit: () => void
}

const isUtf8 = (text: string): boolean => /[^\x00-\x7f]/.test(text)

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
      maxResponseSize: 65_536,
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
    // Stays for the connection's life: what breaks an idle one is nobody's error.
    smtp.on("error", fail)
    smtp.once("end", () => fail(Object.assign(new Error("closed"), { code: "ECONNECTION" })))
    smtp.connect((error) => {
      if (error) return fail(error)
      // The message's last bytes are written by themselves: held back for an acknowledgement, they would wait 40 ms.
      if (smtp._socket) smtp._socket.setNoDelay(true)
      context.secured()
      if (peer.credentials === null) return settle(Effect.succeed(connectionOf(smtp, context, limits)))
      smtp.login({ ...peer.credentials }, (refused) =>
        refused ? fail(refused) : settle(Effect.succeed(connectionOf(smtp, context, limits)))
      )
    })
    return Effect.sync(() => {
      clearTimeout(timer)
      smtp.close()
      cut(smtp)
    })
  })

/** Ends a connection without the courtesies of closing. */
const cut = (smtp: SMTPConnection): void => {
  if (smtp._socket) smtp._socket.destroy()
}

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

/**
 * A message this short leaves in one piece with its last bytes, which saves a write. A longer one would fill what a socket
 * holds back, and wait for it for ever.
 */
const shortBytes = 8192

type SendResult = { readonly error: SmtpError | null }

const connectionOf = (smtp: SMTPConnection, context: ConnectionContext, limits: Limits): Connection => {
  const { conversation, transcript } = context
  let uses = 0
  let needsReset = false

  const reset = (): Effect.Effect<boolean> =>
    Effect.callback<boolean>((resume) => {
      const end = (isReset: boolean) => {
        clearTimeout(timer)
        smtp.off("end", lost)
        resume(Effect.succeed(isReset))
      }
      const lost = () => end(false)
      const timer = setTimeout(lost, limits.resetMillis)
      smtp.once("end", lost)
      smtp.reset((error) => end(!error))
      return Effect.sync(() => {
        clearTimeout(timer)
        smtp.off("end", lost)
      })
    })

  const deliver: Connection["deliver"] = Effect.fnUntraced(
    function* (message, pointOfNoReturn) {
      if (uses > 0) transcript.restart()
      uses++
      const broken = (progress: "none" | "asked" | "committed", error: string): Handover => {
        smtp.close()
        return { _tag: "Broken", progress, conversation: conversation(error) }
      }
      if (needsReset && !(yield* reset())) return broken("none", "connection_lost")
      needsReset = false

      const utf8 = isUtf8(message.recipient) || isUtf8(message.returnPath)
      if (utf8 && !transcript.supports("SMTPUTF8")) {
        return { _tag: "Impossible", conversation: conversation("no_smtputf8") } satisfies Handover
      }

      let result: SendResult | null = null
      let started = false
      let bodyLeft = false
      let changed = () => undefined as void
      const held = message.raw.length <= shortBytes && smtp._socket ? smtp._socket : null
      const stream = new MessageStream(
        message.raw,
        () => {
          started = true
          held?.cork()
          changed()
        },
        () => {
          bodyLeft = true
          changed()
        }
      )
      const envelope = { from: message.returnPath, to: [message.recipient], size: message.raw.length }
      smtp.send(envelope, stream, (error) => {
        result = { error: error ?? null }
        changed()
      })
      const settled = (): SendResult | null => result

      /** Waits until something is so; answers whether it came to be in time. */
      const until = (isSo: () => boolean, millis: number): Effect.Effect<boolean> =>
        Effect.callback<boolean>((resume) => {
          const end = (so: boolean) => {
            clearTimeout(timer)
            changed = () => undefined
            resume(Effect.succeed(so))
          }
          const timer = setTimeout(() => end(false), millis)
          changed = () => {
            if (isSo()) end(true)
          }
          changed()
          return Effect.sync(() => clearTimeout(timer))
        })

      const ended = (progress: "none" | "asked" | "committed", { error }: SendResult): Handover => {
        if (error === null) {
          // An answer that came before the message had left answers something else.
          if (progress !== "committed") return broken(progress, "protocol")
          return { _tag: "Taken", conversation: conversation(null) }
        }
        const response = error.rejectedErrors?.[0]?.response ?? error.response
        if (response !== undefined && error.code !== "EPROTOCOL") {
          const stage =
            error.code === "EMESSAGE" || (started && error.command === "CONN")
              ? "Message"
              : stageOfCommand(error.command)
          // Refused amid the message: the rest of it would be taken for commands.
          if (started && progress !== "committed") smtp.close()
          needsReset = true
          // Said out of turn, it is not known of what: of the recipient only if it says so.
          const answered = stage === "Auth" || stage === "Connect" ? "Data" : stage
          return {
            _tag: "Answered",
            stage: answered,
            reply: parseReply(response),
            conversation: conversation(null)
          }
        }
        if (error.code === "EENVELOPE") {
          return { _tag: "Impossible", conversation: conversation("address_unsendable") }
        }
        if (error.code === "EMESSAGE") {
          return { _tag: "Impossible", conversation: conversation("message_too_large") }
        }
        return broken(progress, wordOf(error))
      }

      if (!(yield* until(() => started || result !== null, limits.commandMillis)))
        return broken("none", "timeout")
      if (!(yield* until(() => bodyLeft || result !== null, limits.bodyMillis)))
        return broken("none", "timeout")
      const early = settled()
      if (early !== null) return ended("none", early)

      const goes = yield* pointOfNoReturn
      if (!goes) {
        cut(smtp)
        smtp.close()
        return { _tag: "Withdrawn", conversation: conversation(null) } satisfies Handover
      }
      const meanwhile = settled()
      if (meanwhile !== null) return ended("asked", meanwhile)
      stream.release()
      // The last bytes are written in the turns that follow at once.
      if (held !== null) setImmediate(() => held.uncork())
      if (!(yield* until(() => result !== null, limits.answerMillis))) return broken("committed", "timeout")
      return ended("committed", settled()!)
    },
    Effect.onExit((exit) =>
      exit._tag === "Success"
        ? Effect.void
        : Effect.sync(() => {
            cut(smtp)
            smtp.close()
          })
    )
  )

  return {
    uses: () => uses,
    isOpen: () => !smtp.destroyed && smtp._socket !== false && smtp._socket !== null && smtp._socket.writable,
    tls: () => conversation(null).tls,
    deliver,
    quit: () => {
      if (!smtp.destroyed) smtp.quit()
      // A server that does not answer is left all the same.
      setTimeout(() => smtp.close(), limits.closeMillis).unref()
    }
  }
}
