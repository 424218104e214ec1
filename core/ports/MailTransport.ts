/**
 * Sends the messages of live accounts.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MailClass, OutboundMessage, Outcome } from "../model/Message.ts"
import type { AddressFamily, SendingSource } from "../model/Source.ts"

/**
 * Decides whether a message may take a lane to servers whose addresses have the given families. Returns an outcome if it may
 * not, otherwise the source from which it is sent; null means that the system chooses.
 */
export type Admit = (
  lane: string,
  families?: ReadonlySet<AddressFamily> | null
) => Outcome | { readonly _tag: "From"; readonly source: SendingSource } | null

/** The outcome with which `admit` rejected a lane; otherwise null. */
export const refusalOf = (admitted: ReturnType<Admit> | undefined): Outcome | null =>
  admitted == null || admitted._tag === "From" ? null : admitted

/** The port that sends messages. */
export class MailTransport extends Context.Service<
  MailTransport,
  {
    /**
     * Sends one message and returns the outcome; never fails. Many messages are sent concurrently. The transport limits how many
     * go to one destination, and how many of one account go to destinations that never accepted a message. Instead of making a
     * caller wait long, it returns Busy.
     *
     * `pointOfNoReturn` runs once, when everything except the message's last bytes has been sent. If it returns false, nothing
     * more is sent and the outcome is Withdrawn. An interruption closes the connection.
     *
     * `onParked` is called at most once, when the server has been silent for a while after the message's last byte. From then on
     * the transport only waits for the reply, and itself limits how many messages wait like this.
     *
     * `admit` is called with the lane that the message would take, before any server is connected to. If it returns an outcome,
     * that is the result, and nothing is sent. A relay ignores sources.
     */
    readonly send: (
      message: OutboundMessage,
      pointOfNoReturn: Effect.Effect<boolean>,
      onParked?: () => void,
      admit?: Admit
    ) => Effect.Effect<Outcome>
    /**
     * The time until which no message of an account should be sent to a recipient's domain, epoch milliseconds. Null if the
     * domain can take more now, even after the `ahead` other messages that are being prepared for it. `relay` is the id of the
     * relay that the account chose as the message's first way; then `ahead` counts the messages for that relay. `source` is the
     * address from which the message is sent, null if the system chooses. `mailClass` is the kind of the message, by default
     * transactional; messages of lower priority do not count. Uses only state in memory: never waits, never looks anything up.
     */
    readonly busyUntil: (
      domain: string,
      now: number,
      ahead: number,
      accountId: string,
      relay?: string,
      source?: string | null,
      mailClass?: MailClass
    ) => number | null
  }
>()("svc/ports/MailTransport") {}
