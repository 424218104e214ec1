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
     * The whole message of each draft in order, RFC 5322 and MIME, CRLF line ends, with a DKIM signature for each of
     * its keys at the beginning. Reads no file and no URL, whatever the content says.
     */
    readonly compose: (drafts: ReadonlyArray<MessageDraft>) => Effect.Effect<ReadonlyArray<Uint8Array>>
    /**
     * The Message-ID, without angle brackets, that a DKIM signature by one of the keys covers, which is valid for the header and
     * covers its From too; null where there is none. A header can be written so that another reader finds another Message-ID in
     * it. The body is not checked: a quoted message may lack it. Line ends may be LF.
     */
    readonly signedMessageId: (
      header: string,
      keys: ReadonlyArray<VerifyingKey>
    ) => Effect.Effect<string | null>
  }
>()("svc/ports/MessageComposer") {}
