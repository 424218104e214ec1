/**
 * Tests connected stores: connecting, store-managed contacts, consent, carts, platforms' webhooks, erasure
 * (docs/contributing/public-api.md "Contacts" and "Events reported by shop plugins or platforms", docs/contributing/decisions.md
 * 8).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import type { Contact, ContactWritten, Page } from "../../support/shapes.ts"
import {
  connectStore,
  type IssuedStore,
  type ListedOrder,
  storeEvent,
  type TestStore
} from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Job {
  readonly id: string
  readonly state: string
  readonly reportUrl: string | null
}

interface TimelineEntry {
  readonly name: string
  readonly properties: Readonly<Record<string, unknown>>
}

const words = { text: "Yes, send me offers.", locale: "en" }

export const commerceSuite = (target: () => Target) =>
  describe("commerce", () => {
    let account: TestAccount
    let store: TestStore
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Commerce")).sandbox
      store = await connectStore(target(), account)
    })
    const at = (offset: number) => new Date(target().now() + offset).toISOString()
    const freshEmail = () => `customer${++serial}@commerce.example`
    const all = async () => (await account.api<Page<Contact>>("GET", "/contacts?pageSize=200")).value.items
    const contactOf = async (email: string) => (await all()).find((contact) => contact.email === email)
    const names = async (contactId: string) =>
      (await account.manage<Page<TimelineEntry>>("GET", `/contacts/${contactId}/timeline`)).value.items.map(
        (entry) => entry.name
      )

    it("connects a store, returns its secrets once, and disconnects it at once", async () => {
      const shop = await connectStore(target(), account, { platform: "WooCommerce", name: "Tea shop" })
      expect(shop.token).toMatch(/^svc_store_[0-9A-Za-z]{49}$/)
      expect(shop.webhookSecret).toMatch(/^whsec_/)
      const listed = await account.manage<Page<IssuedStore>>("GET", "/stores")
      expect(listed.text).not.toContain(shop.token)
      expect(listed.text).not.toContain(shop.webhookSecret)
      const { token: _, webhookSecret: __, report: ___, webhook: ____, ...shown } = shop
      expect(listed.value.items[0]).toEqual({ ...shown, lastEventAt: null, failedEvents: 0 })
      const request = {
        platform: "WooCommerce",
        name: "Again",
        domain: `https://${String(shop["domain"]).toUpperCase()}/shop`,
        consentMode: "None"
      }
      const twice = await account.manage("POST", "/stores", request)
      expect([twice.status, twice.codes]).toEqual([409, ["commerce.store_exists"]])
      expect((await account.manage("DELETE", `/stores/${shop.id}`)).status).toBe(200)
      expect((await account.manage("DELETE", `/stores/${shop.id}`)).codes).toEqual(["common.not_found"])
      expect((await shop.report(storeEvent("cart.cleared", { id: "1" }))).status).toBe(401)
      const back = await account.manage<IssuedStore>("POST", "/stores", request)
      expect(back.value).toMatchObject({
        id: shop.id,
        name: "Again",
        consentMode: "None",
        status: "Connected"
      })
      expect(back.value.token).not.toBe(shop.token)
      expect((await shop.report(storeEvent("cart.cleared", { id: "1" }))).status).toBe(401)
    })

    it("rejects an invalid store", async () => {
      const refused = await account.manage("POST", "/stores", {
        platform: "Magento",
        name: " ",
        domain: "no domain",
        consentMode: "Maybe",
        currency: "ZZZ",
        webhookSecret: "short"
      })
      expect(refused.fields).toEqual([
        "consentMode",
        "currency",
        "domain",
        "name",
        "platform",
        "webhookSecret"
      ])
    })

    it("creates contacts whose store fields the API cannot change, but whose consent it can revoke", async () => {
      const email = freshEmail()
      const customer = {
        id: `c-${serial}`,
        email,
        firstName: "Ada",
        tags: ["vip"],
        createdAt: at(-86_400_000)
      }
      await store.report(storeEvent("customer.upserted", { ...customer, consent: words }))
      const contact = (await contactOf(email))!
      expect(contact).toMatchObject({
        storeId: store.id,
        firstName: "Ada",
        tags: ["vip"],
        consentStatus: "Subscribed",
        consentSource: "Store",
        storeConsentMode: "Explicit",
        marketingDeclared: true,
        fromOrders: false,
        sourceCreatedAt: customer.createdAt
      })
      expect(contact["lastSyncedAt"]).not.toBeNull()
      expect(await names(contact.id)).toEqual(["contact.subscribed"])
      for (const [change, field] of [
        [{ email: freshEmail() }, "email"],
        [{ externalId: "mine" }, "externalId"],
        [{ consent: { basis: "Customer" } }, "consent"]
      ] as const) {
        const refused = await account.api("POST", "/contacts", { id: contact.id, ...change })
        expect([refused.codes, refused.fields]).toEqual([["audience.contact_store_managed"], [field]])
      }
      const gone = await account.api<ContactWritten>("POST", "/contacts", {
        id: contact.id,
        firstName: "Augusta",
        consent: { basis: "Unsubscribed" }
      })
      expect(gone.value.contact).toMatchObject({ firstName: "Augusta", consentStatus: "Unsubscribed" })
      for (const reference of [`email:${email}`, `ext:${customer.id}`]) {
        expect((await account.api("GET", `/contacts/${encodeURIComponent(reference)}`)).codes).toEqual([
          "audience.contact_not_found"
        ])
      }
      // An older consent from the store does not override the person's later decision.
      await store.report(
        storeEvent("customer.upserted", { ...customer, consent: { ...words, givenAt: at(-60_000) } })
      )
      expect(await contactOf(email)).toMatchObject({ consentStatus: "Unsubscribed" })
    })

    it("rejects a consent given in the future", async () => {
      const email = freshEmail()
      const consent = (givenAt: string) => ({ text: "Yes.", givenAt })
      const upsert = (givenAt: string) =>
        store.report(
          storeEvent("customer.upserted", { id: `early-${email}`, email, consent: consent(givenAt) })
        )
      expect((await upsert(at(60_000))).text).toContain('"validation.range"')
      expect(await contactOf(email)).toBeUndefined()
      await upsert(at(2_000))
      expect(await contactOf(email)).toMatchObject({ consentStatus: "Subscribed" })
    })

    it("updates a contact's address from the store, ignoring older events", async () => {
      const [first, second] = [freshEmail(), freshEmail()]
      const [oldest, older, newest] = [at(-10_000), at(-8_000), at(-5_000)]
      const upsert = (email: string, updatedAt: string, values: object = {}) =>
        store.report(storeEvent("customer.upserted", { id: `mover-${first}`, email, updatedAt, ...values }))
      await upsert(first, oldest, { firstName: "Old" })
      const { id } = (await contactOf(first))!
      await upsert(second, newest, { firstName: "New" })
      await upsert(first, older, { firstName: "Older" })
      expect(await contactOf(second)).toMatchObject({ id, firstName: "New" })
      expect(await contactOf(first)).toBeUndefined()
    })

    it("does not take over the customer's own contacts, and fills in the store's data", async () => {
      const email = freshEmail()
      await account.api("POST", "/contacts", { email, externalId: `own-${email}`, firstName: "Mine" })
      await store.report(
        storeEvent("order.placed", {
          id: `own-${email}`,
          status: "Paid",
          currency: "EUR",
          total: 5,
          customer: { id: `own-${email}`, email, firstName: "Theirs", lastName: "Known" }
        })
      )
      const answer = await account.api<Contact>("GET", `/contacts/${encodeURIComponent(`email:${email}`)}`)
      expect(answer.value).toMatchObject({
        storeId: null,
        firstName: "Mine",
        lastName: "Known",
        orderCount: 1
      })
      expect((await account.api("POST", "/contacts", { email, externalId: `new-${email}` })).status).toBe(200)
    })

    it("applies the store's consent mode to an order", async () => {
      for (const [consentMode, nothing, declined, accepted, proven] of [
        ["Explicit", "CheckoutStarted", "CheckoutStarted", "CheckoutStarted", "Subscribed"],
        ["Notice", "SoftOptIn", "CheckoutStarted", "SoftOptIn", "Subscribed"],
        ["OwnConsent", "CheckoutStarted", "CheckoutStarted", "Subscribed", "Subscribed"],
        ["None", "CheckoutStarted", "CheckoutStarted", "CheckoutStarted", "CheckoutStarted"]
      ] as const) {
        const shop = await connectStore(target(), account, { consentMode })
        const become = async (values: object) => {
          const email = freshEmail()
          const order = { id: email, status: "Paid", currency: "EUR", total: 1, email, ...values }
          expect((await shop.report(storeEvent("order.placed", order))).value.accepted).toBe(1)
          const { consentStatus, storeConsentMode } = (await contactOf(email))!
          expect(storeConsentMode).toBe(consentMode)
          return consentStatus
        }
        expect([
          consentMode,
          await become({}),
          await become({ acceptsMarketing: false }),
          await become({ acceptsMarketing: true }),
          await become({ consent: words })
        ]).toEqual([consentMode, nothing, declined, accepted, proven])
      }
    })

    it("accepts newsletter sign-ups only with their text, and withdrawals always", async () => {
      const email = freshEmail()
      const refused = await store.report(storeEvent("subscriber.created", { email }))
      expect(refused.value.rejected).toEqual([
        { index: 0, reasons: [{ code: "audience.consent_proof_required", field: "data.consent.text" }] }
      ])
      await store.report(storeEvent("subscriber.created", { email, consent: words }))
      const { consentStatus, id } = (await contactOf(email))!
      expect(consentStatus).toBe("Subscribed")
      const history = await account.manage<Page<{ proof: unknown; source: string }>>(
        "GET",
        `/contacts/${id}/consent-history`
      )
      expect(history.value.items[0]).toMatchObject({ source: "Store", proof: words })
      await store.report(storeEvent("subscriber.removed", { email }, { occurredAt: at(0) }))
      expect(await contactOf(email)).toMatchObject({ consentStatus: "Unsubscribed" })
    })

    it("reports an abandoned cart once, 30 minutes after its last change, unless it is ordered", async () => {
      const { advance } = target()
      if (advance === null) return
      const minutes = async (count: number) => {
        for (let minute = 0; minute < count; minute++) await advance("1 minute")
      }
      const [email, buyer, emptied] = [freshEmail(), freshEmail(), freshEmail()]
      const cart = (of: string, quantity: number, values: object = {}) =>
        storeEvent("cart.updated", {
          id: `cart-${of}`,
          email: of,
          currency: "EUR",
          total: "10.50",
          url: "https://shop.example/cart",
          lines: [{ productId: "1", name: "Tea", quantity, price: "10.50" }],
          ...values
        })
      await store.report(cart(email, 1), cart(buyer, 1), cart(emptied, 1))
      const { id } = (await contactOf(email))!
      expect(await contactOf(email)).toMatchObject({ consentStatus: "CheckoutStarted" })
      await minutes(20)
      await store.report(
        cart(email, 2),
        storeEvent("cart.cleared", { id: `cart-${emptied}` }),
        storeEvent("order.placed", { id: `o-${buyer}`, currency: "EUR", total: 10.5, email: buyer })
      )
      await minutes(20)
      expect(await names(id)).toEqual([])
      await minutes(11)
      expect(await names(id)).toEqual(["cart.abandoned"])
      const left = () =>
        account.api<Page<ListedOrder>>(
          "GET",
          `/commerce/orders?view=Abandoned&search=${encodeURIComponent(email)}`
        )
      expect((await left()).value.items).toMatchObject([
        { status: "Draft", number: null, total: 10.5, email, lineCount: 1 }
      ])
      // Repeating the same content is no change; different content is one.
      await store.report(cart(email, 2))
      await minutes(31)
      expect(await names(id)).toEqual(["cart.abandoned"])
      await store.report(cart(email, 3))
      await minutes(31)
      expect(await names(id)).toEqual(["cart.abandoned", "cart.abandoned"])
      expect((await left()).value.totalCount).toBe(1)
      for (const other of [buyer, emptied]) {
        expect(await names((await contactOf(other))!.id)).not.toContain("cart.abandoned")
      }
      await store.report(
        storeEvent("order.placed", {
          id: `o-${email}`,
          currency: "EUR",
          total: 10.5,
          email,
          cartId: `cart-${email}`
        })
      )
      expect((await left()).value.totalCount).toBe(0)
      expect(await names(id)).toContain("order.placed")
    })

    it("accepts a platform's webhooks by their signature over the raw bytes", async () => {
      const shop = await connectStore(target(), account, {
        platform: "Shopify",
        webhookSecret: "hush-hush-secret",
        currency: "EUR"
      })
      expect(shop.webhookSecret).toBe("hush-hush-secret")
      const email = freshEmail()
      const order = {
        id: 5_678_901_234_567,
        name: "#9999",
        email,
        created_at: at(-60_000),
        updated_at: at(-60_000),
        currency: "EUR",
        financial_status: "paid",
        total_price: "403.00",
        buyer_accepts_marketing: true,
        customer: {
          id: 7_012_345_678_901,
          email,
          first_name: "John",
          last_name: "Smith",
          email_marketing_consent: {
            state: "subscribed",
            opt_in_level: "single_opt_in",
            consent_updated_at: at(-60_000)
          }
        },
        line_items: [{ id: 1, title: "IPod Nano", quantity: 1, price: "199.00" }]
      }
      for (const secret of ["wrong", ""]) {
        const refused = await shop.webhook("orders/create", order, secret === "" ? undefined : secret)
        expect(refused.status).toBe(secret === "" ? 200 : 401)
      }
      // The same webhook, with another delivery id.
      expect((await shop.webhook("orders/create", order)).status).toBe(200)
      for (const [topic, body] of [
        ["orders/create", "{"],
        ["orders/create", []],
        ["themes/publish", { id: 1 }],
        ["", {}]
      ] as const) {
        expect((await shop.webhook(topic, body)).status).toBe(200)
      }
      expect(await contactOf(email)).toMatchObject({
        storeId: shop.id,
        firstName: "John",
        orderCount: 1,
        totalSpent: 403,
        consentStatus: "Subscribed"
      })
      const product = {
        id: 8_123_456_789_012,
        title: "Tea",
        status: "active",
        variants: [{ price: "9.90" }]
      }
      await shop.webhook("products/create", product)
      expect((await account.api("GET", `/items/${product.id}`)).codes).toEqual(["catalog.item_not_found"])
      // An order sent under an erasure topic lacks the fields of an erasure, and therefore erases no one.
      await shop.webhook("customers/redact", order)
      expect(await contactOf(email)).toBeDefined()
      await shop.webhook("app/uninstalled", { id: 1, myshopify_domain: "shop.myshopify.com" })
      expect((await shop.report(storeEvent("cart.cleared", { id: "1" }))).status).toBe(401)
      expect((await shop.webhook("orders/updated", { ...order, financial_status: "refunded" })).status).toBe(
        200
      )
      expect(await contactOf(email)).toMatchObject({ orderCount: 1 })
      await shop.webhook("customers/redact", {
        shop_id: 1,
        shop_domain: "shop.myshopify.com",
        customer: { id: order.customer.id, email },
        orders_to_redact: [order.id]
      })
      expect(await contactOf(email)).toBeUndefined()
    })

    it("records Shopify's data requests, and erases a redacted shop, which can connect again", async () => {
      const shop = await connectStore(target(), account, { platform: "Shopify" })
      const [known, met] = [freshEmail(), freshEmail()]
      await account.api("POST", "/contacts", { email: known, firstName: "Mine" })
      const orderOf = (email: string) => ({
        id: ++serial * 1_000_000,
        name: `#${serial}`,
        email,
        currency: "EUR",
        current_total_price: "12.00",
        financial_status: "paid",
        processed_at: at(-60_000),
        updated_at: at(-60_000),
        customer: { id: serial * 7, email }
      })
      const [own, theirs] = [orderOf(known), orderOf(met)]
      await shop.webhook("orders/create", own)
      await shop.webhook("orders/create", theirs)
      await shop.webhook("products/create", { id: 4711, title: "Tea", variants: [{ price: "9.90" }] })
      const before = (await contactOf(met))!
      expect(before).toMatchObject({ storeId: shop.id, orderCount: 1 })
      expect(await names((await contactOf(known))!.id)).toContain("order.placed")

      const facts = { shop_id: 1, shop_domain: "shop.myshopify.com" }
      const request = { ...facts, orders_requested: [theirs.id], data_request: { id: 9999 } }
      await shop.webhook("customers/data_request", { ...request, customer: { id: theirs.customer.id } })
      await shop.webhook("customers/data_request", { ...request, customer: { id: 1, email: freshEmail() } })
      const audited = async (action: string) =>
        (
          await account.manage<Page<Readonly<Record<string, unknown>>>>("GET", "/audit-log")
        ).value.items.filter((entry) => entry["action"] === action)
      const after = { storeId: shop.id, request: "9999" }
      const actor = { kind: "System", id: shop.id, name: "store" }
      expect(await audited("contact.data_requested")).toMatchObject([
        { actor, target: { id: shop.id }, after: { ...after, isKnown: false } },
        { actor, target: { id: before.id }, after: { ...after, isKnown: true } }
      ])

      await shop.webhook("app/uninstalled", { id: 1, myshopify_domain: "shop.myshopify.com" })
      await shop.webhook("shop/redact", facts)
      // Until the erasure is done, new data is rejected, because it would be erased too.
      const tooSoon = await account.manage("POST", "/stores", {
        platform: "Shopify",
        name: "Too soon",
        domain: shop["domain"],
        consentMode: "Explicit"
      })
      if (tooSoon.status === 409) expect(tooSoon.codes).toEqual(["commerce.store_erasing"])
      else {
        expect(await audited("store.erased")).toMatchObject([{ target: { id: shop.id } }])
        await account.manage("DELETE", `/stores/${shop.id}`)
      }
      const erased = await eventually(
        () => audited("store.erased"),
        ({ length }) => length > 0
      )
      expect(erased).toMatchObject([{ target: { id: shop.id } }])
      expect(await contactOf(met)).toBeUndefined()
      const mine = (await contactOf(known))!
      expect(mine).toMatchObject({ firstName: "Mine", orderCount: 0, totalSpent: 0, lastOrderAt: null })
      expect(await names(mine.id)).not.toContain("order.placed")
      const orders = await account.api<Page<ListedOrder>>(
        "GET",
        `/commerce/orders?view=All&storeId=${shop.id}`
      )
      expect(orders.value.totalCount).toBe(0)

      const again = await connectStore(target(), account, {
        platform: "Shopify",
        domain: shop["domain"],
        webhookSecret: shop.webhookSecret
      })
      expect(again.id).toBe(shop.id)
      await again.webhook("orders/create", theirs)
      expect(await contactOf(met)).toMatchObject({ storeId: shop.id, orderCount: 1 })
    })

    it("lists the events of a store with the reasons of those that failed, and replays them", async () => {
      const shop = await connectStore(target(), account, { platform: "Shopify" })
      const email = freshEmail()
      const order = { id: "e-1", currency: "EUR", total: 5, status: "Paid", email }
      const broken = storeEvent("order.placed", { ...order, currency: "tea" }, { id: "broken" })
      const repaired = storeEvent("order.placed", order, { id: "repaired" })
      await shop.report(
        broken,
        { ...repaired, data: { ...order, total: "1.2.3" } },
        storeEvent("cart.cleared", { id: "9" })
      )
      expect((await shop.report(repaired)).value).toMatchObject({ accepted: 1, duplicates: 0 })
      await shop.webhook("orders/create", { id: 7 })
      await shop.webhook("orders/create", "no JSON")
      interface Received {
        readonly id: string
        readonly name: string
        readonly status: string
        readonly failure: { readonly code: string; readonly field: string | null } | null
        readonly isReplayable: boolean
      }
      const list = async (query = "") =>
        (await account.manage<Page<Received>>("GET", `/stores/${shop.id}/events${query}`)).value
      const unusable = {
        name: "orders/create",
        status: "Failed",
        failure: { code: "commerce.event_unusable", field: null }
      }
      const failed = await list("?status=Failed")
      expect(failed.items).toHaveLength(3)
      expect(failed.items).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            id: "broken",
            name: "order.placed",
            status: "Failed",
            failure: {
              code: "commerce.currency_invalid",
              field: "data.currency",
              message: expect.any(String) as string
            },
            isReplayable: true
          }),
          expect.objectContaining({ name: "orders/create", isReplayable: true }),
          expect.objectContaining({ name: "orders/create", isReplayable: false })
        ])
      )
      for (const webhook of failed.items.filter(({ id }) => id !== "broken")) {
        expect(webhook).toMatchObject(unusable)
      }
      expect((await list("?status=Accepted")).items.map(({ name }) => name).toSorted()).toEqual([
        "cart.cleared",
        "order.placed"
      ])
      const paged = await account.manage<Page<Received> & { readonly next: string }>(
        "GET",
        `/stores/${shop.id}/events?limit=3`
      )
      expect((await list(`?limit=3&after=${paged.value.next}`)).items).toHaveLength(2)
      const shops = (await account.manage<Page<IssuedStore>>("GET", "/stores?limit=200")).value.items
      expect(shops.find(({ id }) => id === shop.id)).toMatchObject({
        failedEvents: 3,
        lastEventAt: expect.any(String) as string
      })

      const replay = async (json: object) =>
        account.manage<Job>("POST", `/stores/${shop.id}/events/replay`, json)
      const ended = async (id: string) =>
        eventually(
          async () => (await account.manage<Job>("GET", `/jobs/${id}`)).value,
          ({ state }) => state === "Done"
        )
      const one = await replay({ ids: ["broken", "repaired", "unknown"] })
      expect(one.status).toBe(202)
      expect(one.value).toMatchObject({ kind: "ReplayStoreEvents", total: null })
      const done = await ended(one.value.id)
      expect(done).toMatchObject({ done: 0, failed: 1, total: 1 })
      const report = (await call(target(), "GET", done.reportUrl!, { token: target().managementToken })).text
      expect(report).toContain("eventId,code,message")
      expect(report).toContain("broken,commerce.currency_invalid,")
      const rest = await replay({})
      expect(await ended(rest.value.id)).toMatchObject({ done: 0, failed: 3, total: 3 })
      expect((await list("?status=Failed")).items).toEqual(failed.items)

      expect((await replay({ ids: [] })).codes).toEqual(["validation.required"])
      await account.api("DELETE", `/contacts/${(await contactOf(email))!.id}`)
      expect((await list("?status=Failed")).items.map(({ id }) => id)).not.toContain("broken")
      await account.manage("DELETE", `/stores/${shop.id}`)
      expect((await replay({})).codes).toEqual(["commerce.store_disconnected"])
      expect((await account.manage("GET", `/stores/${account.accountId}/events`)).status).toBe(404)
    })

    it("responds to WooCommerce's ping, and accepts its webhooks", async () => {
      const shop = await connectStore(target(), account, { platform: "WooCommerce" })
      const path = `/ingest/v1/stores/${shop.id}/woocommerce`
      const ping = await call(target(), "POST", path, {
        body: "webhook_id=17",
        headers: { "content-type": "application/x-www-form-urlencoded" }
      })
      expect(ping.status).toBe(200)
      expect((await call(target(), "POST", path, { json: { id: 1 } })).status).toBe(401)
      const email = freshEmail()
      const order = {
        id: 727,
        number: "727",
        status: "processing",
        currency: "USD",
        total: "29.35",
        date_created_gmt: at(-60_000).slice(0, 19),
        date_modified_gmt: at(-60_000).slice(0, 19),
        customer_id: 0,
        billing: { first_name: "John", last_name: "Doe", email, country: "US" },
        line_items: [{ id: 315, name: "Woo Single #1", quantity: 2 }],
        refunds: [{ id: 1, total: "-9.35" }]
      }
      await shop.webhook("order.created", order)
      expect(await contactOf(email)).toMatchObject({ orderCount: 1, totalSpent: 20, countryCode: "US" })
    })

    it("erases by contact id and by the store's request, and later events do not restore the person", async () => {
      for (const way of ["api", "event"]) {
        const email = freshEmail()
        const order = {
          id: `gone-${email}`,
          status: "Paid",
          currency: "EUR",
          total: 7,
          customer: { id: email, email }
        }
        await store.report(
          storeEvent("order.placed", order),
          storeEvent("cart.updated", { id: `gone-${email}`, email, lines: [{ name: "Tea" }] })
        )
        const { id } = (await contactOf(email))!
        if (way === "api") expect((await account.api("DELETE", `/contacts/${id}`)).status).toBe(200)
        else {
          const request = storeEvent("contact.erasure_requested", { id: email })
          expect((await store.report(request, request)).value).toMatchObject({ accepted: 1, duplicates: 1 })
        }
        expect((await account.api("GET", `/contacts/${id}`)).status).toBe(404)
        const found = () =>
          account.api<Page<ListedOrder>>(
            "GET",
            `/commerce/orders?view=All&search=${encodeURIComponent(email)}`
          )
        expect((await found()).value.totalCount).toBe(0)
        await store.report(
          storeEvent("order.updated", order),
          storeEvent("customer.upserted", { id: email, email, firstName: "Back" })
        )
        expect(await contactOf(email)).toBeUndefined()
        expect((await found()).value.totalCount).toBe(0)
      }
    })
  })
