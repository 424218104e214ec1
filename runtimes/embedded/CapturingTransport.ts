/**
 * A mail transport for tests that stores every message and reports it as delivered.
 *
 * @module
 */
import { Effect } from "effect"
import type { MailTransport } from "../../core/ports/MailTransport.ts"
import type { OutboundMessage } from "../../core/model/Message.ts"

/** The most messages kept; the oldest is dropped first. */
const maxKept = 1000

/** Creates an empty transport. */
export const makeCapturingTransport = () => {
  const messages: Array<OutboundMessage> = []
  const transport: MailTransport["Service"] = {
    send: Effect.fnUntraced(function* (message, pointOfNoReturn) {
      if (!(yield* pointOfNoReturn)) return { _tag: "Withdrawn" }
      messages.push(message)
      if (messages.length > maxKept) messages.shift()
      return { _tag: "Delivered" }
    }),
    busyUntil: () => null
  }
  return {
    transport,
    /** The messages sent, newest first. */
    messages: (): ReadonlyArray<OutboundMessage> => messages.toReversed()
  }
}
