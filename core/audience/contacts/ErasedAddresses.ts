/**
 * Finds addresses of erased people, of which only keyed hashes remain. Imports and stores never add such a person again; with the
 * account setting `keepErased`, no other write does either (docs/contributing/decisions.md 3).
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { ContactStore } from "../../ports/ContactStore.ts"
import { AddressHash } from "./AddressHash.ts"

/** The addresses of erased people. */
export class ErasedAddresses extends Context.Service<ErasedAddresses>()("svc/audience/ErasedAddresses", {
  make: Effect.gen(function* () {
    const contacts = yield* ContactStore
    const addressHash = yield* AddressHash
    return {
      /**
       * The given normalized addresses that belonged to an erased person, even if a contact has them now; at most one look-up.
       * In a transaction that locks the account's suppression list, it misses no erasure.
       */
      among: Effect.fn("ErasedAddresses.among")(function* (accountId: string, emails: ReadonlyArray<string>) {
        if (emails.length === 0) return new Set<string>()
        const hashesOf = yield* addressHash.all
        const byHash = new Map(
          emails.flatMap((email) => hashesOf(accountId, email).map((hash) => [hash, email] as const))
        )
        const hashes = yield* contacts.erasedHashes(accountId, [...byHash.keys()])
        return new Set(hashes.map((hash) => byHash.get(hash)!))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(ErasedAddresses, ErasedAddresses.make)
}
