/**
 * Reports whether the database is available, and what it consists of.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** The size of a table with its indexes. Partitions count towards the table that they divide. */
export interface TableSize {
  readonly name: string
  /** The approximate number of rows; null if not known. */
  readonly rows: number | null
  readonly bytes: number
}

/** A partition of a table. */
export interface PartitionSize extends TableSize {
  readonly table: string
}

/** A statement that took much time in total. */
export interface SlowStatement {
  /** The text of the statement, with `$1` in place of values. */
  readonly statement: string
  readonly calls: number
  readonly totalMs: number
  readonly meanMs: number
}

/** The storage engines. */
export const engines = ["Memory", "PGlite", "PostgreSQL"] as const

/** What the storage consists of. */
export interface StorageReport {
  readonly engine: (typeof engines)[number]
  /** The version of the engine; null in memory. */
  readonly version: string | null
  /** Largest first. */
  readonly tables: ReadonlyArray<TableSize>
  readonly partitions: ReadonlyArray<PartitionSize>
  /** The statements that took the most time; null without the extension pg_stat_statements. */
  readonly slowStatements: ReadonlyArray<SlowStatement> | null
  /** The number of migrations that the database has, and that this version knows; null in memory. */
  readonly migrations: { readonly applied: number; readonly known: number } | null
}

/** The port of the database's health. */
export class StorageHealth extends Context.Service<
  StorageHealth,
  {
    /** Succeeds if the database executes a trivial query. */
    readonly ping: Effect.Effect<void, Unavailable>
    /** The size of the database with its indexes, bytes; null if not known. */
    readonly size: Effect.Effect<number | null, Unavailable>
    /** What the storage consists of. */
    readonly report: Effect.Effect<StorageReport, Unavailable>
  }
>()("svc/ports/StorageHealth") {}
