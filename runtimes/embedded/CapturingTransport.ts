/**
 * A mail transport for tests that stores every message and reports it as delivered.
 *
 * @module
 */
import { Effect } from "effect"
import type { MailTransport } from "../../core/ports/MailTransport.ts"
import { type OutboundMessage, relayLaneOf } from "../../core/model/Message.ts"

/** The most messages kept; the oldest is dropped first. */
const maxKept = 1000

/** A message as it was sent. */
export interface CapturedMessage extends OutboundMessage {
  /** The relay that its account's setting `delivery` chose; null for none. */
  readonly relayId: string | null
  /** The relay's own id of the message, which its reply stated: its reports may name the message by it; null for no relay. */
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
