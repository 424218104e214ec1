/**
 * Hands messages over on an open connection, one after another: the commands that offer a message, its bytes up to the
 * point of no return, the last of them, and what the server's replies say (RFC 5321, 3.3; RFC 2920).
 *
 * @module
 */
import { Effect } from "effect"
import type { Conversation, OutboundMessage } from "../../../core/model/Message.ts"
import {
  closesService,
  parseReply,
  type SmtpReply,
  type SmtpStage
} from "../../../core/sending/delivery/SmtpReply.ts"
import { type Command, envelopeOf } from "./Envelope.ts"
import { type Deadline, deadlineIn, type SmtpDialogue, Lost } from "./SmtpDialogue.ts"
import type { Limits } from "./Limits.ts"
import { MessageData } from "./MessageData.ts"
import type { Transcript } from "./Transcript.ts"

/** How far a message came: `asked` once the point of no return was asked for, `committed` once the last byte may have left. */
export type Progress = "none" | "asked" | "committed"

/** What became of a message on a connection. */
export type MailTransaction =
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

/** What messages are handed over with. */
export interface HandOverOptions {
  readonly exchange: SmtpDialogue
  readonly transcript: Transcript
  /** What is told of the conversation so far, with a word for what broke it; null for nothing. */
  readonly conversation: (error: string | null) => Conversation
  readonly limits: Limits
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

/**
 * How a message is handed over. `pointOfNoReturn` is asked once everything but the last bytes is sent; when it answers
 * false they are not, and the connection is cut, as it is by interrupting.
 */
export const makeMailTransaction = ({ conversation, exchange, limits, transcript }: HandOverOptions) => {
  const canPipeline = transcript.parametersOf("PIPELINING") !== null
  let needsReset = false

  const answered = (stage: SmtpStage, reply: SmtpReply): MailTransaction => {
    needsReset = true
    if (closesService(reply)) exchange.close()
    return { _tag: "Answered", stage, reply, conversation: conversation(null) }
  }

  const impossible = (error: string): MailTransaction => ({
    _tag: "Impossible",
    conversation: conversation(error)
  })

  /** A reply to what was not said yet: of a refusal the message is the matter, whatever else is meant cannot be known. */
  const outOfTurn = (raw: string): Effect.Effect<MailTransaction, Lost> => {
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

  /** Sends all but the last bytes of a message; no more of it once the server says something. */
  const sendBody = Effect.fnUntraced(function* (data: MessageData, deadline: Deadline) {
    for (let bytes = data.next(); bytes !== null && !exchange.hasReply; bytes = data.next())
      yield* exchange.flush(bytes, deadline)
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
    if (!isShort) yield* sendBody(data, deadlineIn(limits.bodyMillis))
    const early = exchange.take()
    if (early !== null) return yield* outOfTurn(early)
    yield* unless(exchange.broken)
    reached("asked")
    if (!(yield* pointOfNoReturn)) {
      exchange.cut()
      return { _tag: "Withdrawn", conversation: conversation(null) } satisfies MailTransaction
    }
    const meanwhile = exchange.take()
    if (meanwhile !== null) return yield* outOfTurn(meanwhile)
    yield* unless(exchange.broken)
    reached("committed")
    exchange.write(isShort ? Buffer.concat([data.next() ?? new Uint8Array(), data.end()]) : data.end())
    const reply = yield* exchange.reply(deadlineIn(limits.answerMillis))
    if (!reply.startsWith("2")) return answered("Message", parseReply(reply))
    return { _tag: "Taken", conversation: conversation(null) } satisfies MailTransaction
  })

  return (
    message: OutboundMessage,
    pointOfNoReturn: Effect.Effect<boolean>
  ): Effect.Effect<MailTransaction> =>
    Effect.suspend(() => {
      let progress: Progress = "none"
      const handed = handOver(message, pointOfNoReturn, (reached) => {
        progress = reached
      })
      return handed.pipe(
        Effect.catchTag("Lost", ({ word }) =>
          Effect.sync((): MailTransaction => {
            exchange.close()
            return { _tag: "Broken", progress, conversation: conversation(word) }
          })
        ),
        Effect.onExit((exit) =>
          Effect.sync(() => (exit._tag === "Success" ? exchange.finish() : exchange.cut()))
        )
      )
    })
}
