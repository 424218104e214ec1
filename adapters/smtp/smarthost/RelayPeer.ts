/**
 * The servers of a relay: its host, or the addresses of it that the AddressGuard permits.
 *
 * @module
 */
import { Effect } from "effect"
import type { RelayEndpoint } from "../../../core/model/MailRelay.ts"
import type { AddressGuard, AddressRefused } from "../../../core/ports/AddressGuard.ts"
import type { Peer } from "../transport/Connection.ts"

/** The most addresses of a relay that are tried. */
const maxAddresses = 5

/** The server of a relay at an address; `name` is the name of this host in EHLO. */
export const relayPeer = (
  { credentials, host, port, tls, verify }: RelayEndpoint,
  address: string,
  name: string
): Peer => ({
  host,
  address,
  port,
  tls: tls === "Implicit" ? "implicit" : tls === "Required" ? "required" : "offered",
  verify,
  credentials,
  name,
  showsReplies: true
})

/**
 * The servers of a relay in the order they are tried. Of one that a tenant chose they are the addresses that were looked up
 * and checked here, so that no second look-up can find others.
 */
export const relayPeers = (
  guard: AddressGuard["Service"],
  relay: RelayEndpoint & { readonly isGuarded: boolean },
  name: string
): Effect.Effect<ReadonlyArray<Peer>, AddressRefused> =>
  relay.isGuarded
    ? Effect.map(guard.addresses(relay.host), (addresses) =>
        addresses.slice(0, maxAddresses).map((address) => relayPeer(relay, address, name))
      )
    : Effect.succeed([relayPeer(relay, relay.host, name)])
