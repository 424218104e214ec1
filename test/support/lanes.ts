/**
 * A lane of the fake transport with scripted replies.
 *
 * @module
 */
import { Effect } from "effect"
import { consequenceOf, noConversation } from "../../adapters/smtp/transport/TransactionResult.ts"
import { laneFrom } from "../../core/model/Source.ts"
import type { OutboundMessage } from "../../core/model/Message.ts"
import { refusalOf } from "../../core/ports/MailTransport.ts"
import { parseReply } from "../../core/sending/shaping/SmtpReply.ts"
import type { Script } from "./fakeTransport.ts"

/** The lane of all messages, unless a test names another. */
export const lane = "ip:192.0.2.1"

/**
 * A server that replies to the recipient, and to the connecting source address, as `replyTo` says; null accepts the message.
 *
 * @param seen collects the messages that it was offered
 *
 * @param to the lane of the messages
 */
export const serverOf =
  (
    replyTo: (message: OutboundMessage, source: string | null) => string | null,
    seen: Array<OutboundMessage> = [],
    to = lane
  ): Script =>
  (message, point, admit) =>
    Effect.suspend(() => {
      const admitted = admit?.(to)
      const held = refusalOf(admitted)
      if (held !== null) return Effect.succeed(held)
      seen.push(message)
      const source = admitted?._tag === "From" ? admitted.source : null
      const reply = replyTo(message, source?.address ?? null)
      const { attempts, recipient } = message
      const domain = recipient.slice(recipient.lastIndexOf("@") + 1)
      const context = { name: laneFrom(to, source), provider: null, isRelay: false, domain, attempts }
      const conversation = {
        ...noConversation(""),
        host: "mx",
        error: null,
        replies: reply === null ? [] : [reply]
      }
      if (reply === null)
        return Effect.map(
          point,
          (granted) =>
            consequenceOf({ _tag: granted ? "Accepted" : "Withdrawn", conversation }, "Delivered", context)
              .outcome
        )
      return Effect.succeed(
        consequenceOf(
          { _tag: "Rejected", stage: "Rcpt", reply: parseReply(reply), conversation },
          "Delivered",
          context
        ).outcome
      )
    })
