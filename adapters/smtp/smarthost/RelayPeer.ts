/**
 * Determines the servers of a relay: its host, or those of its addresses that the AddressGuard permits.
 *
 * @module
 */
import { Effect } from "effect"
import type { RelayEndpoint } from "../../../core/model/MailRelay.ts"
import type { AddressGuard, AddressRefused } from "../../../core/ports/AddressGuard.ts"
import type { Peer } from "../transport/Connection.ts"

/** The maximum number of a relay's addresses that are tried. */
const maxAddresses = 5

/** The server of a relay at an address. `name` is the name of this host in EHLO. */
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
 * The servers of a relay, in the order in which they are tried. If a tenant chose the relay, they are the addresses that were
 * looked up and checked here, so that a second look-up cannot find others.
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
