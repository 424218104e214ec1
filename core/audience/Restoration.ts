/**
 * Erased people who come back. What suppressed such an address is kept under a keyed hash; when the address is a
 * contact's again it goes back under the address, where everything that looks at the list finds it.
 *
 * @module
 */
import { Effect } from "effect"
import { type HashedAddress, SuppressionStore } from "../ports/SuppressionStore.ts"
import type { SuppressionKind } from "../sending/Suppression.ts"
import { makeAddressHash } from "./AddressHash.ts"
import type { Contact } from "./Contact.ts"

/** Suppressed addresses of erased people. */
export interface ErasedAddresses {
  readonly kinds: ReadonlyMap<string, SuppressionKind>
  readonly hashed: ReadonlyMap<string, HashedAddress>
}

const none: ErasedAddresses = { kinds: new Map(), hashed: new Map() }

/** Finds suppressed addresses of erased people, and gives them back to contacts. */
export const makeRestoration = Effect.gen(function* () {
  const suppressions = yield* SuppressionStore
  const addressHash = yield* makeAddressHash

  return {
    /** Those of the addresses that erased people left suppressed: nothing to look for in most accounts. */
    find: Effect.fnUntraced(function* (accountId: string, emails: ReadonlyArray<string>) {
      if (emails.length === 0 || !(yield* suppressions.hasErased(accountId))) return none
      const hashOf = yield* addressHash
      const byHash = new Map(emails.map((email) => [hashOf(accountId, email), email]))
      const entries = yield* suppressions.find([...byHash.keys()].map((email) => ({ accountId, email })))
      const found = entries.map(({ email: hash, kind }) => ({ email: byHash.get(hash)!, hash, kind }))
      return {
        kinds: new Map(found.map(({ email, kind }) => [email, kind])),
        hashed: new Map(found.map(({ email, hash }) => [email, { email, hash }]))
      }
    }),
    /** Those of erased addresses that are, or were for a moment, the contacts'. */
    takenBy: ({ hashed }: ErasedAddresses, contacts: ReadonlyArray<Contact>): ReadonlyArray<HashedAddress> =>
      hashed.size === 0
        ? []
        : contacts
            .flatMap(({ email, formerEmails }) => [email, ...formerEmails])
            .flatMap((email) => (email === null ? [] : (hashed.get(email) ?? []))),
    /** Puts addresses back on the list; in the transaction that writes their contacts, after them. */
    restore: suppressions.restore
  }
})
