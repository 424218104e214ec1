/**
 * The result of a mail transaction, and its consequences for the message and its lane (docs/delivery.md "What a reply means").
 *
 * @module
 */
import type { Answer } from "../../../core/model/Answer.ts"
import type { Feedback } from "../../../core/model/Lane.ts"
import { type Conversation, maskedWords, type Outcome } from "../../../core/model/Message.ts"
import { decideAnswer } from "../../../core/sending/shaping/Answers.ts"
import {
  closesService,
  type SmtpReply,
  type SmtpStage,
  statedWait
} from "../../../core/sending/shaping/SmtpReply.ts"

/**
 * The progress of a transaction: `pending` while the point of no return runs, `committed` once the last byte may have been sent.
 */
export type Progress = "none" | "pending" | "committed"

/** How a mail transaction ended, or the attempt to open a connection for it. */
export type TransactionResult =
  /** The server accepted the message. */
  | { readonly _tag: "Accepted"; readonly conversation: Conversation }
  /** The server rejected a command, the message or the connection. */
  | {
      readonly _tag: "Rejected"
      readonly stage: SmtpStage
      readonly reply: SmtpReply
      readonly conversation: Conversation
    }
  /** The message cannot be offered to this server; `conversation.error` is the reason. */
  | { readonly _tag: "Unsendable"; readonly conversation: Conversation }
  /** No server was reached over a connection that satisfies the domain's policy; `conversation.error` says why. */
  | { readonly _tag: "Insecure"; readonly conversation: Conversation }
  /** There was no usable reply: no connection, a lost connection, a timeout, or a violation of the protocol. */
  | { readonly _tag: "Lost"; readonly progress: Progress; readonly conversation: Conversation }
  /** The point of no return returned false. */
  | { readonly _tag: "Withdrawn"; readonly conversation: Conversation }

/** The consequences of a send: the outcome of the message, and the feedback to its lane; null if there is none. */
export interface Consequence {
  readonly outcome: Outcome
  readonly feedback: Feedback | null
}

const success: Feedback = { _tag: "Success" }
const deferral: Feedback = { _tag: "Deferral" }

/** A conversation that did not take place. */
export const noConversation = (error: string): Conversation => ({ host: null, tls: null, replies: [], error })

/** The destination to which a message was sent. */
export interface LaneContext {
  /** The lane's name. */
  readonly name: string
  /** The key of the provider in the table; null if it has none. */
  readonly provider: string | null
  readonly isRelay: boolean
  /** The recipient's domain. */
  readonly domain: string
  /** The number of attempts before this one. */
  readonly attempts: number
}

const opening: ReadonlySet<SmtpStage> = new Set(["Connect", "Ehlo", "StartTls", "Auth"])

/** The server's reply for operators, as far as attempts show it, with addresses masked. */
const wordsOf = ({ code, status, text }: SmtpReply, { replies }: Conversation): string => {
  const shown = replies.findLast((reply) => reply.startsWith(String(code)))
  const codes = status === null ? String(code) : `${code} ${status}`
  const isShown = shown === undefined || shown.length > codes.length
  return maskedWords(isShown ? `${codes} ${text}` : codes)
}

/** The lane that is suspended. At a relay, a reply may concern the whole service, or only its mail to the recipient's domain. */
const suspendedLane = (
  { action }: Answer,
  stage: SmtpStage,
  { domain, isRelay, name }: LaneContext
): string =>
  isRelay && !opening.has(stage) && stage !== "Mail" && (action === "PauseSource" || action === "Probe")
    ? `domain:${domain}`
    : name

/** The feedback of a rejection to its lane; null if there is none. A rejection is never a success. */
const feedbackOf = (answer: Answer, stage: SmtpStage, reply: SmtpReply): Feedback | null => {
  switch (answer.action) {
    case "PauseSource":
    case "PauseSite":
      return { _tag: "Blocked" }
    case "SlowDown":
      return deferral
    case "Retry":
      if (answer.scope === "mailbox" || answer.scope === "greylist" || answer.scope === "encryption")
        return null
      return opening.has(stage) || closesService(reply)
        ? { _tag: "Unavailable", wait: statedWait(reply.text) }
        : deferral
    default:
      return null
  }
}

/**
 * The consequences of a result.
 *
 * @param accepted the outcome of a message that a server accepted
 */
export const consequenceOf = (
  result: TransactionResult,
  accepted: "Delivered" | "Accepted" | "Sent",
  context: LaneContext
): Consequence => {
  const tried = { conversation: result.conversation, lane: context.name }
  switch (result._tag) {
    case "Accepted":
      return { outcome: { _tag: accepted, ...tried }, feedback: success }
    case "Withdrawn":
      return { outcome: { _tag: "Withdrawn", ...tried }, feedback: null }
    case "Unsendable":
      return { outcome: { _tag: "Refused", ...tried }, feedback: null }
    // This says nothing about the lane, because another domain with the same servers may have no policy.
    case "Insecure":
      return { outcome: { _tag: "Deferred", ...tried, isNeutral: true }, feedback: null }
    case "Lost":
      return {
        outcome: { _tag: result.progress === "committed" ? "Unknown" : "Deferred", ...tried },
        feedback: { _tag: "Unavailable", wait: null }
      }
    case "Rejected": {
      const { conversation, reply, stage } = result
      const { isRelay, provider } = context
      const answer = decideAnswer(reply, { stage, provider, isRelay })
      const rejection = {
        answer,
        lane: suspendedLane(answer, stage, context),
        words: wordsOf(reply, conversation)
      }
      const wait = statedWait(reply.text)
      const waits = wait === null ? {} : { retryAfter: wait }
      const feedback = feedbackOf(answer, stage, reply)
      const neutral = feedback === null ? ({ isNeutral: true } as const) : {}
      const outcomes: Readonly<Record<Answer["action"], Outcome>> = {
        Bounce: { _tag: "Bounced", ...tried },
        Mailbox: { _tag: "MailboxFull", ...tried },
        FailMessage: { _tag: "Refused", ...tried, rejection },
        Retry:
          context.attempts + 1 >= (answer.attempts ?? Infinity)
            ? { _tag: "Refused", ...tried }
            : { _tag: "Deferred", ...tried, ...waits, ...neutral },
        SlowDown: { _tag: "Held", ...tried, ...waits, rejection },
        PauseSource: { _tag: "Held", ...tried, rejection },
        PauseSite: { _tag: "Held", ...tried, rejection },
        PauseSender: { _tag: "Held", ...tried, rejection },
        Probe: { _tag: "Held", ...tried, rejection }
      }
      return { outcome: outcomes[answer.action], feedback }
    }
  }
}
