/**
 * Partitions large tables by time.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** A table partitioned by the time in its rows' ids. */
export interface PartitionedTable {
  readonly name: string
  /** Until when there are monthly partitions, epoch milliseconds. Later ids go to the last partition. */
  readonly until: number
  /** The rows in the last partition, counted up to 1,000. Any means that the clock of a node was far ahead. */
  readonly later: number
}

/** The port of partitions. It does nothing if the database has none. */
export class Partitions extends Context.Service<
  Partitions,
  {
    /**
     * Creates missing partitions for the month of `now` and the two months after it, and returns how many. Fails, and should be
     * repeated, if a table is in use for longer than a second.
     */
    readonly extend: (now: number) => Effect.Effect<number, Unavailable>
    /**
     * Drops the partitions of attempts whose deliveries are older than the `recipientRetentionDays` of every account, and returns
     * how many. Attempts that any account still keeps stay.
     */
    readonly drop: (now: number) => Effect.Effect<number, Unavailable>
    /** The partitioned tables by name; none if the database has no partitions. */
    readonly tables: Effect.Effect<ReadonlyArray<PartitionedTable>, Unavailable>
  }
>()("svc/ports/Partitions") {}
