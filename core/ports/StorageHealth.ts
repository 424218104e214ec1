/**
 * Checks whether the database is available.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** A table with its indexes. Partitions count for the table that they divide. */
export interface TableSize {
  readonly name: string
  /** About how many rows it has; null where that is not known. */
  readonly rows: number | null
  readonly bytes: number
}

/** A partition of a table. */
export interface PartitionSize extends TableSize {
  readonly table: string
}

/** A statement that took much time. */
export interface SlowStatement {
  /** Its text, with `$1` in place of values. */
  readonly statement: string
  readonly calls: number
  readonly totalMs: number
  readonly meanMs: number
}

/** Every engine of storage. */
export const engines = ["Memory", "PGlite", "PostgreSQL"] as const

/** What the storage consists of. */
export interface StorageReport {
  readonly engine: (typeof engines)[number]
  /** The version of the engine; null in memory. */
  readonly version: string | null
  /** The largest first. */
  readonly tables: ReadonlyArray<TableSize>
  readonly partitions: ReadonlyArray<PartitionSize>
  /** The statements that took most time; null where the extension pg_stat_statements does not count them. */
  readonly slowStatements: ReadonlyArray<SlowStatement> | null
  /** How many migrations the database has, and how many this version knows; null in memory. */
  readonly migrations: { readonly applied: number; readonly known: number } | null
}

/** The port of the database's health. */
export class StorageHealth extends Context.Service<
  StorageHealth,
  {
    /** Succeeds when the database executes a trivial query. */
    readonly ping: Effect.Effect<void, Unavailable>
    /** The size of the database with its indexes, bytes; null where it is not known. */
    readonly size: Effect.Effect<number | null, Unavailable>
    /** What the storage consists of. */
    readonly report: Effect.Effect<StorageReport, Unavailable>
  }
>()("svc/ports/StorageHealth") {}
