/**
 * Stores the MTA-STS policies of recipients' domains, shared by all accounts.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { StsPolicy } from "../model/StsPolicy.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The port of policies. */
export class StsPolicyStore extends Context.Service<
  StsPolicyStore,
  {
    /** A domain's policy, even if it expired; null if there is none. */
    readonly find: (domain: string) => Effect.Effect<StsPolicy | null, Unavailable>
    /** Adds a policy, or replaces the policy of its domain if that was fetched earlier. */
    readonly save: (policy: StsPolicy) => Effect.Effect<void, Unavailable>
    /** Deletes policies that expired before a time, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/StsPolicyStore") {}
