/**
 * A transport that decides by the replies of simulated servers, without connections, so that two simulations of one seed are
 * identical.
 *
 * @module
 */
import { Effect } from "effect"
import {
  consequenceOf,
  noConversation,
  type TransactionResult
} from "../../adapters/smtp/transport/TransactionResult.ts"
import type { Outcome } from "../../core/model/Message.ts"
import { MailTransport, refusalOf } from "../../core/ports/MailTransport.ts"
import { laneOf } from "../../core/sending/shaping/Providers.ts"
import { parseReply } from "../../core/sending/shaping/SmtpReply.ts"
import { domainOf, type Reaction, type Server, serverFor } from "./servers.ts"
import type { Accepted } from "./visitors.ts"

/** Whether a reaction ends an offer before its last byte. */
const isEarly = (reaction: Reaction): boolean =>
  Array.isArray(reaction)
    ? reaction[0] !== "Message"
    : typeof reaction === "string" && reaction !== "Accept" && reaction !== "Slow"

/** The parameters of a simulation's transport. */
export interface CourseOptions {
  readonly servers: ReadonlyMap<string, Server>
  /** The time since the beginning of the simulation, in milliseconds. */
  readonly at: () => number
  /** The time of the clock, in epoch milliseconds. */
  readonly now: () => number
  readonly onAccepted: (accepted: Accepted) => void
}

/** Makes the transport. */
export const makeReplyTransport = ({ at, now, onAccepted, servers }: CourseOptions) => {
  let attempts = 0
  const transport = MailTransport.of({
    busyUntil: () => null,
    send: Effect.fnUntraced(function* (message, pointOfNoReturn, _onParked, admit) {
      const { attempts: before, raw, recipient, returnPath, subject } = message
      const server = serverFor(servers, domainOf(recipient))!
      const lane = laneOf(null, server.site)
      const refused = refusalOf(admit?.(lane))
      if (refused !== null) return refused
      attempts++
      const sender = domainOf(message.from.email)
      const reaction = server.react({ recipient, sender, subject, at: at() })
      const conversation = noConversation("")
      if (!isEarly(reaction) && !(yield* pointOfNoReturn))
        return { _tag: "Withdrawn", conversation, lane } satisfies Outcome
      const result = ((): TransactionResult => {
        if (Array.isArray(reaction)) {
          const [stage, reply] = reaction as readonly ["Message", string]
          if (stage === "Message") server.got(recipient, now(), "Rejected")
          return { _tag: "Rejected", stage, reply: parseReply(reply), conversation }
        }
        if (reaction === "Untrusted") return { _tag: "Insecure", conversation }
        if (typeof reaction === "object") {
          const { isAccepted } = reaction as Exclude<Reaction, string | readonly [unknown, string]>
          server.got(recipient, now(), "Unknown")
          if (isAccepted) server.accepted.set(recipient, now())
          return { _tag: "Lost", progress: "committed", conversation }
        }
        if (isEarly(reaction)) {
          const progress = reaction === "Lost" || reaction === "Silent" ? "pending" : "none"
          return { _tag: "Lost", progress, conversation }
        }
        server.got(recipient, now(), "Accepted")
        onAccepted({ server, recipient, returnPath, raw: new TextDecoder().decode(raw) })
        return { _tag: "Accepted", conversation }
      })()
      const context = {
        name: lane,
        provider: null,
        isRelay: false,
        domain: domainOf(recipient),
        attempts: before
      }
      return consequenceOf(result, "Delivered", context).outcome
    })
  })
  return { transport, attempts: () => attempts }
}
