/**
 * Keyed hashes of addresses: all that is kept of an erased person's address. Without the installation's secret nobody
 * can try addresses against them.
 *
 * @module
 */
import { Effect } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { toHex } from "../../shared/Bytes.ts"
import type { Unavailable } from "../../shared/Problem.ts"

/** Gives the keyed hash of an account's normalized address, as hex. */
export type AddressHash = (accountId: string, email: string) => string

/** An effect that answers the hash function; it reads the installation's keys the first time it runs. */
export const makeAddressHash: Effect.Effect<
  Effect.Effect<AddressHash, Unavailable>,
  never,
  Crypto | InstallationKeys
> = Effect.gen(function* () {
  const keys = yield* InstallationKeys
  const crypto = yield* Crypto
  return Effect.map(
    keys.get,
    ({ addresses }): AddressHash =>
      (accountId, email) =>
        toHex(crypto.hmacSha256(addresses, `${accountId} ${email}`))
  )
})
