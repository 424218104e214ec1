/**
 * Sends the messages of sandbox accounts to the account's own inbox (docs/contributing/decisions.md 1).
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Outcome } from "../model/Message.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { NewInboxEntry } from "./InboxStore.ts"

/** A message of a sandbox account: its inbox entry. */
export interface SandboxMessage extends Omit<NewInboxEntry, "receivedAt"> {
  /** The number of attempts before this one. */
  readonly attempts: number
}

/** The port that sends sandbox messages. */
export class SandboxTransport extends Context.Service<
  SandboxTransport,
  {
    /**
     * Stores messages in the inbox, in the caller's transaction, and returns the outcome of each, in order. A repeated message is
     * stored only once.
     */
    readonly send: (
      messages: ReadonlyArray<SandboxMessage>,
      now: number
    ) => Effect.Effect<ReadonlyArray<Outcome>, Unavailable>
  }
>()("svc/ports/SandboxTransport") {}
