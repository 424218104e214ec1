/**
 * Runs mail transactions on an open connection, one after another: the commands that offer a message, its bytes, the point of no
 * return, the last bytes, and the server's replies (RFC 5321, 3.3; RFC 2920).
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

/** The parts of a connection that its transactions use. */
export interface MailTransactionOptions {
  readonly dialogue: SmtpDialogue
  readonly transcript: Transcript
  /** The conversation so far, with the reason why it failed; null if it did not. */
  readonly conversation: (error: string | null) => Conversation
}

/** The terms of a transaction. */
export interface TransactionTerms {
  readonly limits: Limits
  /** Run once for a message, after everything except its last bytes is sent. If it returns false, these are not sent. */
  readonly pointOfNoReturn: Effect.Effect<boolean>
  /**
   * Asks to park the transaction, which has waited `parkMillis` for the reply to its message. If it is not parked, asks again
   * after the same time. `abandon` ends the wait. Returns null, or a function to call when the wait has ended.
   */
  readonly park: (abandon: () => void) => (() => void) | null
}

/**
 * A message up to this length is written together with its last bytes, which saves a write. A longer one would fill the socket's
 * buffer, and a write to a full buffer must wait.
 */
const shortBytes = 8192

/** The slowest rate at which a message may leave: 10 KB/s. */
const minBytesPerMilli = 10

/** Fails with a reason; does nothing for null. */
const failFor = (reason: string | null): Effect.Effect<void, Lost> =>
  reason === null ? Effect.void : Effect.fail(new Lost({ reason }))

const isRejection = (reply: string): boolean => /^[45]/.test(reply)

/**
 * Makes the function that sends one message after another on a connection. It never fails. If the point of no return returns
 * false, the connection is cut, as it is by interruption.
 */
export const makeMailTransaction = ({ conversation, dialogue, transcript }: MailTransactionOptions) => {
  let isFirst = true

  const rejected = (stage: SmtpStage, reply: SmtpReply): TransactionResult => {
    if (closesService(reply)) dialogue.close()
    return { _tag: "Rejected", stage, reply, conversation: conversation(null) }
  }

  /** Handles a reply before the end of the message. A rejection concerns the message; any other reply violates the protocol. */
  const outOfTurn = (raw: string): Effect.Effect<TransactionResult, Lost> => {
    // Otherwise the server would interpret the rest of the message as commands.
    dialogue.close()
    return raw.startsWith("2")
      ? Effect.fail(new Lost({ reason: "protocol" }))
      : Effect.succeed(rejected("Message", parseReply(raw)))
  }

  /** Runs one transaction. `reached` is called with its progress. */
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
    // If the reply neither accepts nor rejects the message, it is not known whether the server has taken it.
    return parsed.code < 400
      ? yield* Effect.fail(new Lost({ reason: "protocol" }))
      : rejected("Message", parsed)
  })

  /** Waits for the reply to the message. If that takes long, the transaction is parked. */
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

  /** Offers a message, after RSET if one was offered before. The result is null if the server waits for the content. */
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
        // DATA requires 354. If a server sent a superfluous reply, the 250 of another stage would be taken for it.
        if (reply.startsWith(stage === "Data" ? "354" : "2")) continue
        const parsed = parseReply(reply)
        if (closesService(parsed) || (stage === "Data" && !isRejection(reply))) dialogue.close()
        // The attempt shows the rejection as the last reply.
        const result = rejected(stage, parsed)
        yield* drain(stage, group.slice(index + 1), deadline)
        return result
      }
    }
    return null
  })

  /**
   * Waits for the replies to the commands that were sent together with the rejected one. The rejection has already decided the
   * result. These replies only determine whether the connection can be used again.
   */
  const drain = Effect.fnUntraced(
    function* (rejectedStage: Command["stage"], others: ReadonlyArray<Command>, deadline: Deadline) {
      for (const { stage } of others) {
        const reply = yield* dialogue.reply(deadline)
        if (closesService(parseReply(reply))) return dialogue.close()
        if (stage !== "Data" || isRejection(reply)) continue
        // RFC 2920, 3.1: if only the recipient was rejected, an empty message without recipients ends what DATA began. If the
        // sender was rejected, that message would not have a sender either. After a reply that is neither a rejection nor
        // 354, the state of the server is not known.
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
