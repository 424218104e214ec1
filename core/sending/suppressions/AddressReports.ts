/**
 * What follows for an address that bounced or whose owner complained.
 *
 * @module
 */
import { Effect } from "effect"
import { type AddressReport, ConsentUpdates } from "../../audience/contacts/ConsentUpdates.ts"
import { SuppressionStore } from "../../ports/SuppressionStore.ts"

/**
 * A function that moves the contacts with those addresses to Bounced or Complained and lists the addresses, in the
 * caller's transaction. Contact and list agree after it: what a contact once is it stays, and the list says the same.
 * An address on the protective list is listed as what mail told from then on.
 */
export const makeSuppress = Effect.gen(function* () {
  const suppressions = yield* SuppressionStore
  const { applyReports } = yield* ConsentUpdates
  return Effect.fnUntraced(function* (verdicts: ReadonlyArray<AddressReport>, now: number) {
    if (verdicts.length === 0) return
    yield* suppressions.lock([...new Set(verdicts.map(({ accountId }) => accountId))], "Listing")
    const settled = yield* applyReports(verdicts)
    yield* suppressions.put(settled.map((verdict) => ({ ...verdict, createdAt: now })))
  })
})
