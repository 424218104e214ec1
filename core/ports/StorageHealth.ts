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
  }
>()("svc/ports/StorageHealth") {}
