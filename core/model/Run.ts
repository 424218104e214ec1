/**
 * Runs: a contact's way through a flow.
 *
 * @module
 */
import type { Json } from "../shared/Json.ts"

/** Every state of a run. */
export const runStatuses = ["Active", "Completed", "Stopped", "Failed"] as const

/** The state of a run. Only an Active one moves. */
export type RunStatus = (typeof runStatuses)[number]

/** An event as a run remembers it. */
export interface RunEvent {
  readonly name: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly properties: Readonly<Record<string, Json>>
}

/** What became of a step. */
export interface LogEntry {
  readonly stepId: string
  /** Epoch milliseconds. */
  readonly at: number
  /** Such as `sent`, `skipped: sending.gate_bounced`, `waiting`, `then`. */
  readonly outcome: string
}

/** A contact's way through a version of a flow. All times are epoch milliseconds. */
export interface Run {
  readonly id: string
  readonly accountId: string
  readonly flowId: string
  readonly version: number
  readonly contactId: string
  readonly status: RunStatus
  /** The step that comes next, or that is waited in; null when there is none. */
  readonly stepId: string | null
  /** Whether `stepId` is waited in. */
  readonly isWaiting: boolean
  /** When the next turn is due; null once the run ended. */
  readonly dueAt: number | null
  /** What started it; steps see it as `event`. */
  readonly event: RunEvent
  /** Events that came between two steps, for a step that waits for them. */
  readonly pending: ReadonlyArray<RunEvent>
  readonly log: ReadonlyArray<LogEntry>
  readonly startedAt: number
  readonly endedAt: number | null
  /** Why it was stopped or failed. */
  readonly reason: string | null
}

/** A run that begins. */
export const newRun = (
  start: Pick<Run, "id" | "accountId" | "flowId" | "version" | "contactId" | "event">,
  firstStep: string | null,
  now: number
): Run => ({
  ...start,
  status: "Active",
  stepId: firstStep,
  isWaiting: false,
  dueAt: now,
  pending: [],
  log: [],
  startedAt: now,
  endedAt: null,
  reason: null
})
