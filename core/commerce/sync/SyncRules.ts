/**
 * Decides a batch of changes in a store, as a pure function: `(state, changes) -> (changes of contacts, orders, carts, contact
 * events)`. Changes apply in order; each sees the results of those before it.
 *
 * @module
 */
import type { OrderChange } from "../../ports/OrderStore.ts"
import { abandonedAt, type Cart, mayBeAbandoned } from "../../model/Cart.ts"
import type { ContactEvent } from "../../model/Event.ts"
import { changeCart, closeCart, identifyCart, newCart } from "./CartRules.ts"
import { CustomerBatch, type CustomerState } from "./CustomerBatch.ts"
import { isBought, isPlaced, type Order } from "../../model/Order.ts"
import { isStale, mergeOrder, milestoneAt, milestoneEvents, orderProperties, reach } from "./OrderRules.ts"
import type { StoreChange } from "../platforms/StoreChange.ts"

/** The stored state on which a batch is decided. */
export interface SyncState extends CustomerState {
  /** Every stored order that a change can affect, including the draft orders of abandoned carts. */
  readonly orders: ReadonlyArray<Order>
  /** Every stored cart that a change can affect, including the open carts of its contacts. */
  readonly carts: ReadonlyArray<Cart>
}

/** The new job of a cart. */
export interface CartTimer {
  readonly cartId: string
  /** When the cart becomes abandoned, epoch milliseconds; null if it cannot. */
  readonly at: number | null
}

/** The decision on a batch. */
export interface SyncDecision {
  readonly customers: CustomerBatch
  readonly orders: ReadonlyArray<OrderChange>
  readonly carts: ReadonlyArray<Cart>
  readonly timers: ReadonlyArray<CartTimer>
  readonly contactEvents: ReadonlyArray<ContactEvent>
  /** The contacts whose order totals changed. */
  readonly recount: ReadonlyArray<string>
  /** The contacts whose conversions may have changed. */
  readonly ordered: ReadonlyArray<string>
}

/** Decides a batch of changes, except erasures and products. */
export const decideSync = (state: SyncState, changes: ReadonlyArray<StoreChange>): SyncDecision => {
  const batch = new SyncBatch(state)
  for (const change of changes) batch.apply(change)
  return batch.decision()
}

/** The part of an order that contributes to totals, as a key. */
const purchaseKey = (order: Order | null): string =>
  order !== null && isBought(order.status) && order.contactId !== null
    ? `${order.contactId} ${order.total} ${order.placedAt}`
    : ""

/** The part of an order that contributes to conversions, as a key. */
const placedKey = (order: Order | null): string =>
  order !== null && isPlaced(order.status) && order.contactId !== null
    ? `${order.contactId} ${order.placedAt}`
    : ""

class SyncBatch {
  readonly #state: SyncState
  readonly #customers: CustomerBatch
  readonly #storedOrders: ReadonlyMap<string, Order>
  readonly #orders: Map<string, Order | null>
  readonly #storedCarts: ReadonlyMap<string, Cart>
  readonly #carts: Map<string, Cart>
  readonly #contactEvents: Array<ContactEvent> = []

  constructor(state: SyncState) {
    this.#state = state
    this.#customers = new CustomerBatch(state)
    this.#storedOrders = new Map(state.orders.map((order) => [order.externalId, order]))
    this.#orders = new Map(this.#storedOrders)
    this.#storedCarts = new Map(state.carts.map((cart) => [cart.externalId, cart]))
    this.#carts = new Map(this.#storedCarts)
  }

  apply(change: StoreChange): void {
    const { at } = change
    switch (change._tag) {
      case "Order":
        return this.#order(change)
      case "OrderRemoved":
        return this.#cancel(change.externalId, at)
      case "Customer":
        return void this.#customers.resolveContact(change.person, at, "Customer")
      case "Subscriber":
        return void this.#customers.resolveContact(change.person, at, "Newsletter")
      case "Identified": {
        const contact = this.#customers.resolveContact(change.person, at, "Checkout")
        if (contact === null || change.cartId === null) return
        const cart = this.#cart(change.cartId)
        return this.#carts.set(change.cartId, identifyCart(cart, contact.id, at)) && undefined
      }
      case "Cart": {
        const contact =
          change.person === null ? null : this.#customers.resolveContact(change.person, at, "Checkout")
        const { externalId, replaces } = change.cart
        this.#carts.set(externalId, changeCart(this.#cart(externalId), change.cart, contact?.id ?? null, at))
        for (const replaced of replaces) if (replaced !== externalId) this.#close(replaced, at)
        return
      }
      case "CartCleared":
        return this.#close(change.externalId, at)
      default:
        return
    }
  }

  #order({ at, order: facts, person }: Extract<StoreChange, { _tag: "Order" }>): void {
    const before = this.#orders.get(facts.externalId) ?? undefined
    if (isStale(before, at)) return
    const occasion = isBought(facts.status) ? "PaidOrder" : "Order"
    const resolved = this.#customers.resolveContact(person, at, occasion)
    // An order has no data of an erased person.
    const contact = resolved ?? this.#customers.get(before?.contactId ?? null) ?? null
    const isErased =
      person.email !== null && person.email !== contact?.email && this.#state.erased.has(person.email)
    const owner = {
      contactId: contact?.id ?? null,
      email: (isErased ? null : person.email) ?? contact?.email ?? null,
      customerName: isErased ? null : facts.customerName
    }
    const fresh = { id: this.#state.newId(), storeId: this.#state.store.id }
    const { milestones, order } = reach(mergeOrder(before, facts, owner, at, fresh))
    this.#orders.set(facts.externalId, order)
    if (before?.contactId != null && before.contactId !== order.contactId) this.#touch(before.contactId)
    if (order.contactId !== null) this.#touch(order.contactId)
    this.#recordMilestones(order, milestones)
    if (order.status === "Draft") return
    for (const cartId of facts.cartIds) this.#close(cartId, Math.max(at, order.placedAt))
    for (const cart of this.#carts.values()) {
      const isOwn = order.contactId !== null && cart.contactId === order.contactId
      if (isOwn && cart.closedAt === null && before === undefined)
        this.#close(cart.externalId, order.placedAt)
    }
  }

  /** An order that was deleted in the store counts as cancelled. */
  #cancel(externalId: string, at: number): void {
    const before = this.#orders.get(externalId)
    if (before == null || isStale(before, at) || before.status === "Cancelled") return
    const cancelled: Order = {
      ...before,
      status: "Cancelled",
      sourceUpdatedAt: at,
      version: before.version + 1
    }
    const { milestones, order } = reach(cancelled)
    this.#orders.set(externalId, order)
    if (order.contactId !== null) this.#touch(order.contactId)
    this.#recordMilestones(order, milestones)
  }

  #recordMilestones(order: Order, milestones: ReturnType<typeof reach>["milestones"]): void {
    for (const milestone of milestones) {
      this.#contactEvents.push({
        accountId: this.#state.store.accountId,
        contactId: order.contactId!,
        id: this.#state.newId(),
        name: milestoneEvents[milestone],
        properties: orderProperties(order),
        occurredAt: Math.min(milestoneAt(order, milestone), this.#state.now),
        source: "Store"
      })
    }
  }

  #touch(contactId: string): void {
    const contact = this.#customers.get(contactId)
    if (contact !== undefined) this.#customers.touch(contact)
  }

  #cart(externalId: string): Cart {
    return this.#carts.get(externalId) ?? newCart(this.#state.newId(), this.#state.store.id, externalId)
  }

  /** Closes a cart, even one that is not stored yet, so that its updates that arrive later are older. */
  #close(externalId: string, at: number): void {
    const cart = closeCart(this.#cart(externalId), at)
    this.#carts.set(externalId, cart)
    if (cart.closedAt !== null && this.#orders.get(cart.id) != null) this.#orders.set(cart.id, null)
  }

  decision(): SyncDecision {
    const { store } = this.#state
    const orders: Array<OrderChange> = []
    const recount = new Set<string>()
    const ordered = new Set<string>()
    for (const [externalId, decided] of this.#orders) {
      const before = this.#storedOrders.get(externalId) ?? null
      if (before === decided) continue
      const after =
        decided === null ? null : { ...decided, version: before === null ? 1 : before.version + 1 }
      orders.push({ before, after })
      const owners = [before, after].flatMap((order) => order?.contactId ?? [])
      if (purchaseKey(before) !== purchaseKey(after)) for (const id of owners) recount.add(id)
      if (placedKey(before) !== placedKey(after)) for (const id of owners) ordered.add(id)
    }
    const carts: Array<Cart> = []
    const timers: Array<CartTimer> = []
    for (const [externalId, decided] of this.#carts) {
      const before = this.#storedCarts.get(externalId)
      if (before === decided) continue
      carts.push({ ...decided, version: (before?.version ?? 0) + 1 })
      timers.push({ cartId: decided.id, at: mayBeAbandoned(decided) ? abandonedAt(decided) : null })
    }
    const subscribed = this.#customers.subscriptions.map(({ at, contactId, occasion }): ContactEvent => ({
      accountId: store.accountId,
      contactId,
      id: this.#state.newId(),
      name: "contact.subscribed",
      properties: { storeId: store.id, occasion: occasion === "PaidOrder" ? "Order" : occasion },
      occurredAt: at,
      source: "Store"
    }))
    return {
      customers: this.#customers,
      orders,
      carts,
      timers,
      contactEvents: [...this.#contactEvents, ...subscribed],
      recount: [...recount],
      ordered: [...ordered]
    }
  }
}
