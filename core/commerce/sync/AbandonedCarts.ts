/**
 * Records a `cart.abandoned` event for each cart that has not changed for 30 minutes (docs/contributing/public-api.md
 * "Timeline events", docs/contributing/decisions.md 8).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { ContactEvent } from "../../model/Event.ts"
import { ContactEvents } from "../../audience/timeline/ContactEvents.ts"
import { cartJob } from "../../jobs/definitions/StoreJobs.ts"
import { CartStore } from "../../ports/CartStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { type OrderChange, OrderStore } from "../../ports/OrderStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import { abandonedAt, type Cart, mayBeAbandoned } from "../../model/Cart.ts"
import { nameOf } from "../platforms/EventData.ts"
import { abandonedCheckout, cartProperties } from "./CartRules.ts"
import type { Order } from "../../model/Order.ts"

/** Detects abandoned carts. */
export class AbandonedCarts extends Context.Service<AbandonedCarts>()("svc/commerce/AbandonedCarts", {
  make: Effect.gen(function* () {
    const carts = yield* CartStore
    const contacts = yield* ContactStore
    const orders = yield* OrderStore
    const queue = yield* JobQueue
    const transaction = yield* Transaction
    const ids = yield* Ids
    const contactEvents = yield* ContactEvents

    /** The abandoned checkouts that already have a draft order, by cart id. */
    const listedCheckouts = Effect.fnUntraced(function* (accountId: string, abandoned: ReadonlyArray<Cart>) {
      const listed: Array<Order> = []
      for (const [storeId, group] of Map.groupBy(abandoned, (cart) => cart.storeId)) {
        listed.push(
          ...(yield* orders.find(
            accountId,
            storeId,
            group.map((cart) => cart.id)
          ))
        )
      }
      return new Map(listed.map((order) => [order.externalId, order]))
    })

    const recordInAccount = Effect.fnUntraced(function* (accountId: string, claimed: ReadonlyArray<Job>) {
      const now = yield* Clock.currentTimeMillis
      const jobs = yield* cartJob.decode(queue, claimed)
      const found = yield* carts.get(
        accountId,
        jobs.map(({ payload }) => payload)
      )
      const open = found.filter(mayBeAbandoned)
      const people = yield* contacts.find(accountId, {
        ids: [...new Set(open.map((cart) => cart.contactId!))],
        externalIds: [],
        emails: []
      })
      const owners = new Map(people.flatMap((one) => (one.erasedAt === null ? [[one.id, one] as const] : [])))
      const abandoned = open.filter((cart) => abandonedAt(cart) <= now && owners.has(cart.contactId!))
      const later = open.filter((cart) => abandonedAt(cart) > now)
      const newIds = yield* ids.many(abandoned.length * 2 + later.length)
      const listed = yield* listedCheckouts(accountId, abandoned)
      const changes = abandoned.map((cart, index): OrderChange => {
        const before = listed.get(cart.id) ?? null
        const owner = owners.get(cart.contactId!)!
        const named = { email: owner.email, customerName: nameOf(owner) }
        const after = abandonedCheckout(cart, newIds[index]!, named)
        return {
          before,
          after: before === null ? after : { ...after, id: before.id, version: before.version + 1 }
        }
      })
      const events = abandoned.map((cart, index): ContactEvent => ({
        accountId,
        contactId: cart.contactId!,
        id: newIds[abandoned.length + index]!,
        name: "cart.abandoned",
        properties: cartProperties(cart),
        occurredAt: abandonedAt(cart),
        source: "Store"
      }))
      const written = [...new Set(abandoned.map((cart) => owners.get(cart.contactId!)!))]
      yield* transaction.run(
        Effect.gen(function* () {
          yield* carts.write(
            accountId,
            abandoned.map((cart) => ({ ...cart, abandonedContent: cart.content, version: cart.version + 1 }))
          )
          yield* orders.write(accountId, changes)
          // The contacts are written so that a concurrent erasure of one of them conflicts with this transaction.
          yield* contacts.write(accountId, {
            inserts: [],
            updates: written.map((contact) => ({ ...contact, version: contact.version + 1 })),
            released: [],
            updatedFields: "Any",
            consents: [],
            contactLimit: null
          })
          yield* contactEvents.record(events)
          yield* queue.complete(jobs.map(({ job }) => job))
          yield* queue.enqueue(
            later.map((cart, index) =>
              cartJob.job({
                id: newIds[abandoned.length * 2 + index]!,
                accountId,
                payload: cart.id,
                runAt: abandonedAt(cart)
              })
            )
          )
        })
      )
    })

    return {
      /**
       * Records the abandoned carts among those of the jobs, and enqueues a later job for each cart that is not abandoned yet.
       */
      record: Effect.fn("AbandonedCarts.record")((jobs: ReadonlyArray<Job>) =>
        Effect.forEach(
          Map.groupBy(jobs, (job) => job.accountId),
          ([accountId, group]) => retryConflicts(recordInAccount(accountId, group)),
          { discard: true }
        )
      )
    }
  })
}) {
  static readonly layer = Layer.effect(AbandonedCarts, AbandonedCarts.make)
}
