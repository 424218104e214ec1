/**
 * Stores the sandbox inbox: which messages arrived, with what differs per recipient. The content belongs to the submission and
 * is stored once for all its recipients; a message is rendered when it is read.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { DeliveryRef } from "./SubmissionStore.ts"

/** The values with which a message is rendered, fixed when it was sent. */
export interface InboxRendering {
  /** Without angle brackets. */
  readonly messageId: string
  /** The selectors of the DKIM keys that signed the message. */
  readonly selectors: ReadonlyArray<string>
  /** Whether opens, and clicks, of the message are tracked. */
  readonly opens: boolean
  readonly clicks: boolean
  /** Whether the message contains the trap link, which people cannot see; absent in messages of earlier versions. */
  readonly trap?: boolean
}

/** The content of a message that an earlier version stored as a whole. */
export interface StoredContent {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

/** A message that arrived in the inbox. */
export interface InboxEntry {
  /** The id of the delivery. */
  readonly id: string
  readonly accountId: string
  readonly submissionId: string
  readonly to: string
  readonly fromEmail: string
  readonly fromName: string | null
  /** The arrival, which is also the date of the message. Epoch milliseconds. */
  readonly receivedAt: number
  readonly content:
    | ({ readonly _tag: "OfSubmission" } & InboxRendering)
    | ({ readonly _tag: "Stored" } & StoredContent)
}

/** A new entry, which has no content of its own. */
export interface NewInboxEntry extends Omit<InboxEntry, "content"> {
  readonly rendering: InboxRendering
}

/** The port of the sandbox inbox. */
export class InboxStore extends Context.Service<
  InboxStore,
  {
    /** Adds entries; an entry that exists stays unchanged. */
    readonly put: (entries: ReadonlyArray<NewInboxEntry>) => Effect.Effect<void, Unavailable>
    /** An account's entries, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<InboxEntry>, Unavailable>
    readonly get: (accountId: string, id: string) => Effect.Effect<InboxEntry | null, Unavailable>
    /** The bytes, as message/rfc822, of an entry that is stored as a whole; null for any other. */
    readonly raw: (accountId: string, id: string) => Effect.Effect<Uint8Array | null, Unavailable>
    /** Deletes the entries of the deliveries, as part of erasing a person or of retention. */
    readonly erase: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/InboxStore") {}
