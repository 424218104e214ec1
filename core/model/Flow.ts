/**
 * Flows and their published versions.
 *
 * @module
 */
import type { Edited } from "./Edited.ts"
import type { FlowDefinition } from "./FlowDefinition.ts"

/** Every state of a flow. */
export const flowStatuses = ["Draft", "Published", "Paused", "Archived"] as const

/** The state of a flow. Only a Published flow starts runs; Active runs continue in every state. */
export type FlowStatus = (typeof flowStatuses)[number]

/** A flow. All times are epoch milliseconds. */
export interface Flow extends Edited {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly status: FlowStatus
  /** The version published last; 0 before the first. */
  readonly version: number
  /** The definition being edited; runs follow the version they started with. */
  readonly definition: FlowDefinition
  /** The event that starts the version published last; null before the first, and for another kind of trigger. */
  readonly startsOn: string | null
  /** The segment that starts the version published last when people enter or leave it; otherwise null. */
  readonly segmentId: string | null
  /** SHA-256 of the trigger token, lower-case hex; null if there is none. */
  readonly tokenHash: string | null
  readonly createdAt: number
}

/** Identifies a version of a flow. */
export interface VersionRef {
  readonly accountId: string
  readonly flowId: string
  readonly version: number
}

/** A published definition, which never changes. */
export interface FlowVersion extends VersionRef {
  /** When it was published, epoch milliseconds; null if that was before the time was stored. */
  readonly publishedAt: number | null
  readonly definition: FlowDefinition
}
