/**
 * Composes the bytes of messages.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MessageDraft } from "../model/Message.ts"

/** The port that composes and signs messages. */
export class MessageComposer extends Context.Service<
  MessageComposer,
  {
    /**
     * The whole message of each draft in order, RFC 5322 and MIME, CRLF line ends, with a DKIM signature for each of
     * its keys at the beginning. Reads no file and no URL, whatever the content says.
     */
    readonly compose: (drafts: ReadonlyArray<MessageDraft>) => Effect.Effect<ReadonlyArray<Uint8Array>>
  }
>()("svc/ports/MessageComposer") {}
