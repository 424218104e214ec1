/**
 * An adapter of one's own: the suppression list that the company keeps already, here a map. An adapter over a
 * database would besides take part in the transactions of the port `Transaction`.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { pageOfAll, type Suppression } from "svc/core"
import { type AddressRef, SuppressionStore } from "svc/ports"

const keyOf = ({ accountId, email }: AddressRef): string => `${accountId} ${email}`

/** A list is sorted by time, then by address. */
const placeOf = ({ createdAt, email }: Suppression) => [createdAt, email]
const byOldest = (a: Suppression, b: Suppression): number =>
  a.createdAt - b.createdAt || (a.email < b.email ? -1 : 1)

/** The list, by account and address. */
export type Entries = Map<string, Suppression>

const storeOver = (entries: Entries) => {
  const ofAccount = (accountId: string) =>
    [...entries.values()].filter((entry) => entry.accountId === accountId)
  const add = (entry: Suppression) => {
    const listed = entries.get(keyOf(entry))
    entries.set(
      keyOf(entry),
      listed === undefined ? entry : { ...listed, kind: entry.kind, source: entry.source }
    )
  }
  const take = (ref: AddressRef): Suppression | null => {
    const entry = entries.get(keyOf(ref)) ?? null
    entries.delete(keyOf(ref))
    return entry
  }

  return SuppressionStore.of({
    // Transactions in memory are one after the other as it is.
    lock: () => Effect.void,
    find: (refs) => Effect.sync(() => [...new Set(refs.map(keyOf))].flatMap((key) => entries.get(key) ?? [])),
    put: (added) => Effect.sync(() => added.forEach(add)),
    remove: (accountId, email) => Effect.sync(() => take({ accountId, email })),
    erase: (accountId, addresses) =>
      Effect.sync(() => {
        for (const { email, hash } of addresses) {
          const entry = take({ accountId, email })
          if (entry !== null) add({ ...entry, email: hash })
        }
      }),
    holds: (accountId) =>
      Effect.sync(() => {
        const own = ofAccount(accountId)
        return { listed: own.length > 0, erased: own.some(({ email }) => !email.includes("@")) }
      }),
    restore: (accountId, addresses) =>
      Effect.sync(() => {
        for (const { email, hash } of addresses) {
          const entry = take({ accountId, email: hash })
          if (entry !== null && !entries.has(keyOf({ accountId, email }))) add({ ...entry, email })
        }
      }),
    list: (accountId, page, filter = {}) =>
      Effect.sync(() => {
        const { kind = null, q = null, since = null, source = null, until = null } = filter
        const found = ofAccount(accountId).filter(
          (entry) =>
            (kind?.includes(entry.kind) ?? true) &&
            (source === null || (entry.source !== null && source.includes(entry.source))) &&
            entry.email.startsWith(q ?? "") &&
            entry.createdAt >= (since ?? entry.createdAt) &&
            entry.createdAt < (until ?? Infinity)
        )
        return pageOfAll(found.toSorted(byOldest), page, placeOf)
      })
  })
}

/** The port over a list. */
export const layerOver = (entries: Entries) => Layer.sync(SuppressionStore, () => storeOver(entries))

/** The port over a list that holds nothing yet. */
export const layer = Layer.sync(SuppressionStore, () => storeOver(new Map()))
