/**
 * A mail transport for tests that stores every message and reports it as delivered.
 *
 * @module
 */
import { Effect } from "effect"
import type { MailTransport } from "../../core/ports/MailTransport.ts"
import { type OutboundMessage, relayLaneOf } from "../../core/model/Message.ts"

/** The maximum number of messages that are kept. The oldest is dropped first. */
const maxKept = 1000

/** A sent message. */
export interface CapturedMessage extends OutboundMessage {
  /** The relay that the account chose with the setting `delivery`; null if it chose none. */
  readonly relayId: string | null
  /** The message id that the relay stated in its reply, by which its reports may identify the message; null without a relay. */
  readonly relayMessageId: string | null
}

/** Creates an empty transport. */
export const makeCapturingTransport = () => {
  const messages: Array<CapturedMessage> = []
  const transport: MailTransport["Service"] = {
    send: Effect.fnUntraced(function* (message, pointOfNoReturn) {
      if (!(yield* pointOfNoReturn)) return { _tag: "Withdrawn" }
      const route = message.routes?.[0]
      const relay = route?._tag === "Relay" ? route : null
      const { routes: _routes, ...shown } = message
      const relayMessageId = relay === null ? null : message.deliveryId
      messages.push({ ...shown, relayId: relay?.id ?? null, relayMessageId })
      if (messages.length > maxKept) messages.shift()
      if (relay === null) return { _tag: "Delivered" }
      const replies = [`250 OK queued as ${relayMessageId}`]
      return {
        _tag: relay.success,
        lane: relayLaneOf(relay.id),
        conversation: { host: relay.host, tls: null, replies, error: null }
      }
    }),
    busyUntil: () => null
  }
  return {
    transport,
    /** The messages sent, newest first. */
    messages: (): ReadonlyArray<CapturedMessage> => messages.toReversed()
  }
}
