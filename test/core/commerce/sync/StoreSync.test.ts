/**
 * Property tests of the sync of stores: any history of changes, in any order, reported once or repeatedly.
 *
 * @module
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { newContact } from "../../../../core/model/Contact.ts"
import type { Order, OrderStatus } from "../../../../core/model/Order.ts"
import { isBought, orderStatuses } from "../../../../core/model/Order.ts"
import { newCart, changeCart, closeCart } from "../../../../core/commerce/sync/CartRules.ts"
import { abandonedAt, mayBeAbandoned } from "../../../../core/model/Cart.ts"
import { parseAmount, sumAmounts } from "../../../../core/commerce/platforms/Money.ts"
import { parseStoreEvent } from "../../../../core/commerce/platforms/EventData.ts"
import { type Marketing, unknownPerson } from "../../../../core/commerce/platforms/StoreChange.ts"
import type { Store } from "../../../../core/model/Store.ts"
import { consentModes } from "../../../../core/model/Store.ts"
import { storeConsent } from "../../../../core/commerce/sync/StoreConsent.ts"
import { consentStatuses, nextConsent } from "../../../../core/model/Consent.ts"
import { decideSync, type SyncState } from "../../../../core/commerce/sync/SyncRules.ts"
import type { StoreChange } from "../../../../core/commerce/platforms/StoreChange.ts"
import { connectStore, type ListedOrder, storeEvent } from "../../../support/stores.ts"
import { openWorkspace } from "../../../support/workspace.ts"
import { startEmbedded } from "../../../support/targets.ts"
import type { Contact, Page } from "../../../support/shapes.ts"

const now = Date.UTC(2031, 4, 6)

const store: Store = {
  id: "00000000-0000-7000-8000-00000000000a",
  accountId: "account",
  platform: "Custom",
  name: "Shop",
  domain: "shop.example",
  consentMode: "Explicit",
  currency: "EUR",
  tokenHash: "",
  tokenDisplay: "",
  webhookSecret: "",
  connectedAt: now,
  disconnectedAt: null
}

const emptyState = (values: Partial<SyncState> = {}): SyncState => {
  let id = 0
  return {
    store,
    contacts: [],
    customers: [],
    erased: new Set(),
    suppressed: new Map(),
    orders: [],
    carts: [],
    now,
    newId: () => `id-${String(++id).padStart(6, "0")}`,
    ...values
  }
}

const orderChange = (
  externalId: string,
  email: string | null,
  status: OrderStatus,
  total: string,
  at: number
): StoreChange => ({
  _tag: "Order",
  at,
  person: { ...unknownPerson, email },
  order: {
    externalId,
    number: null,
    status,
    currency: "EUR",
    total,
    customerName: null,
    placedAt: now - 1000,
    paidAt: null,
    lineCount: 1,
    lines: [],
    cartIds: []
  }
})

const changes = fc.array(
  fc
    .tuple(
      fc.constantFrom("o1", "o2", "o3"),
      fc.constantFrom("a@x.example", "b@x.example", null),
      fc.constantFrom(...orderStatuses),
      fc.constantFrom("0", "1.10", "2.05", "100"),
      fc.integer({ min: now - 20, max: now })
    )
    .map(([id, email, status, total, at]) => orderChange(id, email, status, total, at)),
  { maxLength: 25 }
)

/** The orders after a history. */
const ordersAfter = (history: ReadonlyArray<StoreChange>): ReadonlyArray<Order> =>
  decideSync(emptyState(), history).orders.flatMap(({ after }) => (after === null ? [] : [after]))

describe("orders", () => {
  it("have the state of their newest change, in any order of the changes", () => {
    fc.assert(
      fc.property(changes, (history) => {
        for (const order of ordersAfter(history)) {
          const reported = history.flatMap((change) =>
            change._tag === "Order" && change.order.externalId === order.externalId ? [change] : []
          )
          const newest = Math.max(...reported.map((change) => change.at))
          const last = reported.findLast((change) => change.at === newest)!
          expect([order.status, order.total]).toEqual([last.order.status, last.order.total])
        }
      })
    )
  })

  it("record each milestone once, and only for a contact", () => {
    fc.assert(
      fc.property(changes, (history) => {
        const { contactEvents, orders } = decideSync(emptyState(), history)
        const recorded = contactEvents.map((one) => `${one.name} ${String(one.properties["orderId"])}`)
        expect(new Set(recorded).size).toBe(recorded.length)
        for (const { after } of orders) {
          expect(new Set(after!.reached).size).toBe(after!.reached.length)
          if (after!.contactId === null) expect(after!.reached).toEqual([])
        }
      })
    )
  })

  it("change nothing except the time of the sync when reported again", () => {
    fc.assert(
      fc.property(changes, (reported) => {
        const history = reported.map((change, index) => ({ ...change, at: now - 1000 + index }))
        const first = decideSync(emptyState(), history)
        const written = first.customers.changes(new Map())
        const orders = ordersAfter(history)
        const again = decideSync(emptyState({ contacts: written.inserts, orders }), history)
        expect(again.contactEvents).toEqual([])
        expect(again.recount).toEqual([])
        expect(again.customers.changes(new Map()).inserts).toEqual([])
        const strip = (order: Order) => ({ ...order, version: 0 })
        const after = new Map(orders.map((order) => [order.externalId, order]))
        for (const change of again.orders) after.set(change.after!.externalId, change.after!)
        expect([...after.values()].map(strip)).toEqual(orders.map(strip))
      })
    )
  })

  it("recount every contact whose purchases changed", () => {
    fc.assert(
      fc.property(changes, changes, (before, after) => {
        const first = decideSync(emptyState(), before)
        const contacts = first.customers.changes(new Map()).inserts
        const orders = ordersAfter(before)
        const second = decideSync(emptyState({ contacts, orders, newId: emptyIds("second") }), after)
        const current = new Map(orders.map((order) => [order.externalId, order]))
        for (const change of second.orders) current.set(change.after!.externalId, change.after!)
        const totals = (list: Iterable<Order>, id: string) =>
          JSON.stringify(
            [...list]
              .filter((order) => order.contactId === id && isBought(order.status))
              .map((order) => `${order.total} ${order.placedAt}`)
              .toSorted()
          )
        for (const { id } of contacts) {
          if (totals(orders, id) !== totals(current.values(), id)) expect(second.recount).toContain(id)
        }
      })
    )
  })
})

const emptyIds = (prefix: string) => {
  let id = 0
  return () => `${prefix}-${++id}`
}

describe("totals of contacts", () => {
  it("equal a recount after any history", async () => {
    const target = await startEmbedded()
    try {
      const account = (await openWorkspace(target, "Totals")).sandbox
      const shop = await connectStore(target, account)
      const event = fc.record({
        id: fc.constantFrom("1", "2", "3", "4", "5"),
        email: fc.constantFrom("a@totals.example", "b@totals.example", "c@totals.example"),
        status: fc.constantFrom(...orderStatuses),
        total: fc.integer({ min: 0, max: 100_000 }).map((cents) => (cents / 100).toFixed(2)),
        placedAt: fc
          .integer({ min: 1, max: 1000 })
          .map((days) => new Date(target.now() - days * 86_400_000).toISOString())
      })
      for (const history of fc.sample(
        fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
        25
      )) {
        for (const batch of history) {
          const events = batch.map((one) => storeEvent("order.updated", { ...one, currency: "EUR" }))
          await shop.report(...events)
        }
        const orders = (
          await account.api<Page<ListedOrder>>("GET", "/commerce/orders?view=Paid&pageSize=200")
        ).value
        const people = (await account.api<Page<Contact>>("GET", "/contacts?pageSize=200")).value.items
        for (const person of people) {
          const own = orders.items.filter((order) => order.email === person.email)
          const cents = own.reduce((sum, order) => sum + Math.round(order.total * 100), 0)
          expect(person).toMatchObject({
            orderCount: own.length,
            totalSpent: cents / 100,
            isPayingCustomer: own.length > 0,
            lastOrderAt: own[0]?.["placedAt"] ?? null
          })
        }
      }
    } finally {
      await target.stop()
    }
  })
})

describe("a cart", () => {
  const facts = (quantity: number) => ({
    externalId: "c",
    currency: "EUR",
    total: "1",
    lineCount: quantity === 0 ? 0 : 1,
    lines: quantity === 0 ? [] : [{ productId: null, name: "Tea", quantity, price: null }],
    url: null,
    replaces: []
  })
  const step = fc.record({
    at: fc.integer({ min: 1, max: 50 }),
    quantity: fc.integer({ min: 0, max: 2 }),
    closes: fc.boolean()
  })

  it("counts a change once, and only if it is newer", () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let cart = newCart("id", store.id, "c")
        for (const { at, closes, quantity } of steps) {
          const before = cart
          cart = closes ? closeCart(cart, at) : changeCart(cart, facts(quantity), "contact", at)
          expect(cart.changedAt).toBeGreaterThanOrEqual(before.changedAt)
          expect(cart.content - before.content).toBeLessThanOrEqual(1)
          const again = changeCart(cart, facts(quantity), "contact", at)
          expect(changeCart(again, facts(quantity), "contact", at)).toEqual(again)
          if (cart.closedAt !== null) expect(mayBeAbandoned(cart)).toBe(false)
          if (mayBeAbandoned(cart)) expect(abandonedAt(cart)).toBe(cart.changedAt + 1_800_000)
        }
      })
    )
  })
})

describe("storeConsent", () => {
  const proof = { text: "Yes", textVersion: null, locale: null, ipAddress: null, givenAt: null }
  const marketing: fc.Arbitrary<Marketing | null> = fc.option(
    fc.record({
      state: fc.constantFrom("Subscribed" as const, "Declined" as const, "Unsubscribed" as const),
      proof: fc.constantFrom(null, proof),
      at: fc.constantFrom(null, 5, 15)
    })
  )
  const occasion = fc.constantFrom("Checkout", "Order", "PaidOrder", "Customer", "Newsletter")

  it("lowers consent only by an unsubscription, subscribes only with proof, and keeps bounces", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...consentModes),
        fc.constantFrom(...consentStatuses),
        occasion,
        marketing,
        (consentMode, consentStatus, when, reported) => {
          const contact = { ...newContact("id", "a@x.example", 0), consentStatus, consentUpdatedAt: 10 }
          const trigger = storeConsent({ ...store, consentMode }, contact, when as "Order", reported, 12)
          if (trigger === null) return
          const to = nextConsent(consentStatus, trigger)
          if (to === "Subscribed" && consentStatus !== "Subscribed") {
            expect(reported?.state).toBe("Subscribed")
            expect(reported?.proof !== null || consentMode === "OwnConsent").toBe(true)
            if (consentStatus === "Unsubscribed") expect(reported?.at ?? 0).toBeGreaterThan(10)
            if (consentMode === "None") expect(when).toBe("Newsletter")
          }
          if (to === "Unsubscribed" && consentStatus !== "Unsubscribed") {
            expect(["Unsubscribed", "Declined"]).toContain(reported?.state)
          }
          if (consentStatus === "Bounced" || consentStatus === "Complained") expect(to).toBe(consentStatus)
        }
      )
    )
  })
})

describe("amounts", () => {
  it("keep all digits and are summed exactly", () => {
    const cents = fc.integer({ min: -1e12, max: 1e12 })
    const text = (value: number) =>
      `${value < 0 ? "-" : ""}${Math.floor(Math.abs(value) / 100)}.${String(Math.abs(value) % 100).padStart(2, "0")}`
    fc.assert(
      fc.property(fc.array(cents, { minLength: 1, maxLength: 50 }), (values) => {
        expect(sumAmounts(values.map(text))).toBe(text(values.reduce((sum, value) => sum + value, 0)))
        for (const value of values) if (value !== 0) expect(parseAmount(text(value))).toBe(text(value))
      })
    )
    for (const wrong of ["", "1e3", "1,5", "NaN", "1.1234567", "1234567890123456", null, {}, [], true]) {
      expect(parseAmount(wrong)).toBeNull()
    }
    expect([parseAmount(" 007.50 "), parseAmount("-0.00"), parseAmount(0.1)]).toEqual(["7.50", "0.00", "0.1"])
  })
})

describe("parseStoreEvent", () => {
  it.each([
    ["id", "cart.cleared", {}],
    ["name", "cart.cleared", {}],
    ["data.id", "cart.cleared", { id: "1" }],
    ["data.id", "cart.updated", { id: "1" }],
    ["data.id", "order.placed", { id: "1", total: "1", currency: "EUR" }],
    ["data.total", "order.placed", { id: "1", total: "1", currency: "EUR" }]
  ])("requires %s of %s: null, blank or zero is missing", (field, name, data) => {
    for (const none of [undefined, null, "", "  ", 0]) {
      if (none === 0 && !field.endsWith("id")) continue
      const [key = "", inner] = field.split(".")
      const event = { id: "1", name, data: inner === undefined ? data : { ...data, [inner]: none } }
      const parsed = parseStoreEvent(inner === undefined ? { ...event, [key]: none } : event, now)
      // An amount is a number or a string of digits; blanks are neither.
      const code = field === "data.total" && none === "  " ? "validation.format" : "validation.required"
      const issues = Result.isFailure(parsed) ? parsed.failure.issues : []
      expect(issues.filter((one) => one.field === field)).toMatchObject([{ code }])
    }
  })

  it("returns a change or a problem for any input", () => {
    const names = [
      "order.placed",
      "cart.updated",
      "customer.upserted",
      "subscriber.created",
      "contact.identified"
    ]
    const data = fc.dictionary(
      fc.constantFrom(
        "id",
        "email",
        "customer",
        "lines",
        "total",
        "currency",
        "status",
        "consent",
        "tags",
        "updatedAt",
        "cartId"
      ),
      fc.anything()
    )
    fc.assert(
      fc.property(fc.constantFrom(...names), data, fc.anything(), (name, given, occurredAt) => {
        const parsed = parseStoreEvent({ id: "1", name, data: given, occurredAt }, now)
        if (Result.isSuccess(parsed)) decideSync(emptyState(), [parsed.success.change])
      }),
      { numRuns: 500 }
    )
    fc.assert(
      fc.property(fc.anything(), (event) => {
        parseStoreEvent(event, now)
      })
    )
  })
})
