/**
 * Stores the sandbox inbox: which messages arrived, with what is their recipient's own. The content is the
 * submission's, stored once for all of its recipients; a message is rendered when it is read.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { DeliveryRef } from "./SubmissionStore.ts"

/** What a message is rendered with, as it was decided when the message was sent. */
export interface InboxRendering {
  /** Without angle brackets. */
  readonly messageId: string
  /** The selectors of the DKIM keys that signed it. */
  readonly selectors: ReadonlyArray<string>
  /** Whether opens, and clicks, of the message are tracked. */
  readonly opens: boolean
  readonly clicks: boolean
  /** Whether it has the link that people cannot see; absent in a message of an earlier version. */
  readonly trap?: boolean
}

/** The content of a message that an earlier version stored whole. */
export interface StoredContent {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

/** A message that arrived in the inbox. */
export interface InboxEntry {
  /** The delivery's id. */
  readonly id: string
  readonly accountId: string
  readonly submissionId: string
  readonly to: string
  readonly fromEmail: string
  readonly fromName: string | null
  /** Also the date of the message. Epoch milliseconds. */
  readonly receivedAt: number
  readonly content:
    | ({ readonly _tag: "OfSubmission" } & InboxRendering)
    | ({ readonly _tag: "Stored" } & StoredContent)
}

/** A new entry: without content of its own. */
export interface NewInboxEntry extends Omit<InboxEntry, "content"> {
  readonly rendering: InboxRendering
}

/** The port of the sandbox inbox. */
export class InboxStore extends Context.Service<
  InboxStore,
  {
    /** Adds entries; one that exists stays as it is. */
    readonly put: (entries: ReadonlyArray<NewInboxEntry>) => Effect.Effect<void, Unavailable>
    /** An account's entries, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<InboxEntry>, Unavailable>
    readonly get: (accountId: string, id: string) => Effect.Effect<InboxEntry | null, Unavailable>
    /** The bytes of an entry that is stored whole, message/rfc822; null for any other. */
    readonly raw: (accountId: string, id: string) => Effect.Effect<Uint8Array | null, Unavailable>
    /** Deletes the entries of those deliveries: part of erasing a person, and of retention. */
    readonly erase: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/InboxStore") {}
