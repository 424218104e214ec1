/**
 * A message ready to leave: what a transport carries.
 *
 * @module
 */
import type { Mailbox } from "../shared/Mailbox.ts"

/** What a message is composed of. */
export interface MessageDraft {
  readonly from: Mailbox
  readonly to: ReadonlyArray<Mailbox>
  readonly cc: ReadonlyArray<Mailbox>
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** Without angle brackets. */
  readonly messageId: string
  /** Epoch milliseconds. */
  readonly date: number
}

/** A message with the envelope of one recipient. */
export interface OutboundMessage {
  readonly deliveryId: string
  readonly submissionId: string
  readonly accountId: string
  /** The envelope's recipient. */
  readonly recipient: string
  readonly from: Mailbox
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** The whole message, RFC 5322. */
  readonly raw: Uint8Array
  /** Attempts made before this one. */
  readonly attempts: number
}

/**
 * What became of handing a message over. `Complained` is Delivered with a complaint after it: only the sandbox
 * can know it at once.
 */
export type Outcome =
  | { readonly _tag: "Delivered" }
  | { readonly _tag: "Complained" }
  | { readonly _tag: "Deferred" }
  | { readonly _tag: "Bounced" }
  | { readonly _tag: "Refused" }
