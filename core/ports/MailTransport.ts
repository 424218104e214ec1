/**
 * Carries messages of live accounts to recipients.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { OutboundMessage, Outcome } from "../model/Message.ts"

/** The port that carries messages. */
export class MailTransport extends Context.Service<
  MailTransport,
  {
    /**
     * Hands one message over and answers what became of it; never fails. Many are carried at once: the transport
     * itself bounds how many go to one destination, and answers Busy rather than let a caller wait long for its turn.
     *
     * `pointOfNoReturn` is run once, when everything but the message's last bytes is sent. When it answers false,
     * nothing more may be sent and the outcome is Withdrawn. Interrupting closes the conversation.
     */
    readonly send: (
      message: OutboundMessage,
      pointOfNoReturn: Effect.Effect<boolean>
    ) => Effect.Effect<Outcome>
    /**
     * Until when nothing should be brought for a recipient's domain, epoch milliseconds; null when it can take more
     * now, also after the `ahead` others that are being prepared for the domain. From what the transport knows at the moment: never waits, never looks anything up.
     */
    readonly busyUntil: (domain: string, now: number, ahead: number) => number | null
  }
>()("svc/ports/MailTransport") {}
