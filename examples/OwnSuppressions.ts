/**
 * A custom adapter: the suppression list that the company already keeps, here a map. An adapter over a database would also take
 * part in the transactions of the port `Transaction`.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { pageOfAll, type Suppression } from "svc/core"
import { type AddressRef, SuppressionStore } from "svc/ports"

const keyOf = ({ accountId, email }: AddressRef): string => `${accountId} ${email}`

/** Lists are sorted by time, then by address. */
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
    // Nothing to lock: transactions in memory run one after the other anyway.
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

/** The port over a given list. */
export const layerOver = (entries: Entries) => Layer.sync(SuppressionStore, () => storeOver(entries))

/** The port over an empty list. */
export const layer = Layer.sync(SuppressionStore, () => storeOver(new Map()))
