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
import { closesService, parseReply, type SmtpReply, type SmtpStage } from "../../../core/sending/SmtpReply.ts"
import { type Command, envelopeOf } from "./Envelope.ts"
import { type Deadline, deadlineIn, Exchange, Lost, maxReplyBytes } from "./Exchange.ts"
import { type Limits, limits as defaults } from "./Limits.ts"
import { MessageData } from "./MessageData.ts"
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

/** How far a message came: `asked` once the point of no return was asked for, `committed` once the last byte may have left. */
export type Progress = "none" | "asked" | "committed"

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
      readonly progress: Progress
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
      const exchange = new Exchange(smtp, socket, transcript)
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

/**
 * A message this short leaves in one piece with its last bytes, which saves a write. A longer one would fill what a socket
 * holds back, and wait for it for ever.
 */
const shortBytes = 8192

/** Fails for a reason; does nothing for none. */
const unless = (word: string | null): Effect.Effect<void, Lost> =>
  word === null ? Effect.void : Effect.fail(new Lost({ word }))

const isRefused = (reply: string): boolean => /^[45]/.test(reply)

const connectionOf = (exchange: Exchange, context: ConnectionContext, limits: Limits): Connection => {
  const { conversation, transcript } = context
  const canPipeline = transcript.parametersOf("PIPELINING") !== null
  let uses = 0
  let needsReset = false

  const answered = (stage: SmtpStage, reply: SmtpReply): Handover => {
    needsReset = true
    if (closesService(reply)) exchange.close()
    return { _tag: "Answered", stage, reply, conversation: conversation(null) }
  }

  const impossible = (error: string): Handover => ({
    _tag: "Impossible",
    conversation: conversation(error)
  })

  /** A reply to what was not said yet: of a refusal the message is the matter, whatever else is meant cannot be known. */
  const outOfTurn = (raw: string): Effect.Effect<Handover, Lost> => {
    // The rest of the message would be taken for commands.
    exchange.close()
    return raw.startsWith("2")
      ? Effect.fail(new Lost({ word: "protocol" }))
      : Effect.succeed(answered("Message", parseReply(raw)))
  }

  /**
   * Waits for the replies to what was sent along with a command that was refused, which decided already: only whether the
   * connection can be used again is still open.
   */
  const settleRefused = Effect.fnUntraced(
    function* (refused: Command["stage"], others: ReadonlyArray<Command>, deadline: Deadline) {
      for (const { stage } of others) {
        const reply = yield* exchange.reply(deadline)
        if (closesService(parseReply(reply))) return exchange.close()
        if (stage !== "Data" || isRefused(reply)) continue
        // RFC 2920, 3.1: where the recipient alone was refused, a message of nothing to nobody ends what DATA began. A
        // server that refused the sender has nobody it could be from, and one that says neither no nor 354 is in a
        // state that nobody knows.
        if (refused === "Mail" || !reply.startsWith("354")) return exchange.close()
        exchange.write(".\r\n")
        yield* exchange.reply(deadline)
      }
    },
    Effect.catchTag("Lost", () => Effect.sync(() => exchange.close()))
  )

  /** Offers a message; null when the server waits for it. */
  const offer = Effect.fnUntraced(function* (commands: ReadonlyArray<Command>, deadline: Deadline) {
    // RFC 2920, 3.1: MAIL, RCPT and DATA may leave together, and DATA as the last.
    const groups = canPipeline ? [commands] : commands.map((command) => [command])
    for (const group of groups) {
      if (exchange.hasReply) {
        exchange.take()
        return yield* Effect.fail(new Lost({ word: "protocol" }))
      }
      exchange.write(group.map(({ line }) => `${line}\r\n`).join(""))
      for (const [index, { stage }] of group.entries()) {
        const reply = yield* exchange.reply(deadline)
        // Only 354 will do: where a server said more than it was asked, another stage's 250 would stand in its place.
        if (reply.startsWith(stage === "Data" ? "354" : "2")) continue
        const refusal = parseReply(reply)
        if (closesService(refusal) || (stage === "Data" && !isRefused(reply))) exchange.close()
        yield* settleRefused(stage, group.slice(index + 1), deadline)
        return answered(stage, refusal)
      }
    }
    return null
  })

  /** Hands a message over; `reached` is told how far it came. */
  const handOver = Effect.fnUntraced(function* (
    message: OutboundMessage,
    pointOfNoReturn: Effect.Effect<boolean>,
    reached: (progress: Progress) => void
  ) {
    yield* unless(exchange.begin())
    if (needsReset) {
      exchange.write("RSET\r\n")
      const reply = yield* exchange.reply(deadlineIn(limits.resetMillis))
      if (!reply.startsWith("2")) return yield* Effect.fail(new Lost({ word: "connection_lost" }))
      needsReset = false
    }
    const envelope = envelopeOf(message, (extension) => transcript.parametersOf(extension))
    if (envelope._tag === "Impossible") return impossible(envelope.error)
    const refused = yield* offer(envelope.commands, deadlineIn(limits.commandMillis))
    if (refused !== null) return refused

    const data = new MessageData(message.raw)
    const isShort = message.raw.length <= shortBytes
    const deadline = deadlineIn(limits.bodyMillis)
    while (!isShort && !exchange.hasReply) {
      const bytes = data.next()
      if (bytes === null) break
      yield* exchange.flush(bytes, deadline)
    }
    const early = exchange.take()
    if (early !== null) return yield* outOfTurn(early)
    yield* unless(exchange.broken)
    reached("asked")
    if (!(yield* pointOfNoReturn)) {
      exchange.cut()
      return { _tag: "Withdrawn", conversation: conversation(null) } satisfies Handover
    }
    const meanwhile = exchange.take()
    if (meanwhile !== null) return yield* outOfTurn(meanwhile)
    yield* unless(exchange.broken)
    reached("committed")
    exchange.write(isShort ? Buffer.concat([data.next() ?? new Uint8Array(), data.end()]) : data.end())
    const reply = yield* exchange.reply(deadlineIn(limits.answerMillis))
    if (!reply.startsWith("2")) return answered("Message", parseReply(reply))
    return { _tag: "Taken", conversation: conversation(null) } satisfies Handover
  })

  const deliver: Connection["deliver"] = (message, pointOfNoReturn) =>
    Effect.suspend(() => {
      if (uses > 0) transcript.restart()
      uses++
      let progress: Progress = "none"
      const handed = handOver(message, pointOfNoReturn, (reached) => {
        progress = reached
      })
      return handed.pipe(
        Effect.catchTag("Lost", ({ word }) =>
          Effect.sync((): Handover => {
            exchange.close()
            return { _tag: "Broken", progress, conversation: conversation(word) }
          })
        ),
        Effect.onExit((exit) =>
          Effect.sync(() => (exit._tag === "Success" ? exchange.finish() : exchange.cut()))
        )
      )
    })

  return {
    uses: () => uses,
    isOpen: () => exchange.broken === null,
    tls: () => conversation(null).tls,
    deliver,
    quit: () => exchange.quit(limits.closeMillis)
  }
}
