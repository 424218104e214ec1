/**
 * Checks whether the database is available.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** The port of the database's health. */
export class StorageHealth extends Context.Service<
  StorageHealth,
  {
    /** Succeeds when the database executes a trivial query. */
    readonly ping: Effect.Effect<void, Unavailable>
    /** The size of the database with its indexes, bytes; null where it is not known. */
    readonly size: Effect.Effect<number | null, Unavailable>
  }
>()("svc/ports/StorageHealth") {}
