/**
 * Tells carts as abandoned once they were left for 30 minutes (public-api, Timeline events; decisions 8).
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { ContactEvent } from "../../model/Event.ts"
import { ContactEvents } from "../../audience/timeline/ContactEvents.ts"
import type { Contact } from "../../model/Contact.ts"
import { cartJob } from "../../jobs/definitions/StoreJobs.ts"
import { CartStore } from "../../ports/CartStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { type OrderChange, OrderStore } from "../../ports/OrderStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import { abandonedAt, type Cart, mayBeAbandoned } from "../../model/Cart.ts"
import { cartProperties, leftCheckout } from "./CartRules.ts"
import type { Order } from "../../model/Order.ts"

/** A function that handles the jobs of the queue `carts`. */
export const makeAbandonedCarts = Effect.gen(function* () {
  const carts = yield* CartStore
  const contacts = yield* ContactStore
  const orders = yield* OrderStore
  const queue = yield* JobQueue
  const transaction = yield* Transaction
  const ids = yield* Ids
  const { record } = yield* ContactEvents

  /** The left checkouts that the list of orders shows already, by cart. */
  const shownOf = Effect.fnUntraced(function* (accountId: string, left: ReadonlyArray<Cart>) {
    const shown: Array<Order> = []
    for (const [storeId, group] of Map.groupBy(left, (cart) => cart.storeId)) {
      shown.push(
        ...(yield* orders.find(
          accountId,
          storeId,
          group.map((cart) => cart.id)
        ))
      )
    }
    return new Map(shown.map((order) => [order.externalId, order]))
  })

  const handleAccount = Effect.fnUntraced(function* (accountId: string, claimed: ReadonlyArray<Job>) {
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
    const alive = new Map(people.flatMap((one) => (one.erasedAt === null ? [[one.id, one] as const] : [])))
    const left = open.filter((cart) => abandonedAt(cart) <= now && alive.has(cart.contactId!))
    const later = open.filter((cart) => abandonedAt(cart) > now)
    const newIds = yield* ids.many(left.length * 2 + later.length)
    const shown = yield* shownOf(accountId, left)
    const changes = left.map((cart, index): OrderChange => {
      const before = shown.get(cart.id) ?? null
      const after = leftCheckout(cart, newIds[index]!, ownerOf(alive.get(cart.contactId!)!))
      return {
        before,
        after: before === null ? after : { ...after, id: before.id, version: before.version + 1 }
      }
    })
    const contactEvents = left.map((cart, index): ContactEvent => ({
      accountId,
      contactId: cart.contactId!,
      id: newIds[left.length + index]!,
      name: "cart.abandoned",
      properties: cartProperties(cart),
      occurredAt: abandonedAt(cart),
      source: "Store"
    }))
    const written = [...new Set(left.map((cart) => alive.get(cart.contactId!)!))]
    yield* transaction.run(
      Effect.gen(function* () {
        yield* carts.write(
          accountId,
          left.map((cart) => ({ ...cart, abandonedContent: cart.content, version: cart.version + 1 }))
        )
        yield* orders.write(accountId, changes)
        // Whoever erases one of them meanwhile waits, or is waited for.
        yield* contacts.write(accountId, {
          inserts: [],
          updates: written.map((contact) => ({ ...contact, version: contact.version + 1 })),
          released: [],
          updatedFields: "Any",
          consents: [],
          contactLimit: null
        })
        yield* record(contactEvents)
        yield* queue.complete(jobs.map(({ job }) => job))
        yield* queue.enqueue(
          later.map((cart, index) =>
            cartJob.job({
              id: newIds[left.length * 2 + index]!,
              accountId,
              payload: cart.id,
              runAt: abandonedAt(cart)
            })
          )
        )
      })
    )
  })

  return (jobs: ReadonlyArray<Job>) =>
    Effect.forEach(
      Map.groupBy(jobs, (job) => job.accountId),
      ([accountId, group]) => retryConflicts(handleAccount(accountId, group)),
      { discard: true }
    )
})

const ownerOf = ({ email, firstName, lastName }: Contact) => ({
  email,
  customerName: [firstName, lastName].filter((part) => part !== null).join(" ") || null
})
