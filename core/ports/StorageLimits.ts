/**
 * What a storage takes.
 *
 * @module
 */
import { Context } from "effect"

/** The port of a storage's limits. */
export class StorageLimits extends Context.Service<
  StorageLimits,
  {
    /** The most people that a campaign may have; null for no limit. */
    readonly maxAudience: number | null
  }
>()("svc/ports/StorageLimits") {}
