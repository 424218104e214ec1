/**
 * Stores carts of connected stores in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Cart } from "../../core/model/Cart.ts"
import { CartStore } from "../../core/ports/CartStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { Database } from "./engine/Database.ts"
import { compareText, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

const keyOf = (storeId: string, externalId: string): string => `${storeId} ${externalId}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const of = perAccount(() => {
    const ofContact = new SortedIndex<Cart>(
      (cart) => cart.contactId,
      (a, b) => compareText(a.id, b.id)
    )
    const ofStore = new SortedIndex<Cart>(
      (cart) => cart.storeId,
      (a, b) => compareText(a.id, b.id)
    )
    const carts = new Table<Cart, "carts_external_id">(database, {
      key: (cart) => cart.id,
      unique: { carts_external_id: (cart) => keyOf(cart.storeId, cart.externalId) },
      indexes: [ofContact, ofStore]
    })
    return { carts, ofContact, ofStore }
  })

  return CartStore.of({
    find: (accountId, storeId, externalIds) =>
      database.read(() =>
        [...new Set(externalIds)].flatMap(
          (externalId) => of(accountId).carts.by("carts_external_id", keyOf(storeId, externalId)) ?? []
        )
      ),
    ofContacts: (accountId, storeId, contactIds) =>
      database.read(() =>
        [...new Set(contactIds)].flatMap((contactId) =>
          of(accountId)
            .ofContact.rows(contactId)
            .filter((cart) => cart.storeId === storeId && cart.closedAt === null)
        )
      ),
    get: (accountId, ids) => database.read(() => of(accountId).carts.getMany(ids)),
    write: (accountId, written) =>
      database.writeOrConflict(() => {
        const { carts } = of(accountId)
        for (const cart of written) {
          const before = carts.get(cart.id)
          if ((before?.version ?? 0) !== cart.version - 1) {
            throw new WriteConflict({ constraint: "carts_version" })
          }
          if (before === undefined) carts.insert(frozen(cart))
          else carts.replace(frozen(cart))
        }
      }),
    erase: (accountId, contactIds) =>
      database.write(() => {
        const { carts, ofContact } = of(accountId)
        const ids = [...new Set(contactIds)]
          .flatMap((contactId) => ofContact.rows(contactId))
          .map((cart) => cart.id)
        carts.removeMany(ids)
        return ids
      }),
    eraseStore: (accountId, storeId, limit) =>
      database.write(() => {
        const { carts, ofStore } = of(accountId)
        const gone = ofStore.rows(storeId).slice(0, limit)
        carts.removeMany(gone.map(({ id }) => id))
        return gone.map(({ contactId, id }) => ({ contactId, id }))
      })
  })
}).pipe(Layer.effect(CartStore))
