/**
 * Whether the store can be reached.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** The port of the store's health. */
export class StorageHealth extends Context.Service<
  StorageHealth,
  {
    /** Succeeds when the store answers a trivial question. */
    readonly ping: Effect.Effect<void, Unavailable>
  }
>()("svc/ports/StorageHealth") {}
