/**
 * What a supervisor and its processes send each other.
 *
 * @module
 */
import type { ReadyFacts } from "../server/announce.ts"

/** From a process: it accepts work, and this is what it would print. */
export interface ReadyMessage {
  readonly _tag: "Ready"
  readonly lines: ReadonlyArray<string>
  readonly facts: ReadyFacts
}

/** Asks for the metrics of a process; a process asks so for those of all others. */
export interface MetricsAsked {
  readonly _tag: "MetricsAsked"
  readonly id: number
}

/** The metrics of processes in Prometheus's text format. */
export interface MetricsGiven {
  readonly _tag: "MetricsGiven"
  readonly id: number
  readonly texts: ReadonlyArray<string>
}

export type Message = ReadyMessage | MetricsAsked | MetricsGiven

/** How long the metrics of the other processes may take, milliseconds. Those that are late are left out. */
export const metricsMillis = 1_000

/** A message among those that a library may send too. */
export const messageIn = (value: unknown): Message | null =>
  typeof value === "object" && value !== null && "_tag" in value ? (value as Message) : null
