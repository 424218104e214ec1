/**
 * A transport that keeps what it is handed, and says that it arrived: for tests, whose mail shall reach nobody.
 *
 * @module
 */
import { Effect } from "effect"
import type { MailTransport } from "../../core/ports/MailTransport.ts"
import type { OutboundMessage } from "../../core/model/Message.ts"

/** More than this is not kept; the oldest goes first. */
const maxKept = 1000

/** An empty outbox. */
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
    /** What was handed over, newest first. */
    messages: (): ReadonlyArray<OutboundMessage> => messages.toReversed()
  }
}
