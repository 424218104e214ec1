/**
 * Looks up whether addresses are suppressed, by the address or, after its owner was erased, by its keyed hash. The lookup can
 * be combined with that of everything else on which accepting an email depends.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { AddressHash } from "../../audience/contacts/AddressHash.ts"
import { AcceptanceLookup } from "../../ports/AcceptanceLookup.ts"
import { type AddressRef, SuppressionStore } from "../../ports/SuppressionStore.ts"
import type { Suppression } from "../../model/Suppression.ts"

/** Looks up suppressions. */
export class SuppressionLookup extends Context.Service<SuppressionLookup>()("svc/sending/SuppressionLookup", {
  make: Effect.gen(function* () {
    const addressHash = yield* AddressHash
    const ofStorage = yield* AcceptanceLookup
    const ofPorts = yield* AcceptanceLookup.ofPorts
    const store = yield* SuppressionStore
    const isForThesePorts = (["accounts", "domains", "suppressions"] as const).every(
      (port) => ofStorage.sources[port] === ofPorts.sources[port]
    )
    const acceptance = isForThesePorts ? ofStorage : ofPorts

    /** Addresses with their hashes, and a function that returns found entries under the given addresses. */
    const namesOf = Effect.fnUntraced(function* (refs: ReadonlyArray<AddressRef>) {
      const hashesOf = yield* addressHash.all
      const given = new Map<string, AddressRef>()
      for (const { accountId, email } of refs) {
        for (const hash of hashesOf(accountId, email)) given.set(`${accountId} ${hash}`, { accountId, email })
        given.set(`${accountId} ${email}`, { accountId, email })
      }
      return {
        names: Array.from(given, ([name, { accountId }]) => ({
          accountId,
          email: name.slice(accountId.length + 1)
        })),
        underGiven: (found: ReadonlyArray<Suppression>) =>
          found.map((entry): Suppression => ({
            ...entry,
            email: given.get(`${entry.accountId} ${entry.email}`)!.email
          }))
      }
    })

    return {
      /** Returns the entries of suppressed addresses, each under the given address. */
      find: Effect.fn("SuppressionLookup.find")(function* (refs: ReadonlyArray<AddressRef>) {
        if (refs.length === 0) return []
        const { names, underGiven } = yield* namesOf(refs)
        return underGiven(yield* store.find(names))
      }),

      /**
       * Returns everything on which accepting emails to these addresses depends, including the entries of suppressed
       * addresses, each under the given address. Needs one read, unless one of the ports is not the storage adapter's.
       */
      findForAcceptance: Effect.fn("SuppressionLookup.findForAcceptance")(function* (
        accountId: string,
        emails: ReadonlyArray<string>
      ) {
        const { names, underGiven } = yield* namesOf(emails.map((email) => ({ accountId, email })))
        const found = yield* acceptance.find(
          accountId,
          names.map(({ email }) => email)
        )
        return { ...found, suppressed: underGiven(found.suppressed) }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(SuppressionLookup, SuppressionLookup.make)
}
