/**
 * Divides large tables by time.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** A table that is divided by the time in its rows' ids. */
export interface PartitionedTable {
  readonly name: string
  /** Until when there are partitions of months, epoch milliseconds. Later ids share the last partition. */
  readonly until: number
  /** How many rows the last partition has, at most 1,000 being counted: the clock of a node was far ahead. */
  readonly later: number
}

/** The port of partitions. Where the database has none, nothing is done. */
export class Partitions extends Context.Service<
  Partitions,
  {
    /**
     * Makes the partitions of the month of `now` and of two months after it, where they are missing, and returns how many.
     * It fails, and is to be repeated, where a table is in use for longer than a second.
     */
    readonly extend: (now: number) => Effect.Effect<number, Unavailable>
    /**
     * Drops the partitions of attempts whose deliveries are older than every account's `recipientRetentionDays`, and
     * returns how many. Attempts that an account still keeps stay.
     */
    readonly drop: (now: number) => Effect.Effect<number, Unavailable>
    /** The tables by name; none where the database has no partitions. */
    readonly tables: Effect.Effect<ReadonlyArray<PartitionedTable>, Unavailable>
  }
>()("svc/ports/Partitions") {}
