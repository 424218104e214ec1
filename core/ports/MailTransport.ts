/**
 * Sends the messages of live accounts.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MailClass, OutboundMessage, Outcome } from "../model/Message.ts"
import type { AddressFamily, SendingSource } from "../model/Source.ts"

/**
 * Whether a message may take a lane to servers whose addresses are of these families: an outcome where it may not, else the
 * source it leaves from, null for the one that the system chooses.
 */
export type Admit = (
  lane: string,
  families?: ReadonlySet<AddressFamily> | null
) => Outcome | { readonly _tag: "From"; readonly source: SendingSource } | null

/** The result of `admit` where a message may not take a lane; else null. */
export const refusalOf = (admitted: ReturnType<Admit> | undefined): Outcome | null =>
  admitted == null || admitted._tag === "From" ? null : admitted

/** The port that sends messages. */
export class MailTransport extends Context.Service<
  MailTransport,
  {
    /**
     * Sends one message and returns the outcome; never fails. Many messages are sent at once: the transport limits how many
     * go to one destination, and of one account to destinations that never took a message, and returns Busy rather than
     * let a caller wait long.
     *
     * `pointOfNoReturn` runs once, when everything except the message's last bytes is sent. When it returns false, nothing
     * more may be sent and the outcome is Withdrawn. An interruption closes the connection.
     *
     * `onParked` is called at most once, when the server has been silent for a while after the message's last byte. From
     * then on the transport only waits for the reply, and bounds by itself how many messages of which it does so.
     *
     * `admit` is called with the lane that the message would take, before any server is connected to. Where it returns an
     * outcome, that is the result, and nothing is sent. A relay ignores sources.
     */
    readonly send: (
      message: OutboundMessage,
      pointOfNoReturn: Effect.Effect<boolean>,
      onParked?: () => void,
      admit?: Admit
    ) => Effect.Effect<Outcome>
    /**
     * Until when no message of an account should be sent to a recipient's domain, epoch milliseconds; null when it can take
     * more now, also after the `ahead` others that are being prepared for the domain. `relay` is the id of the relay that the
     * account chose as the message's first way: then the others are those that it is to take. `source` is the address it
     * leaves from, null for the one that the system chooses. `mailClass` is the kind of the message, transactional unless given:
     * others that go after it do not count. Uses what the transport has in memory: never waits, never looks
     * anything up.
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
