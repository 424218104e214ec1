/**
 * Stores the sandbox inbox: messages as they would have been sent.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { DeliveryRef } from "./SubmissionStore.ts"

/** A message in the inbox. */
export interface InboxMessage {
  /** The delivery's id. */
  readonly id: string
  readonly accountId: string
  readonly submissionId: string
  readonly to: string
  readonly fromEmail: string
  readonly fromName: string | null
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

/** The port of the sandbox inbox. */
export class InboxStore extends Context.Service<
  InboxStore,
  {
    /** Adds messages with their raw bytes; one that exists stays as it is. */
    readonly put: (
      messages: ReadonlyArray<{ readonly message: InboxMessage; readonly raw: Uint8Array }>
    ) => Effect.Effect<void, Unavailable>
    /** An account's messages, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<InboxMessage>, Unavailable>
    readonly get: (accountId: string, id: string) => Effect.Effect<InboxMessage | null, Unavailable>
    /** The bytes of a message, message/rfc822. */
    readonly raw: (accountId: string, id: string) => Effect.Effect<Uint8Array | null, Unavailable>
    /** Deletes the messages of those deliveries: part of erasing a person. */
    readonly erase: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/InboxStore") {}
