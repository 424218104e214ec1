/**
 * Makes RFC 5322 messages.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MessageDraft } from "../sending/Message.ts"

/** The port that makes messages. */
export class MessageComposer extends Context.Service<
  MessageComposer,
  {
    /** Composes each draft, in order. Lines end in CRLF; text is UTF-8; header values are encoded as RFC 2047 asks. */
    readonly compose: (drafts: ReadonlyArray<MessageDraft>) => Effect.Effect<ReadonlyArray<Uint8Array>>
  }
>()("svc/ports/MessageComposer") {}
