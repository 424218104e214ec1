/**
 * Fetches MTA-STS policies from the web servers of recipients' domains.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** A policy could not be fetched. */
export class StsFetchFailed extends Data.TaggedError("StsFetchFailed") {}

/** The port that fetches the MTA-STS policies of other domains. */
export class StsPolicyClient extends Context.Service<
  StsPolicyClient,
  {
    /**
     * The text of a domain's policy: at most 64 KB, within 10 seconds, from a public address, over https with a certificate valid
     * for the name, without following redirects (RFC 8461, 3.3). An interruption closes the connection. The caller limits how
     * many policies it fetches at the same time.
     */
    readonly fetch: (domain: string) => Effect.Effect<string, StsFetchFailed>
  }
>()("svc/ports/StsPolicyClient") {}
