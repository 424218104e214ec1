/**
 * Flows and their published versions.
 *
 * @module
 */
import type { Edited } from "./Edited.ts"
import type { FlowDefinition } from "./FlowDefinition.ts"

/** Every state of a flow. */
export const flowStatuses = ["Draft", "Published", "Paused", "Archived"] as const

/** Whether a flow starts runs: only a Published one does. Active runs continue in every state. */
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
  /** The event that starts the version published last; null before the first, and for another trigger. */
  readonly startsOn: string | null
  /** The segment that starts the version published last, by people who enter or leave it; else null. */
  readonly segmentId: string | null
  /** SHA-256 of the trigger token, lower-case hex; null without one. */
  readonly tokenHash: string | null
  readonly createdAt: number
}

/** A version of a flow. */
export interface VersionRef {
  readonly accountId: string
  readonly flowId: string
  readonly version: number
}

/** A published definition, which never changes. */
export interface FlowVersion extends VersionRef {
  /** Epoch milliseconds; null for a version that was published before this was stored. */
  readonly publishedAt: number | null
  readonly definition: FlowDefinition
}
