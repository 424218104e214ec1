/**
 * Mail transactions on an open connection, one after another: the commands that offer a message, its bytes up to the
 * point of no return, the last of them, and the server's replies (RFC 5321, 3.3; RFC 2920).
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
} from "../../../core/sending/shaping/SmtpReply.ts"
import { type Command, envelopeOf } from "./Envelope.ts"
import { type Deadline, deadlineIn, type SmtpDialogue, Lost } from "./SmtpDialogue.ts"
import type { Limits } from "./Limits.ts"
import { MessageData } from "./MessageData.ts"
import type { Transcript } from "./Transcript.ts"
import type { Progress, TransactionResult } from "./TransactionResult.ts"

/** What the transactions of a connection use. */
export interface MailTransactionOptions {
  readonly dialogue: SmtpDialogue
  readonly transcript: Transcript
  /** The conversation so far, with the reason why it broke; null for none. */
  readonly conversation: (error: string | null) => Conversation
}

/** How a transaction is made. */
export interface TransactionTerms {
  readonly limits: Limits
  /** Run once for a message, when everything except its last bytes is sent; false keeps them back. */
  readonly pointOfNoReturn: Effect.Effect<boolean>
  /**
   * Asks to park the transaction, which has waited `parkMillis` for the reply to its message; asked again after the same
   * time where it is not. `abandon` ends the wait. Returns null, or what to do when the wait has ended.
   */
  readonly park: (abandon: () => void) => (() => void) | null
}

/**
 * A message this short is written in one piece with its last bytes, which saves a write. A longer one would fill the
 * socket's buffer, and a write to a full buffer waits.
 */
const shortBytes = 8192

/** The slowest rate at which a message may leave: 10 KB/s. */
const minBytesPerMilli = 10

/** Fails for a reason; does nothing for null. */
const failFor = (reason: string | null): Effect.Effect<void, Lost> =>
  reason === null ? Effect.void : Effect.fail(new Lost({ reason }))

const isRejection = (reply: string): boolean => /^[45]/.test(reply)

/**
 * Makes the function that sends one message after another on a connection. It never fails. When the point of no return
 * is false the connection is cut, as it is by interrupting.
 */
export const makeMailTransaction = ({ conversation, dialogue, transcript }: MailTransactionOptions) => {
  let isFirst = true

  const rejected = (stage: SmtpStage, reply: SmtpReply): TransactionResult => {
    if (closesService(reply)) dialogue.close()
    return { _tag: "Rejected", stage, reply, conversation: conversation(null) }
  }

  /** A reply before the end of the message: a rejection is one of the message, anything else breaks the protocol. */
  const outOfTurn = (raw: string): Effect.Effect<TransactionResult, Lost> => {
    // The server would take the rest of the message for commands.
    dialogue.close()
    return raw.startsWith("2")
      ? Effect.fail(new Lost({ reason: "protocol" }))
      : Effect.succeed(rejected("Message", parseReply(raw)))
  }

  /** One transaction; `reached` is called with how far it came. */
  const transact = Effect.fnUntraced(function* (
    message: OutboundMessage,
    { limits, park, pointOfNoReturn }: TransactionTerms,
    reached: (progress: Progress) => void
  ) {
    yield* failFor(dialogue.begin())
    const envelope = envelopeOf(message, (extension) => transcript.parametersOf(extension))
    if (envelope._tag === "Impossible")
      return {
        _tag: "Unsendable",
        conversation: conversation(envelope.error)
      } satisfies TransactionResult
    const rejection = yield* offer(envelope.commands, deadlineIn(limits.commandMillis), limits.resetMillis)
    if (rejection !== null) return rejection

    const data = new MessageData(message.raw)
    const isShort = message.raw.length <= shortBytes
    if (!isShort) {
      const whole = deadlineIn(limits.bodyMillis)
      const started = deadlineIn(limits.bodyGraceMillis)
      let sent = 0
      // Stops when the server replies.
      for (let bytes = data.next(); bytes !== null && !dialogue.hasReply; bytes = data.next()) {
        sent += bytes.length
        const due = sent / minBytesPerMilli
        yield* dialogue.flush(bytes, { left: () => Math.min(whole.left(), started.left() + due) })
      }
    }
    const early = dialogue.take()
    if (early !== null) return yield* outOfTurn(early)
    yield* failFor(dialogue.broken)
    reached("pending")
    if (!(yield* pointOfNoReturn)) {
      dialogue.cut()
      return { _tag: "Withdrawn", conversation: conversation(null) } satisfies TransactionResult
    }
    const meanwhile = dialogue.take()
    if (meanwhile !== null) return yield* outOfTurn(meanwhile)
    yield* failFor(dialogue.broken)
    reached("committed")
    dialogue.write(isShort ? Buffer.concat([data.next() ?? new Uint8Array(), data.end()]) : data.end())
    const reply = yield* answer(limits, park)
    if (reply.startsWith("2"))
      return { _tag: "Accepted", conversation: conversation(null) } satisfies TransactionResult
    const parsed = parseReply(reply)
    // What neither accepts nor rejects leaves open whether the server has taken the message.
    return parsed.code < 400
      ? yield* Effect.fail(new Lost({ reason: "protocol" }))
      : rejected("Message", parsed)
  })

  /** The reply to the message; the transaction is parked while it takes long. */
  const answer = Effect.fnUntraced(function* (
    { answerMillis, parkMillis }: Limits,
    park: TransactionTerms["park"]
  ) {
    const whole = deadlineIn(answerMillis)
    let leave: (() => void) | null = null
    const wait = Effect.gen(function* () {
      while (leave === null && whole.left() > parkMillis) {
        const soon = yield* Effect.result(dialogue.reply(deadlineIn(parkMillis)))
        if (soon._tag === "Success") return soon.success
        yield* failFor(dialogue.broken)
        leave = park(() => dialogue.abandon())
      }
      return yield* dialogue.reply(whole)
    })
    return yield* Effect.ensuring(
      wait,
      Effect.sync(() => leave?.())
    )
  })

  /** Offers a message, after RSET where one was offered before; null when the server waits for its content. */
  const offer = Effect.fnUntraced(function* (
    commands: ReadonlyArray<Command>,
    deadline: Deadline,
    resetMillis: number
  ) {
    // RFC 2920, 3.1: RSET, MAIL, RCPT and DATA may be sent together, with DATA as the last.
    const canPipeline = transcript.parametersOf("PIPELINING") !== null
    const groups = canPipeline ? [commands] : commands.map((command) => [command])
    let isReset = isFirst
    isFirst = false
    for (const group of groups) {
      if (dialogue.hasReply) {
        dialogue.take()
        return yield* Effect.fail(new Lost({ reason: "protocol" }))
      }
      const lines = group.map(({ line }) => `${line}\r\n`).join("")
      if (isReset) dialogue.write(lines)
      else {
        dialogue.write(canPipeline ? `RSET\r\n${lines}` : "RSET\r\n")
        const reply = yield* dialogue.reply(deadlineIn(resetMillis))
        if (!reply.startsWith("2")) return yield* Effect.fail(new Lost({ reason: "connection_lost" }))
        if (!canPipeline) dialogue.write(lines)
        isReset = true
      }
      for (const [index, { stage }] of group.entries()) {
        const reply = yield* dialogue.reply(deadline)
        // DATA needs 354: where a server sends a reply too many, the 250 of another stage would be taken for it.
        if (reply.startsWith(stage === "Data" ? "354" : "2")) continue
        const parsed = parseReply(reply)
        if (closesService(parsed) || (stage === "Data" && !isRejection(reply))) dialogue.close()
        // What the attempt shows last is the rejection.
        const result = rejected(stage, parsed)
        yield* drain(stage, group.slice(index + 1), deadline)
        return result
      }
    }
    return null
  })

  /**
   * Waits for the replies to the commands that were sent together with the rejected one. The rejection has decided
   * already: they only decide whether the connection can be used again.
   */
  const drain = Effect.fnUntraced(
    function* (rejectedStage: Command["stage"], others: ReadonlyArray<Command>, deadline: Deadline) {
      for (const { stage } of others) {
        const reply = yield* dialogue.reply(deadline)
        if (closesService(parseReply(reply))) return dialogue.close()
        if (stage !== "Data" || isRejection(reply)) continue
        // RFC 2920, 3.1: where only the recipient was rejected, an empty message without recipients ends what DATA
        // began. After a rejected sender that message would have no sender either, and after a reply that is neither a
        // rejection nor 354 the state of the server is unknown.
        if (rejectedStage === "Mail" || !reply.startsWith("354")) return dialogue.close()
        dialogue.write(".\r\n")
        yield* dialogue.reply(deadline)
      }
    },
    (effect) => Effect.catchTag(effect, "Lost", () => Effect.sync(() => dialogue.close()))
  )

  return (message: OutboundMessage, terms: TransactionTerms): Effect.Effect<TransactionResult> =>
    Effect.suspend(() => {
      let progress: Progress = "none"
      return transact(message, terms, (reached) => {
        progress = reached
      }).pipe(
        Effect.catchTag("Lost", ({ reason }) =>
          Effect.sync((): TransactionResult => {
            dialogue.close()
            return { _tag: "Lost", progress, conversation: conversation(reason) }
          })
        ),
        Effect.onExit((exit) =>
          Effect.sync(() => (exit._tag === "Success" ? dialogue.finish() : dialogue.cut()))
        )
      )
    })
}
