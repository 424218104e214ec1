/**
 * What the suppression list says of addresses that become a contact's: of one that is listed, and of one that an erased
 * person left, which is kept under a keyed hash. When such an address is a contact's again it goes back under the
 * address, where everything that looks at the list finds it. Contact and list agree after it.
 *
 * @module
 */
import { Effect } from "effect"
import { type HashedAddress, SuppressionStore } from "../../ports/SuppressionStore.ts"
import type { Suppression, SuppressionKind } from "../../model/Suppression.ts"
import { makeAddressHash } from "./AddressHash.ts"
import type { Contact } from "../../model/Contact.ts"

/** Addresses that are suppressed. */
export interface SuppressedAddresses {
  /** What each makes of a contact that takes it. */
  readonly kinds: ReadonlyMap<string, SuppressionKind>
  /** The entries under the addresses themselves. */
  readonly listed: ReadonlyMap<string, Suppression>
  /** Those of erased people. */
  readonly hashed: ReadonlyMap<string, Suppression & HashedAddress>
}

/** What of the list follows contacts that took addresses. */
export interface ListChanges {
  /** Addresses that take the place of their hashes. */
  readonly restored: ReadonlyArray<HashedAddress>
  /** Entries that say what their contact was before. */
  readonly put: ReadonlyArray<Suppression>
}

const none: SuppressedAddresses = { kinds: new Map(), listed: new Map(), hashed: new Map() }

const isVerdict = (kind: string | undefined): kind is "Bounced" | "Complained" =>
  kind === "Bounced" || kind === "Complained"

/** What follows for the list from contacts that are written. */
export const suppressionChanges = (
  { hashed, listed }: SuppressedAddresses,
  contacts: ReadonlyArray<Contact>
): ListChanges => {
  const restored: Array<HashedAddress> = []
  const put: Array<Suppression> = []
  if (listed.size + hashed.size === 0) return { restored, put }
  for (const { consentStatus, email, formerEmails } of contacts) {
    // An address may have been the contact's for a moment only.
    for (const address of [email, ...formerEmails]) {
      const left = address === null ? undefined : hashed.get(address)
      if (left !== undefined) restored.push({ email: left.email, hash: left.hash })
    }
    const entry = email === null ? undefined : (listed.get(email) ?? hashed.get(email))
    if (isVerdict(entry?.kind) && isVerdict(consentStatus) && entry.kind !== consentStatus) {
      const { accountId, createdAt, email: address } = entry
      put.push({ accountId, email: address, kind: consentStatus, createdAt })
    }
  }
  return { restored, put }
}

/** Finds suppressed addresses, and writes what follows for the list. */
export const makeSuppressedAddresses = Effect.gen(function* () {
  const suppressions = yield* SuppressionStore
  const addressHash = yield* makeAddressHash

  return {
    /**
     * Those of the addresses that are suppressed: one read that says whether there is any to look for, and one look-up.
     * In the transaction that writes who takes them, so that none is listed in between.
     */
    find: Effect.fnUntraced(function* (accountId: string, emails: ReadonlyArray<string>) {
      if (emails.length === 0) return none
      yield* suppressions.lock([accountId], "Taking")
      const holds = yield* suppressions.holds(accountId)
      if (!holds.listed) return none
      const hashOf = holds.erased ? yield* addressHash : null
      const byHash = new Map(hashOf === null ? [] : emails.map((email) => [hashOf(accountId, email), email]))
      const entries = yield* suppressions.find(
        [...emails, ...byHash.keys()].map((email) => ({ accountId, email }))
      )
      const listed = new Map<string, Suppression>()
      const hashed = new Map<string, Suppression & HashedAddress>()
      for (const entry of entries) {
        const email = byHash.get(entry.email)
        if (email === undefined) listed.set(entry.email, entry)
        else hashed.set(email, { ...entry, email, hash: entry.email })
      }
      // What mail told of an address counts before what the operator wants for it.
      const kinds = new Map(Array.from(hashed, ([email, { kind }]) => [email, kind]))
      for (const [email, { kind }] of listed) if (isVerdict(kind) || !kinds.has(email)) kinds.set(email, kind)
      return { kinds, listed, hashed }
    }),
    /** Writes changes of the list; in the transaction that writes their contacts, after them. */
    write: (accountId: string, { put, restored }: ListChanges) =>
      Effect.andThen(suppressions.restore(accountId, restored), suppressions.put(put))
  }
})
