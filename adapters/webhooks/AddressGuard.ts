/**
 * Implements the AddressGuard port with the checks of addresses that are used for webhooks.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { AddressGuard, AddressRefused } from "../../core/ports/AddressGuard.ts"
import { Dns } from "../../core/ports/Dns.ts"
import { addressOfHost } from "./Addresses.ts"
import { acceptsHost, LookupRejected, makeLookUp } from "./Guard.ts"

/** The options of the guard. */
export interface GuardOptions {
  /** Whether addresses that are not public are permitted too. For development and tests only. */
  readonly allowPrivate: boolean
}

const refusalOf = (error: unknown): AddressRefused => {
  const reason = error instanceof LookupRejected ? error.reason : ""
  return new AddressRefused({
    reason: reason === "address_refused" || reason === "name_unknown" ? reason : "name_unavailable"
  })
}

/** The port over {@link Dns}. */
export const layer = ({ allowPrivate }: GuardOptions): Layer.Layer<AddressGuard, never, Dns> =>
  Layer.effect(
    AddressGuard,
    Effect.map(Dns, (dns) => {
      const lookUp = makeLookUp(dns, allowPrivate)
      return AddressGuard.of({
        isOpen: allowPrivate,
        accepts: (host) => allowPrivate || acceptsHost(host),
        addresses: (host) =>
          Effect.suspend(() => {
            if (!allowPrivate && !acceptsHost(host)) {
              return Effect.fail(new AddressRefused({ reason: "address_refused" }))
            }
            const address = addressOfHost(host)
            return address === null
              ? Effect.tryPromise({ try: () => lookUp(host), catch: refusalOf })
              : Effect.succeed([address])
          })
      })
    })
  )
