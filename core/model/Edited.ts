/**
 * Records that people edit: when and by whom they were last changed, and the tag of their version, which detects concurrent edits
 * (RFC 9110, 8.8.3).
 *
 * @module
 */
import type { Actor, ActorKind } from "./Actor.ts"

/** The last person or program that changed a record. */
export interface Editor {
  readonly kind: ActorKind
  /** The id; null if the editor has none. */
  readonly id: string | null
  /** The name at the time of the change; null if not known. */
  readonly name: string | null
}

/** A record that people edit. Changes of its counters and statistics do not count as edits. */
export interface Edited {
  /** Epoch milliseconds; each change has a later time than the one before. */
  readonly updatedAt: number
  /** The editor; null if an earlier version of the service made the last change. */
  readonly updatedBy: Editor | null
}

/** The tag of a version, in the form of the header ETag. */
export const tagOf = ({ updatedAt }: Edited): string => `"${updatedAt.toString(36)}"`

/** The edit by an actor at a time. Its time is always later than that of the previous edit, even within a millisecond. */
export const editedBy = ({ id, kind, name }: Actor, now: number, before: Edited | null = null): Edited => ({
  updatedAt: before === null ? now : Math.max(now, before.updatedAt + 1),
  updatedBy: { kind, id, name }
})
