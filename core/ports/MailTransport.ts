/**
 * Carries messages to recipients.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { OutboundMessage, Outcome } from "../sending/Message.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The port that carries messages. */
export class MailTransport extends Context.Service<
  MailTransport,
  {
    /**
     * Hands sandbox messages over and answers what became of each, in order. Repeating a message is harmless: it
     * lands once.
     */
    readonly send: (
      messages: ReadonlyArray<OutboundMessage>,
      now: number
    ) => Effect.Effect<ReadonlyArray<Outcome>, Unavailable>
  }
>()("svc/ports/MailTransport") {}
