/**
 * Tests of platforms' webhooks with payloads from their published schemas and with random ones.
 *
 * @module
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { shopifyChange } from "../../../../core/commerce/platforms/Shopify.ts"
import { wooCommerceChange } from "../../../../core/commerce/platforms/WooCommerce.ts"
import { writtenNumber } from "../../../../core/shared/Json.ts"

const now = Date.UTC(2031, 4, 6)
const shop = { currency: "EUR", domain: "tea.example" }

const shopify = (topic: string, payload: unknown) => shopifyChange(topic, payload, shop, now)
const woo = (topic: string, payload: unknown) => wooCommerceChange(topic, payload, shop, now)

/** From shopify.dev, REST Order resource. */
const shopifyOrder = {
  id: Number("820982911946154508"),
  admin_graphql_api_id: "gid://shopify/Order/820982911946154508",
  app_id: null,
  buyer_accepts_marketing: true,
  cancel_reason: null,
  cancelled_at: null,
  cart_token: "c1-token",
  checkout_id: 901414060,
  contact_email: "jon@example.com",
  created_at: "2021-12-31T19:00:00-05:00",
  currency: "USD",
  current_total_price: "388.00",
  customer_locale: "en",
  email: "jon@example.com",
  financial_status: "paid",
  fulfillment_status: null,
  name: "#9999",
  number: 234,
  order_number: 1234,
  processed_at: "2021-12-31T19:00:00-05:00",
  test: true,
  total_price: "398.00",
  updated_at: "2021-12-31T19:01:00-05:00",
  customer: {
    id: Number("115310627314723954"),
    admin_graphql_api_id: "gid://shopify/Customer/115310627314723954",
    email: "john@example.com",
    created_at: "2021-12-30T00:00:00Z",
    first_name: "John",
    last_name: "Smith",
    tags: "vip, tea lover,vip",
    phone: null,
    email_marketing_consent: {
      state: "subscribed",
      opt_in_level: "confirmed_opt_in",
      consent_updated_at: "2021-12-30T01:00:00Z"
    },
    default_address: { city: "Ottawa", country_code: "CA", phone: "+1 555" }
  },
  billing_address: { first_name: "Steve", city: "Shippington", country_code: "US" },
  line_items: [
    { id: Number("866550311766439020"), title: "IPod Nano - 8GB", quantity: 1, price: "199.00" },
    { id: Number("141249953214522974"), title: "IPod Nano - 8GB", quantity: 1, price: "199.00" }
  ]
}

describe("shopifyChange", () => {
  it("maps orders with their customer", () => {
    expect(shopify("orders/create", shopifyOrder)).toEqual({
      _tag: "Order",
      at: Date.UTC(2022, 0, 1, 0, 1),
      person: {
        customerId: "115310627314723954",
        email: "jon@example.com",
        profile: {
          firstName: "John",
          lastName: "Smith",
          phone: "+1 555",
          city: "Ottawa",
          countryCode: "CA",
          language: "en"
        },
        tags: ["vip", "tea lover"],
        createdAt: Date.UTC(2021, 11, 30),
        marketing: {
          state: "Subscribed",
          at: Date.UTC(2021, 11, 30, 1),
          proof: {
            text: "Shopify records the state subscribed with the opt-in level confirmed_opt_in.",
            textVersion: null,
            locale: null,
            ipAddress: null,
            givenAt: Date.UTC(2021, 11, 30, 1)
          }
        }
      },
      order: {
        externalId: "820982911946154508",
        number: "#9999",
        status: "Paid",
        currency: "USD",
        total: "388.00",
        customerName: "John Smith",
        placedAt: Date.UTC(2022, 0, 1),
        paidAt: null,
        lineCount: 2,
        lines: [
          { productId: null, name: "IPod Nano - 8GB", quantity: 1, price: "199.00" },
          { productId: null, name: "IPod Nano - 8GB", quantity: 1, price: "199.00" }
        ],
        cartIds: ["901414060", "c1-token"]
      }
    })
  })

  it("maps an order's status from its payment, fulfilment and cancellation", () => {
    for (const [values, status] of [
      [{ financial_status: "pending" }, "Pending"],
      [{ financial_status: "authorized" }, "Pending"],
      [{ financial_status: "partially_paid" }, "Pending"],
      [{ financial_status: "paid" }, "Paid"],
      [{ financial_status: "partially_refunded" }, "Paid"],
      [{ fulfillment_status: "fulfilled" }, "Completed"],
      [{ fulfillment_status: "partial" }, "Paid"],
      [{ cancelled_at: "2022-01-01T00:00:00Z" }, "Cancelled"],
      [{ financial_status: "voided" }, "Cancelled"],
      [{ financial_status: "refunded", cancelled_at: "2022-01-01T00:00:00Z" }, "Refunded"],
      [{ financial_status: "expired" }, "Failed"]
    ] as const) {
      expect(shopify("orders/updated", { ...shopifyOrder, ...values })).toMatchObject({ order: { status } })
    }
  })

  it("maps customers, checkouts, products, erasures and the uninstallation", () => {
    const customer = { ...shopifyOrder.customer, updated_at: "2022-01-01T00:00:00Z" }
    expect(shopify("customers/update", customer)).toMatchObject({
      _tag: "Customer",
      at: Date.UTC(2022, 0, 1),
      person: { email: "john@example.com", tags: ["vip", "tea lover"] }
    })
    expect(
      shopify("customers_marketing_consent/update", {
        customer_id: Number("706405506930370084"),
        email_address: "bob@biller.com",
        email_marketing_consent: { state: "unsubscribed", consent_updated_at: "2022-01-01T00:00:00Z" }
      })
    ).toMatchObject({ _tag: "Subscriber", person: { marketing: { state: "Unsubscribed" } } })
    const checkout = {
      id: Number("981820079255243537"),
      token: "123123123",
      cart_token: "eeafa272cebfd4b22385bc4b645e762c",
      email: "example@email.com",
      created_at: "2021-12-31T19:00:00-05:00",
      updated_at: "2021-12-31T19:00:00-05:00",
      completed_at: null,
      currency: "USD",
      total_price: "398.00",
      abandoned_checkout_url: "https://checkout.local/1/checkouts/123/recover?key=abc",
      line_items: [{ product_id: Number("788032119674292922"), title: "Boots", quantity: 2, price: "199.00" }]
    }
    expect(shopify("checkouts/update", { ...checkout, id: 901414060 })).toMatchObject({
      _tag: "Cart",
      person: { email: "example@email.com" },
      cart: {
        externalId: "901414060",
        total: "398.00",
        lineCount: 1,
        lines: [{ name: "Boots", quantity: 2, price: "199.00" }],
        url: checkout.abandoned_checkout_url,
        replaces: ["eeafa272cebfd4b22385bc4b645e762c"]
      }
    })
    expect(
      shopify("checkouts/update", { ...checkout, id: 901414060, completed_at: "2022-01-01T00:00:00Z" })
    ).toMatchObject({ _tag: "CartCleared", externalId: "901414060" })
    expect(
      shopify("products/update", {
        id: Number("788032119674292922"),
        admin_graphql_api_id: "gid://shopify/Product/788032119674292922",
        title: "Example T-Shirt",
        body_html: "<p>An <b>example</b> T&amp;Shirt</p>",
        handle: "example-t-shirt",
        product_type: "Shirts",
        status: "active",
        updated_at: "2022-01-01T00:00:00Z",
        image: { src: "https://cdn.example/a.png" },
        variants: [
          {
            price: "19.99",
            compare_at_price: "24.99",
            inventory_quantity: 0,
            inventory_management: "shopify",
            inventory_policy: "deny"
          }
        ]
      })
    ).toMatchObject({
      _tag: "Product",
      item: {
        id: "788032119674292922",
        name: "Example T-Shirt",
        description: "An example T&Shirt",
        url: "https://tea.example/products/example-t-shirt",
        price: 19.99,
        comparePrice: 24.99,
        currency: "EUR",
        inStock: false,
        stockQuantity: 0,
        categories: ["Shirts"],
        active: true
      }
    })
    expect(shopify("products/delete", { id: 788032 })).toMatchObject({ _tag: "ProductRemoved" })
    expect(
      shopify("customers/redact", {
        shop_id: 954889,
        shop_domain: "tea.myshopify.com",
        customer: { id: 191167, email: "john@example.com", phone: "555-625-1199" },
        orders_to_redact: [299938, 280263]
      })
    ).toMatchObject({ _tag: "Erasure", person: { customerId: "191167", email: "john@example.com" } })
    expect(shopify("app/uninstalled", { id: 1, myshopify_domain: "tea.myshopify.com" })).toMatchObject({
      _tag: "Uninstalled"
    })
    expect(
      shopify("customers/data_request", {
        shop_id: 954889,
        shop_domain: "tea.myshopify.com",
        orders_requested: [299938],
        customer: { id: 191167, email: "john@example.com", phone: "555-625-1199" },
        data_request: { id: 9999 }
      })
    ).toMatchObject({ _tag: "DataRequest", request: "9999", person: { customerId: "191167" } })
    const facts = { shop_id: 954889, shop_domain: "tea.myshopify.com" }
    expect(shopify("shop/redact", facts)).toMatchObject({ _tag: "StoreErasure" })
    for (const topic of ["customers/data_request", "customers/redact", "themes/update", ""]) {
      expect(shopify(topic, facts)).toBeNull()
    }
  })

  it("give prices exactly, or none", () => {
    const amounts: ReadonlyArray<readonly [unknown, number | null]> = [
      [writtenNumber("1.00000000000000001"), null],
      [writtenNumber("1e-400"), null],
      ["123456789012345.678901", null],
      [writtenNumber("12.340"), 12.34],
      [writtenNumber("1e1"), 10],
      ["19.90", 19.9]
    ]
    for (const [price, expected] of amounts) {
      const changes = [
        shopify("products/create", { id: 1, title: "Tea", variants: [{ price }] }),
        woo("product.created", { id: 1, name: "Tea", price })
      ]
      for (const change of changes) expect(change).toMatchObject({ item: { price: expected } })
    }
    // The total before refunds must not be used as the current total.
    const order = { ...shopifyOrder, current_total_price: writtenNumber("1.00000000000000001") }
    expect(shopify("orders/create", order)).toBeNull()
  })

  it("maps the body of another topic to no erasure", () => {
    const request = {
      shop_id: 954889,
      shop_domain: "tea.myshopify.com",
      customer: { id: 191167, email: "john@example.com" },
      orders_requested: [],
      data_request: { id: 9999 }
    }
    for (const topic of ["customers/redact", "app/uninstalled", "shop/redact"]) {
      for (const body of [shopifyOrder, request]) expect(shopify(topic, body)).toBeNull()
    }
  })
})

/** From the WooCommerce REST API v3, Order properties. */
const wooOrder = {
  id: 727,
  parent_id: 0,
  number: "727",
  status: "processing",
  currency: "USD",
  date_created: "2017-03-22T16:28:02",
  date_created_gmt: "2017-03-22T19:28:02",
  date_modified: "2017-03-22T16:28:08",
  date_modified_gmt: "2017-03-22T19:28:08",
  date_paid_gmt: "2017-03-22T19:28:08",
  total: "29.35",
  customer_id: 26,
  billing: {
    first_name: "John",
    last_name: "Doe",
    city: "San Francisco",
    country: "US",
    email: "john.doe@example.com",
    phone: "(555) 555-5555"
  },
  line_items: [{ id: 315, name: "Woo Single #1", product_id: 93, quantity: 2, total: "6.00", price: 3 }],
  refunds: [
    { id: 726, reason: "", total: "-10.00" },
    { id: 724, reason: "", total: "-9.01" }
  ]
}

describe("wooCommerceChange", () => {
  it("maps orders with their customer, and subtracts refunds", () => {
    expect(woo("order.updated", wooOrder)).toMatchObject({
      _tag: "Order",
      at: Date.UTC(2017, 2, 22, 19, 28, 8),
      person: {
        customerId: "26",
        email: "john.doe@example.com",
        profile: { firstName: "John", city: "San Francisco", countryCode: "US", phone: "(555) 555-5555" }
      },
      order: {
        externalId: "727",
        number: "727",
        status: "Paid",
        total: "10.34",
        placedAt: Date.UTC(2017, 2, 22, 19, 28, 2),
        paidAt: Date.UTC(2017, 2, 22, 19, 28, 8),
        lineCount: 1,
        lines: [{ productId: "93", name: "Woo Single #1", quantity: 2, price: "3" }]
      }
    })
    expect(woo("order.created", { ...wooOrder, customer_id: 0 })).toMatchObject({
      person: { customerId: null }
    })
    for (const [status, expected] of [
      ["pending", "Pending"],
      ["on-hold", "Pending"],
      ["completed", "Completed"],
      ["cancelled", "Cancelled"],
      ["trash", "Cancelled"],
      ["refunded", "Refunded"],
      ["failed", "Failed"],
      ["checkout-draft", "Draft"],
      ["status-of-a-plugin", "Paid"]
    ] as const) {
      expect(woo("order.updated", { ...wooOrder, status })).toMatchObject({ order: { status: expected } })
    }
    expect(woo("order.deleted", { id: 727 })).toMatchObject({ _tag: "OrderRemoved", externalId: "727" })
  })

  it("maps customers and products", () => {
    expect(
      woo("customer.updated", {
        id: 25,
        date_created_gmt: "2017-03-21T19:09:28",
        date_modified_gmt: "2017-03-21T19:12:28",
        email: "john.doe@example.com",
        first_name: "John",
        last_name: "Doe",
        billing: { city: "San Francisco", country: "US", phone: "(555) 555-5555" }
      })
    ).toMatchObject({
      _tag: "Customer",
      person: {
        customerId: "25",
        createdAt: Date.UTC(2017, 2, 21, 19, 9, 28),
        profile: { city: "San Francisco" }
      }
    })
    expect(
      woo("product.created", {
        id: 794,
        name: "Premium Quality",
        permalink: "https://example.com/product/premium-quality-19/",
        status: "publish",
        short_description: "<p>Nice.</p>",
        price: "21.99",
        regular_price: "21.99",
        stock_status: "instock",
        stock_quantity: null,
        categories: [{ id: 9, name: "Clothing" }],
        images: [{ src: "https://example.com/a.jpg" }]
      })
    ).toMatchObject({
      item: {
        id: "794",
        price: 21.99,
        comparePrice: null,
        inStock: true,
        categories: ["Clothing"],
        active: true
      }
    })
    expect(woo("coupon.created", { id: 1 })).toBeNull()
  })
})

describe("every platform", () => {
  const topics = [
    "orders/create",
    "orders/delete",
    "customers/update",
    "customers_marketing_consent/update",
    "checkouts/update",
    "carts/update",
    "products/update",
    "customers/redact",
    "customers/data_request",
    "shop/redact",
    "app/uninstalled",
    "order.updated",
    "order.deleted",
    "customer.updated",
    "product.updated"
  ]
  const broken = (whole: object) =>
    fc
      .array(fc.tuple(fc.constantFrom(...Object.keys(whole)), fc.anything()), { maxLength: 6 })
      .map((values) => ({ ...whole, ...Object.fromEntries(values) }))

  it("returns a change or null for any payload", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...topics),
        fc.oneof(fc.anything(), broken(shopifyOrder), broken(wooOrder)),
        (topic, payload) => {
          shopify(topic, payload)
          woo(topic, payload)
        }
      ),
      { numRuns: 1000 }
    )
  })
})
