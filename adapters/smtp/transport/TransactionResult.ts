/**
 * The result of a mail transaction, and what follows from it for the message and its lane
 * (docs/contributing/decisions.md 5).
 *
 * @module
 */
import type { Conversation, Outcome } from "../../../core/model/Message.ts"
import { classifyReply } from "../../../core/sending/delivery/ReplyClass.ts"
import { closesService, type SmtpReply, type SmtpStage } from "../../../core/sending/shaping/SmtpReply.ts"

/**
 * How far a transaction came: `pending` while the point of no return runs, `committed` once the last byte may have been
 * sent.
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
  /** The server cannot be offered this message; `conversation.error` is the reason. */
  | { readonly _tag: "Unsendable"; readonly conversation: Conversation }
  /** No server was reached over a connection that is as the domain's policy asks; `conversation.error` says how. */
  | { readonly _tag: "Insecure"; readonly conversation: Conversation }
  /** No usable reply came: no connection, a lost one, a timeout or a violation of the protocol. */
  | { readonly _tag: "Lost"; readonly progress: Progress; readonly conversation: Conversation }
  /** The point of no return returned false. */
  | { readonly _tag: "Withdrawn"; readonly conversation: Conversation }

/** What a send showed of its destination, whatever became of the message. */
export type Feedback =
  /** The destination takes mail. */
  | { readonly _tag: "Success" }
  /** The destination deferred this message. */
  | { readonly _tag: "Deferral" }
  /** The destination closes or cannot be reached; `wait` is the wait it stated, milliseconds, null for none. */
  | { readonly _tag: "Unavailable"; readonly wait: number | null }

/** What follows from a send: the outcome of the message, and the feedback to its lane; null for none. */
export interface Consequence {
  readonly outcome: Outcome
  readonly feedback: Feedback | null
}

const success: Feedback = { _tag: "Success" }
const deferral: Feedback = { _tag: "Deferral" }

/** A conversation that did not take place. */
export const noConversation = (error: string): Conversation => ({ host: null, tls: null, replies: [], error })

const deferred = (retryAfter: number | null, conversation: Conversation): Outcome =>
  retryAfter === null ? { _tag: "Deferred", conversation } : { _tag: "Deferred", retryAfter, conversation }

const opening: ReadonlySet<SmtpStage> = new Set(["Connect", "Ehlo", "StartTls", "Auth"])

/**
 * What follows from a result.
 *
 * @param accepted the outcome of a message that a server accepted
 */
export const consequenceOf = (
  result: TransactionResult,
  accepted: "Delivered" | "Accepted" | "Sent"
): Consequence => {
  const { conversation } = result
  switch (result._tag) {
    case "Accepted":
      return { outcome: { _tag: accepted, conversation }, feedback: success }
    case "Withdrawn":
      return { outcome: { _tag: "Withdrawn", conversation }, feedback: null }
    case "Unsendable":
      return { outcome: { _tag: "Refused", conversation }, feedback: success }
    // Says nothing of the destination: another domain with the same servers may have no policy.
    case "Insecure":
      return { outcome: deferred(null, conversation), feedback: null }
    case "Lost":
      return {
        outcome:
          result.progress === "committed" ? { _tag: "Unknown", conversation } : deferred(null, conversation),
        feedback: result.progress === "none" ? { _tag: "Unavailable", wait: null } : deferral
      }
    case "Rejected": {
      const { reply, stage } = result
      const { class: rejection, retryAfter } = classifyReply(stage, reply)
      const closes = opening.has(stage) || (rejection === "Deferred" && closesService(reply))
      return {
        outcome:
          rejection === "Deferred" ? deferred(retryAfter, conversation) : { _tag: rejection, conversation },
        feedback: closes
          ? { _tag: "Unavailable", wait: retryAfter }
          : rejection === "Deferred"
            ? deferral
            : success
      }
    }
  }
}
