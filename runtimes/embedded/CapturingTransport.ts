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
      messages.push({ ...shown, relayId: relay?.id ?? null })
      if (messages.length > maxKept) messages.shift()
      return relay === null ? { _tag: "Delivered" } : { _tag: relay.success, lane: relayLaneOf(relay.id) }
    }),
    busyUntil: () => null
  }
  return {
    transport,
    /** The messages sent, newest first. */
    messages: (): ReadonlyArray<CapturedMessage> => messages.toReversed()
  }
}
