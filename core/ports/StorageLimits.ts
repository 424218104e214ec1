/**
 * The limits of a storage.
 *
 * @module
 */
import { Context } from "effect"

/** The port of a storage's limits. */
export class StorageLimits extends Context.Service<
  StorageLimits,
  {
    /** The most people in the audience of a campaign; null for no limit. */
    readonly maxAudience: number | null
  }
>()("svc/ports/StorageLimits") {}
