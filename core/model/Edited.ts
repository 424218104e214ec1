/**
 * What people edit: when and by whom it was changed last, and the tag of its version, by which concurrent edits are found
 * (RFC 9110, 8.8.3).
 *
 * @module
 */
import type { Actor, ActorKind } from "./Actor.ts"

/** Who changed something last. */
export interface Editor {
  readonly kind: ActorKind
  /** Null where it has none. */
  readonly id: string | null
  /** Its name at the time of the change; null where it is not known. */
  readonly name: string | null
}

/** Something that people edit. Counters and statistics are no part of it. */
export interface Edited {
  /** Epoch milliseconds; each change has a later time than the one before. */
  readonly updatedAt: number
  /** Null for what was changed last by an earlier version of the service. */
  readonly updatedBy: Editor | null
}

/** The tag of a version, as the header ETag has it. */
export const tagOf = ({ updatedAt }: Edited): string => `"${updatedAt.toString(36)}"`

/** A new version by an actor at a time: later than the one before, also within the same millisecond. */
export const editedBy = ({ id, kind, name }: Actor, now: number, before: Edited | null = null): Edited => ({
  updatedAt: before === null ? now : Math.max(now, before.updatedAt + 1),
  updatedBy: { kind, id, name }
})
