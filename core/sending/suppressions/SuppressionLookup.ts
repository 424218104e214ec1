/**
 * Whether addresses are suppressed, be it under the address or, after its owner was erased, under its keyed hash; by
 * itself, or with all else that accepting an email depends on.
 *
 * @module
 */
import { Effect } from "effect"
import { AddressHash } from "../../audience/contacts/AddressHash.ts"
import { AcceptanceLookup } from "../../ports/AcceptanceLookup.ts"
import { type AddressRef, SuppressionStore } from "../../ports/SuppressionStore.ts"
import type { Suppression } from "../../model/Suppression.ts"

/** What to look for in suppression lists, and how to read what is found. */
interface Question {
  /** The addresses, and their hashes. */
  readonly names: ReadonlyArray<AddressRef>
  /** The entries found, each under the address asked for. */
  readonly answer: (found: ReadonlyArray<Suppression>) => ReadonlyArray<Suppression>
}

const makeQuestion = Effect.gen(function* () {
  const addressHash = yield* AddressHash
  return Effect.fnUntraced(function* (refs: ReadonlyArray<AddressRef>) {
    const hash = yield* addressHash.get
    const asked = new Map<string, AddressRef>()
    for (const { accountId, email } of refs) {
      asked.set(`${accountId} ${hash(accountId, email)}`, { accountId, email })
      asked.set(`${accountId} ${email}`, { accountId, email })
    }
    return {
      names: [...asked].map(([name, { accountId }]) => ({
        accountId,
        email: name.slice(accountId.length + 1)
      })),
      answer: (found) =>
        found.map((entry): Suppression => ({
          ...entry,
          email: asked.get(`${entry.accountId} ${entry.email}`)!.email
        }))
    } satisfies Question
  })
})

/** A function that answers the entries of the addresses that are suppressed, each under the address asked for. */
export const makeSuppressionLookup = Effect.gen(function* () {
  const store = yield* SuppressionStore
  const question = yield* makeQuestion
  return Effect.fnUntraced(function* (refs: ReadonlyArray<AddressRef>) {
    if (refs.length === 0) return []
    const { answer, names } = yield* question(refs)
    return answer(yield* store.find(names))
  })
})

/**
 * A function that answers what accepting emails to those addresses depends on, the entries of those that are suppressed
 * each under the address asked for: in one read, unless one of the ports is not that of the store.
 */
export const makeAcceptanceLookup = Effect.gen(function* () {
  const ofStore = yield* AcceptanceLookup
  const ofPorts = yield* AcceptanceLookup.ofPorts
  const question = yield* makeQuestion
  const isForThese = (["accounts", "domains", "suppressions"] as const).every(
    (port) => ofStore.sources[port] === ofPorts.sources[port]
  )
  const { find } = isForThese ? ofStore : ofPorts
  return Effect.fnUntraced(function* (accountId: string, emails: ReadonlyArray<string>) {
    const { answer, names } = yield* question(emails.map((email) => ({ accountId, email })))
    const found = yield* find(
      accountId,
      names.map(({ email }) => email)
    )
    return { ...found, suppressed: answer(found.suppressed) }
  })
})
