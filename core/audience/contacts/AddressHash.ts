/**
 * Hashes addresses with a key of the installation. The hash is all that remains of an erased person's address: without
 * the installation's secret, addresses cannot be tested against it.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { toHex } from "../../shared/Bytes.ts"
import type { Unavailable } from "../../shared/Problem.ts"

/** Returns the keyed hash of an account's normalized address, as hex. */
export type HashAddress = (accountId: string, email: string) => string

/** The keyed hash of addresses. */
export class AddressHash extends Context.Service<
  AddressHash,
  {
    /** The hash function; `Unavailable` before the first start has completed. */
    readonly get: Effect.Effect<HashAddress, Unavailable>
  }
>()("svc/audience/AddressHash") {
  static readonly layer = Layer.effect(
    AddressHash,
    Effect.gen(function* () {
      const keys = yield* InstallationKeys
      const crypto = yield* Crypto
      return AddressHash.of({
        get: Effect.map(
          keys.get,
          ({ addresses }): HashAddress =>
            (accountId, email) =>
              toHex(crypto.hmacSha256(addresses, `${accountId} ${email}`))
        )
      })
    })
  )
}
