/**
 * Composes the bytes of messages.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { VerifyingKey } from "../model/Domain.ts"
import type { MessageDraft } from "../model/Message.ts"

/** The port that composes and signs messages, and recognises its signatures. */
export class MessageComposer extends Context.Service<
  MessageComposer,
  {
    /**
     * The complete message of each draft, in order: RFC 5322 and MIME, CRLF line ends, with a DKIM signature for each of its keys
     * at the beginning. Reads no file and no URL, whatever the content contains.
     */
    readonly compose: (drafts: ReadonlyArray<MessageDraft>) => Effect.Effect<ReadonlyArray<Uint8Array>>
    /**
     * The Message-ID, without angle brackets, that is covered by a DKIM signature made with one of the keys; null if there is
     * none. The signature must be valid for the header and must also cover From. A header can be written so that another reader
     * finds a different Message-ID. The body is not checked, since a quoted message may lack it. Line ends may be LF.
     */
    readonly signedMessageId: (
      header: string,
      keys: ReadonlyArray<VerifyingKey>
    ) => Effect.Effect<string | null>
  }
>()("svc/ports/MessageComposer") {}
