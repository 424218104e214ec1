/**
 * Keeps contacts and the suppression list consistent when a contact takes an address. It finds suppressed addresses, including
 * those of erased people, which are listed under a keyed hash, and writes the changes of the list. When such an address belongs
 * to a contact again, its entry is listed under the address itself, so that every look-up finds it.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { type HashedAddress, SuppressionStore } from "../../ports/SuppressionStore.ts"
import type { Suppression, SuppressionKind } from "../../model/Suppression.ts"
import { AddressHash } from "./AddressHash.ts"
import type { Contact } from "../../model/Contact.ts"

/** The suppressed addresses among those of a batch. */
export interface FoundSuppressions {
  /** By address, the kind that applies to a contact that takes it. */
  readonly kinds: ReadonlyMap<string, SuppressionKind>
  /** The entries listed under the addresses themselves. */
  readonly listed: ReadonlyMap<string, Suppression>
  /** The entries of erased people, listed under hashes. */
  readonly hashed: ReadonlyMap<string, Suppression & HashedAddress>
}

/** Changes of the suppression list caused by contacts that took addresses. */
export interface SuppressionChanges {
  /** Addresses that replace their hashes in the list. */
  readonly restored: ReadonlyArray<HashedAddress>
  /** Entries whose kind becomes the consent status of their contact. */
  readonly put: ReadonlyArray<Suppression>
}

const none: FoundSuppressions = { kinds: new Map(), listed: new Map(), hashed: new Map() }

/** Whether a kind is caused by a bounce or a complaint, not by an operator. */
const isReported = (kind: string | undefined): kind is "Bounced" | "Complained" =>
  kind === "Bounced" || kind === "Complained"

/** The changes of the suppression list that writing the contacts causes. */
export const suppressionChanges = (
  { hashed, listed }: FoundSuppressions,
  contacts: ReadonlyArray<Contact>
): SuppressionChanges => {
  const restored: Array<HashedAddress> = []
  const put: Array<Suppression> = []
  if (listed.size + hashed.size === 0) return { restored, put }
  for (const { consentStatus, email, formerEmails } of contacts) {
    // A batch may give a contact an address and then replace it.
    for (const address of [email, ...formerEmails]) {
      const erased = address === null ? undefined : hashed.get(address)
      if (erased !== undefined) restored.push({ email: erased.email, hash: erased.hash })
    }
    const entry = email === null ? undefined : (listed.get(email) ?? hashed.get(email))
    if (isReported(entry?.kind) && isReported(consentStatus) && entry.kind !== consentStatus) {
      const { accountId, createdAt, email: address, source } = entry
      put.push({ accountId, email: address, kind: consentStatus, source, createdAt })
    }
  }
  return { restored, put }
}

/** The suppressed addresses that contacts take. */
export class SuppressedAddresses extends Context.Service<SuppressedAddresses>()(
  "svc/audience/SuppressedAddresses",
  {
    make: Effect.gen(function* () {
      const suppressions = yield* SuppressionStore
      const addressHash = yield* AddressHash

      return {
        /**
         * Finds which of the addresses are suppressed: one read of whether the list has entries, and at most one look-up. Call it
         * in the transaction that writes the contacts, because it prevents concurrent additions to the list.
         */
        find: Effect.fn("SuppressedAddresses.find")(function* (
          accountId: string,
          emails: ReadonlyArray<string>
        ) {
          if (emails.length === 0) return none
          yield* suppressions.lock([accountId], "Taking")
          const holds = yield* suppressions.holds(accountId)
          if (!holds.listed) return none
          const hashesOf = holds.erased ? yield* addressHash.all : () => []
          const byHash = new Map(
            emails.flatMap((email) => hashesOf(accountId, email).map((hash) => [hash, email] as const))
          )
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
          // A bounce or complaint overrides an entry by an operator.
          const kinds = new Map(Array.from(hashed, ([email, { kind }]) => [email, kind]))
          for (const [email, { kind }] of listed)
            if (isReported(kind) || !kinds.has(email)) kinds.set(email, kind)
          return { kinds, listed, hashed } satisfies FoundSuppressions
        }),
        /** Writes changes of the list, in the transaction that writes the contacts, after these. */
        write: (accountId: string, { put, restored }: SuppressionChanges) =>
          Effect.andThen(suppressions.restore(accountId, restored), suppressions.put(put))
      }
    })
  }
) {
  static readonly layer = Layer.effect(SuppressedAddresses, SuppressedAddresses.make)
}
