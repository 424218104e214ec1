/**
 * Carries messages of sandbox accounts: to the account's own inbox and nobody else (decisions 1).
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { OutboundMessage, Outcome } from "../model/Message.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The port that carries sandbox messages. */
export class SandboxTransport extends Context.Service<
  SandboxTransport,
  {
    /**
     * Hands messages over, in the caller's transaction, and answers what became of each, in order. Repeating a message
     * is harmless: it lands once.
     */
    readonly send: (
      messages: ReadonlyArray<OutboundMessage>,
      now: number
    ) => Effect.Effect<ReadonlyArray<Outcome>, Unavailable>
  }
>()("svc/ports/SandboxTransport") {}
