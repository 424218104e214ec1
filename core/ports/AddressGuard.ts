/**
 * Keeps connections to servers that a tenant names away from the service's own network (docs/contributing/decisions.md 7).
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** A host must not be connected to, or its name has no addresses for now. */
export class AddressRefused extends Data.TaggedError("AddressRefused")<{
  readonly reason: "address_refused" | "name_unknown" | "name_unavailable"
}> {}

/** The port of the outgoing guard. */
export class AddressGuard extends Context.Service<
  AddressGuard,
  {
    /** Whether every address may be connected to, at any port: for development and tests only. */
    readonly isOpen: boolean
    /** Whether a host, a name or an address without brackets, can be a public server, without looking up its name. */
    readonly accepts: (host: string) => boolean
    /**
     * The addresses of a host, all of which may be connected to; at least one. To be called at most a minute before a
     * connection, which must go to one of them: a name may have others a moment later.
     */
    readonly addresses: (host: string) => Effect.Effect<ReadonlyArray<string>, AddressRefused>
  }
>()("svc/ports/AddressGuard") {}
