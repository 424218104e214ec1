/**
 * Prevents connections into the service's own network when a tenant names the server (docs/contributing/decisions.md 7).
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** A host must not be connected to, or its name currently has no addresses. */
export class AddressRefused extends Data.TaggedError("AddressRefused")<{
  readonly reason: "address_refused" | "name_unknown" | "name_unavailable"
}> {}

/** The port that guards outgoing connections. */
export class AddressGuard extends Context.Service<
  AddressGuard,
  {
    /** Whether any address and port may be connected to; for development and tests only. */
    readonly isOpen: boolean
    /** Whether a host (a name, or an address without brackets) can be a public server. Does not look the name up. */
    readonly accepts: (host: string) => boolean
    /**
     * The addresses of a host, at least one; all of them may be connected to. Call it at most a minute before connecting, and
     * connect only to one of these addresses, since the name may resolve to others a moment later.
     */
    readonly addresses: (host: string) => Effect.Effect<ReadonlyArray<string>, AddressRefused>
  }
>()("svc/ports/AddressGuard") {}
