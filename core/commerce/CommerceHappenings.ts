/**
 * What stores make happen to contacts, on its way to their timelines.
 *
 * @module
 */
import { Effect } from "effect"
import { TimelineStore } from "../ports/TimelineStore.ts"
import type { Json } from "../shared/Json.ts"

/** Something that happened to a contact. */
export interface Happening {
  readonly accountId: string
  readonly contactId: string
  /** Also the id of its entry on the timeline, which has each once. */
  readonly id: string
  /** Such as `order.paid`. */
  readonly name: string
  readonly properties: Readonly<Record<string, Json>>
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly source: "Store"
}

/** A function that records happenings of an account, in the caller's transaction. One write. */
export const makeRecordHappenings = Effect.map(
  TimelineStore,
  (timeline) => (accountId: string, happenings: ReadonlyArray<Happening>) =>
    timeline.append(
      accountId,
      happenings.map(({ contactId, id, name, occurredAt, properties, source }) => ({
        id,
        contactId,
        name,
        occurredAt,
        properties,
        source
      }))
    )
)
