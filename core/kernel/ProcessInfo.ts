/**
 * What a process reports about itself: its identity, its health, its configuration and its log.
 *
 * @module
 */
import { Context, Effect } from "effect"
import type { NodeFacts, NodeMeasures } from "../model/Node.ts"

/** Every source of a configured value. */
export const settingSources = ["Environment", "Default"] as const

/** A value of the configuration. */
export interface ConfiguredValue {
  /** The variable, such as `SVC_PORT`. */
  readonly name: string
  /** The value in effect; null if there is none, and `set` for a secret. */
  readonly value: string | null
  readonly source: (typeof settingSources)[number]
  readonly isSecret: boolean
}

/** A certificate in use. */
export interface CertificateFacts {
  /** What the certificate is used for. */
  readonly usedFor: "Smtp"
  /** The names for which it is valid. */
  readonly names: ReadonlyArray<string>
  readonly issuer: string
  /** Epoch milliseconds. */
  readonly validFrom: number
  readonly validTo: number
  readonly isSelfSigned: boolean
}

/** Every level of a log line. */
export const logLevels = ["Trace", "Debug", "Info", "Warn", "Error", "Fatal"] as const

/** A level of a log line. */
export type LineLevel = (typeof logLevels)[number]

/** A line of the log. */
export interface LogLine {
  /** Epoch milliseconds. */
  readonly at: number
  readonly level: LineLevel
  readonly message: string
  readonly fields: Readonly<Record<string, string>>
}

/** What a process reports about itself. */
export interface ProcessFacts {
  readonly node: NodeFacts
  readonly measures: Effect.Effect<NodeMeasures>
  readonly configuration: ReadonlyArray<ConfiguredValue>
  readonly certificates: Effect.Effect<ReadonlyArray<CertificateFacts>>
  /** When the last backup was made, epoch milliseconds, null for never. Null if no backup is monitored. */
  readonly lastBackup: Effect.Effect<{ readonly at: number | null } | null>
  /** The lines that the process logged, oldest first. */
  readonly logs: Effect.Effect<ReadonlyArray<LogLine>>
}

/** The facts of a process whose runtime provides none, such as one embedded in another program. */
export const unknownProcess: ProcessFacts = {
  node: {
    id: "00000000-0000-7000-8000-000000000000",
    host: "embedded",
    version: "unknown",
    runtime: "unknown",
    roles: ["api", "worker"],
    startedAt: 0,
    addresses: []
  },
  measures: Effect.succeed({ eventLoopDelayMs: 0, memoryBytes: 0, heapUsedBytes: 0, heapLimitBytes: 0 }),
  configuration: [],
  certificates: Effect.succeed([]),
  lastBackup: Effect.succeed(null),
  logs: Effect.succeed([])
}

/** What this process reports about itself. */
export const ProcessInfo = Context.Reference<ProcessFacts>("svc/kernel/ProcessInfo", {
  defaultValue: () => unknownProcess
})

/** A clock that can be moved. */
export interface MovableClock {
  /** Moves the clock forward to a time, epoch milliseconds; never back. */
  readonly set: (millis: number) => void
}

/** The clock of this process if it can be moved, as in tests on memory; null for the system clock. */
export const ClockControl = Context.Reference<MovableClock | null>("svc/kernel/ClockControl", {
  defaultValue: () => null
})
