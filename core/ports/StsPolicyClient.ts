/**
 * Fetches MTA-STS policies from the web servers of recipients' domains.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** A policy could not be fetched. */
export class StsFetchFailed extends Data.TaggedError("StsFetchFailed") {}

/** The port of policies that others publish. */
export class StsPolicyClient extends Context.Service<
  StsPolicyClient,
  {
    /**
     * The text of a domain's policy: at most 64 KB, within 10 seconds, from an address that is public, over https with a
     * certificate valid for the name, without following redirects (RFC 8461, 3.3). Interrupted, it closes its connection. The
     * caller bounds how many it fetches at the same time.
     */
    readonly fetch: (domain: string) => Effect.Effect<string, StsFetchFailed>
  }
>()("svc/ports/StsPolicyClient") {}
