/**
 * Defines the messages between a supervisor and its processes.
 *
 * @module
 */
import type { ReadyFacts } from "../server/announce.ts"

/** From a process: it accepts work. The message has what the process would print. */
export interface ReadyMessage {
  readonly _tag: "Ready"
  readonly lines: ReadonlyArray<string>
  readonly facts: ReadyFacts
}

/** Asks a process for its metrics. A process uses it to ask for the metrics of all others. */
export interface MetricsAsked {
  readonly _tag: "MetricsAsked"
  readonly id: number
}

/** The metrics of processes, in Prometheus's text format. */
export interface MetricsGiven {
  readonly _tag: "MetricsGiven"
  readonly id: number
  readonly texts: ReadonlyArray<string>
}

export type Message = ReadyMessage | MetricsAsked | MetricsGiven

/** How long to wait for the metrics of the other processes, in milliseconds. Late metrics are omitted. */
export const metricsMillis = 1_000

/** Picks out these messages from those that a library may send too. */
export const messageIn = (value: unknown): Message | null =>
  typeof value === "object" && value !== null && "_tag" in value ? (value as Message) : null
