/**
 * Flow runs: the progress of one contact through one version of a flow.
 *
 * @module
 */
import type { Json } from "../shared/Json.ts"

/** Every state of a run. */
export const runStatuses = ["Active", "Completed", "Stopped", "Failed"] as const

/** The state of a run. Only an Active one advances. */
export type RunStatus = (typeof runStatuses)[number]

/** An event as a run stores it. */
export interface RunEvent {
  readonly name: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly properties: Readonly<Record<string, Json>>
}

/** A logged outcome of a step. */
export interface LogEntry {
  readonly stepId: string
  /** Epoch milliseconds. */
  readonly at: number
  /** The outcome, such as `sent`, `skipped: sending.gate_bounced`, `waiting`, `then`. */
  readonly outcome: string
}

/** A flow run. All times are epoch milliseconds. */
export interface Run {
  readonly id: string
  readonly accountId: string
  readonly flowId: string
  readonly version: number
  readonly contactId: string
  readonly status: RunStatus
  /** The step that is next or waits; null for none. */
  readonly stepId: string | null
  /** Whether the run waits in the step `stepId`. */
  readonly isWaiting: boolean
  /** When the run advances next; null once it has ended. */
  readonly dueAt: number | null
  /** The event that started the run, which steps see as `event`. */
  readonly event: RunEvent
  /** Events that arrived between two steps, kept for a step that waits for them. */
  readonly pending: ReadonlyArray<RunEvent>
  readonly log: ReadonlyArray<LogEntry>
  readonly startedAt: number
  readonly endedAt: number | null
  /** Why the run was stopped or failed; null otherwise. */
  readonly reason: string | null
}

/** A new run. */
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
