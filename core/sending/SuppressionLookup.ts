/**
 * Whether addresses are suppressed, be it under the address or, after its owner was erased, under its keyed hash.
 *
 * @module
 */
import { Effect } from "effect"
import { makeAddressHash } from "../audience/AddressHash.ts"
import { type AddressRef, SuppressionStore } from "../ports/SuppressionStore.ts"
import type { Suppression } from "./Suppression.ts"

/** A function that answers the entries of the addresses that are suppressed, each under the address asked for. */
export const makeSuppressionLookup = Effect.gen(function* () {
  const store = yield* SuppressionStore
  const addressHash = yield* makeAddressHash
  return Effect.fnUntraced(function* (refs: ReadonlyArray<AddressRef>) {
    if (refs.length === 0) return []
    const hash = yield* addressHash
    const asked = new Map<string, AddressRef>()
    for (const { accountId, email } of refs) {
      asked.set(`${accountId} ${hash(accountId, email)}`, { accountId, email })
      asked.set(`${accountId} ${email}`, { accountId, email })
    }
    const found = yield* store.find(
      [...asked].map(([name, { accountId }]) => ({ accountId, email: name.slice(accountId.length + 1) }))
    )
    return found.map((entry): Suppression => ({
      ...entry,
      email: asked.get(`${entry.accountId} ${entry.email}`)!.email
    }))
  })
})
