/**
 * Writes a batch of a store's events: loads the affected records, decides, and writes. The number of statements does not
 * depend on the size of the batch.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ContactEvents } from "../../audience/timeline/ContactEvents.ts"
import { ErasedAddresses } from "../../audience/contacts/ErasedAddresses.ts"
import {
  type FoundSuppressions,
  SuppressedAddresses,
  suppressionChanges
} from "../../audience/contacts/SuppressedAddresses.ts"
import { conversionJob } from "../../jobs/definitions/ConversionJobs.ts"
import { cartJob } from "../../jobs/definitions/StoreJobs.ts"
import { movedContacts } from "../../audience/contacts/ZoneChanges.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { CartStore } from "../../ports/CartStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { OrderStore } from "../../ports/OrderStore.ts"
import { SyncStore } from "../../ports/SyncStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Cart } from "../../model/Cart.ts"
import type { Contact } from "../../model/Contact.ts"
import type { StoreEvent } from "../platforms/EventData.ts"
import { totalsOf } from "../../model/Order.ts"
import type { Store } from "../../model/Store.ts"
import { Stores } from "../stores/Stores.ts"
import type { StoreChange } from "../platforms/StoreChange.ts"
import { decideSync, type SyncDecision, type SyncState } from "./SyncRules.ts"

/** At least as many ids as any change needs: a contact, its consent, an order, its contact events, closed carts. */
const idsPerChange = 16

/** The keys of all records that the changes refer to. */
const namesOf = (changes: ReadonlyArray<StoreChange>) => {
  const customers = new Set<string>()
  const emails = new Set<string>()
  const orders = new Set<string>()
  const carts = new Set<string>()
  for (const change of changes) {
    if ("person" in change && change.person !== null) {
      if (change.person.customerId !== null) customers.add(change.person.customerId)
      if (change.person.email !== null) emails.add(change.person.email)
    }
    switch (change._tag) {
      case "Order":
        orders.add(change.order.externalId)
        for (const id of change.order.cartIds) carts.add(id)
        break
      case "OrderRemoved":
        orders.add(change.externalId)
        break
      case "Cart":
        carts.add(change.cart.externalId)
        for (const id of change.cart.replaces) carts.add(id)
        break
      case "CartCleared":
        carts.add(change.externalId)
        break
      case "Identified":
        if (change.cartId !== null) carts.add(change.cartId)
        break
      default:
    }
  }
  return { customers: [...customers], emails: [...emails], orders: [...orders], carts: [...carts] }
}

/** Writes events of stores about people, orders and carts. */
export class SyncWrite extends Context.Service<SyncWrite>()("svc/commerce/SyncWrite", {
  make: Effect.gen(function* () {
    const sync = yield* SyncStore
    const orders = yield* OrderStore
    const carts = yield* CartStore
    const campaigns = yield* CampaignStore
    const contacts = yield* ContactStore
    const jobs = yield* JobQueue
    const transaction = yield* Transaction
    const ids = yield* Ids
    const erasedAddresses = yield* ErasedAddresses
    const suppressedAddresses = yield* SuppressedAddresses
    const { record } = yield* ContactEvents
    const stores = yield* Stores

    const load = Effect.fnUntraced(function* (store: Store, changes: ReadonlyArray<StoreChange>) {
      const { accountId, id: storeId } = store
      const names = namesOf(changes)
      const [records, namedOrders, namedCarts, newIds, now] = yield* Effect.all(
        [
          names.customers.length === 0
            ? Effect.succeed([])
            : sync.find(accountId, storeId, "Customer", names.customers),
          names.orders.length === 0 ? Effect.succeed([]) : orders.find(accountId, storeId, names.orders),
          names.carts.length === 0 ? Effect.succeed([]) : carts.find(accountId, storeId, names.carts),
          ids.many(changes.length * idsPerChange),
          Clock.currentTimeMillis
        ],
        { concurrency: "unbounded" }
      )
      const known = [...records, ...namedOrders, ...namedCarts].flatMap(({ contactId }) => contactId ?? [])
      const [people, erased] = yield* Effect.all(
        [
          contacts.find(accountId, { ids: [...new Set(known)], externalIds: [], emails: names.emails }),
          erasedAddresses.among(accountId, names.emails)
        ],
        { concurrency: "unbounded" }
      )
      const openCarts =
        names.orders.length === 0 || people.length === 0
          ? []
          : yield* carts.ofContacts(
              accountId,
              storeId,
              people.map((contact) => contact.id)
            )
      const all = [
        ...new Map([...namedCarts, ...openCarts].map((cart): [string, Cart] => [cart.id, cart])).values()
      ]
      const abandoned = all.flatMap((cart) => (cart.abandonedContent === null ? [] : [cart.id]))
      const draftOrders = abandoned.length === 0 ? [] : yield* orders.find(accountId, storeId, abandoned)
      const pool = newIds.values()
      return {
        store,
        contacts: people,
        customers: records,
        erased,
        now,
        newId: () => pool.next().value!,
        orders: [...namedOrders, ...draftOrders],
        carts: all
      } satisfies Omit<SyncState, "suppressed">
    })

    const write = Effect.fnUntraced(function* (
      { accountId, id: storeId }: Store,
      events: ReadonlyArray<StoreEvent>,
      now: number,
      decision: SyncDecision,
      people: ReadonlyArray<Contact>,
      suppressed: FoundSuppressions
    ) {
      yield* sync.remember(accountId, storeId, events, now)
      yield* orders.write(accountId, decision.orders)
      const { recount } = decision
      const counted = recount.length === 0 ? [] : yield* orders.totals(accountId, recount)
      const found = new Map(counted.map((totals) => [totals.contactId, totals]))
      const changes = decision.customers.changes(new Map(recount.map((id) => [id, totalsOf(found.get(id))])))
      yield* contacts.write(accountId, changes)
      yield* campaigns.reconsider(accountId, movedContacts(people, changes.updates, null), now)
      yield* suppressedAddresses.write(
        accountId,
        suppressionChanges(suppressed, [...changes.inserts, ...changes.updates])
      )
      yield* sync.put(accountId, storeId, decision.customers.records())
      yield* carts.write(accountId, decision.carts)
      if (decision.timers.length > 0) {
        yield* cartJob.cancel(
          jobs,
          accountId,
          decision.timers.map((timer) => timer.cartId)
        )
        const due = decision.timers.flatMap(({ at, cartId }) => (at === null ? [] : [{ at, cartId }]))
        const jobIds = yield* ids.many(due.length)
        yield* jobs.enqueue(
          due.map(({ at, cartId }, index) =>
            cartJob.job({ id: jobIds[index]!, accountId, payload: cartId, runAt: at })
          )
        )
      }
      if (decision.ordered.length > 0) {
        const payload = { contactIds: decision.ordered }
        yield* jobs.enqueue([conversionJob.job({ id: yield* ids.next, accountId, payload, runAt: now })])
      }
      yield* record(decision.contactEvents)
    })

    return {
      /** Writes new events of a store. Fails with auth.unauthorized if the store was disconnected. */
      write: Effect.fn("SyncWrite.write")(function* (store: Store, events: ReadonlyArray<StoreEvent>) {
        const changes = events.map((event) => event.change)
        const state = yield* load(store, changes)
        // The caller retries with a new state on a conflict.
        yield* transaction.run(
          Effect.gen(function* () {
            const suppressed = yield* suppressedAddresses.find(store.accountId, namesOf(changes).emails)
            yield* stores.requireConnected(store)
            const decision = decideSync({ ...state, suppressed: suppressed.kinds }, changes)
            yield* write(store, events, state.now, decision, state.contacts, suppressed)
          })
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(SyncWrite, SyncWrite.make).pipe(
    Layer.provide([ErasedAddresses.layer, SuppressedAddresses.layer])
  )
}
