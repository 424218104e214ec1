/**
 * Stores segments and evaluates their definitions.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Contact } from "../model/Contact.ts"
import type { Segment } from "../model/Segment.ts"
import type { SegmentDefinition } from "../model/SegmentDefinition.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** How many contacts a definition selects, and how many of those may get marketing email. */
export interface SegmentCount {
  readonly count: number
  /** Consent Subscribed or SoftOptIn, and not suppressed. */
  readonly sendableCount: number
}

/** The port of segments and their evaluation. */
export class SegmentStore extends Context.Service<
  SegmentStore,
  {
    readonly insert: (segment: Segment) => Effect.Effect<void, Unavailable>
    /** The account's own segments, oldest first; built-in ones are not stored. */
    readonly list: (accountId: string) => Effect.Effect<ReadonlyArray<Segment>, Unavailable>
    /** Replaces name, description and definition. */
    readonly save: (segment: Segment) => Effect.Effect<void, Unavailable>
    /** Deletes a segment and returns it; null when the account has none with that id. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<Segment | null, Unavailable>
    /** Exact counts of each definition at `now`, in order. */
    readonly count: (
      accountId: string,
      definitions: ReadonlyArray<SegmentDefinition>,
      now: number
    ) => Effect.Effect<ReadonlyArray<SegmentCount>, Unavailable>
    /** The contacts a definition selects at `now`, newest first by addedAt, then by id; all of them for null. */
    readonly contacts: (
      accountId: string,
      definition: SegmentDefinition | null,
      page: PageRequest,
      now: number
    ) => Effect.Effect<Page<Contact>, Unavailable>
  }
>()("svc/ports/SegmentStore") {}
