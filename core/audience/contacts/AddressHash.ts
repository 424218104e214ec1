/**
 * Hashes addresses with a key of the installation. The hash is all that remains of an erased person's address: without the
 * installation's secret, no one can test whether it belongs to an address.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { toHex } from "../../shared/Bytes.ts"
import { needlessSpelling } from "../../shared/EmailAddress.ts"

/** The keyed hash of addresses. */
export class AddressHash extends Context.Service<AddressHash>()("svc/audience/AddressHash", {
  make: Effect.gen(function* () {
    const keys = yield* InstallationKeys
    const crypto = yield* Crypto
    const get = Effect.map(
      keys.get,
      ({ addresses }) =>
        (accountId: string, email: string) =>
          toHex(crypto.hmacSha256(addresses, `${accountId} ${email}`))
    )
    return {
      /**
       * The hash function, which returns the keyed hash of an account's normalized address as hex. `Unavailable` before the first
       * start has completed.
       */
      get,
      /**
       * Like `get`, for look-ups: the function returns every hash under which an address may be stored. Earlier versions treated
       * a spelling with unnecessary quotes as a different address.
       */
      all: Effect.map(get, (hashOf) => (accountId: string, email: string): ReadonlyArray<string> => {
        const needless = needlessSpelling(email)
        const hash = hashOf(accountId, email)
        return needless === null ? [hash] : [hash, hashOf(accountId, needless)]
      })
    }
  })
}) {
  static readonly layer = Layer.effect(AddressHash, AddressHash.make)
}
