/**
 * The texts of stores, orders and the catalogue in English.
 *
 * @module
 */

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

type Names = Readonly<Record<string, string>>

/** The texts. */
export const commerceEn = {
  commerce: {
    title: "Commerce",
    tabs: { stores: "Stores", orders: "Orders", items: "Catalogue" }
  },
  stores: {
    title: "Stores",
    name: "Store",
    platform: "Platform",
    domain: "Domain",
    consent: "Consent",
    modes: {
      Explicit: "Asks at checkout",
      Notice: "Informs at checkout",
      OwnConsent: "Managed by the store",
      None: "None"
    } as Names,
    state: "State",
    states: { Connected: "Connected", Disconnected: "Disconnected" } as Names,
    connected: "Connected",
    currency: "Currency",
    connect: "Connect a store",
    connectText: "Customers, carts, orders and products are then synchronised automatically.",
    nameHint: "A name for you and your colleagues.",
    domainHint: "The shop's domain, such as shop.example.",
    currencyHint: "Three-letter code, such as EUR, for prices sent without a currency.",
    shopifySecret: "Shopify webhook secret",
    shopifySecretHint: "In Shopify: Settings, Notifications, Webhooks.",
    connectedTitle: (name: string) => `${name} is connected`,
    token: "Token",
    webhookSecret: "Webhook secret",
    once: "Shown only once. Connecting the same shop again creates a new one.",
    tokenText: (url: string) => `Your shop sends events to ${url} with this token.`,
    webhookText: (url: string) =>
      `Add webhooks for customers, orders and products in WooCommerce, to ${url}, with this secret.`,
    shopifyText: (url: string) =>
      `Add webhooks for customers, carts, orders and products in Shopify, to ${url}. Your own program can send events with this token.`,
    guide: "Guide",
    disconnect: "Disconnect",
    disconnectTitle: (name: string) => `Disconnect ${name}?`,
    disconnectText: (orders: string, count: number) =>
      `Its token stops working at once, and no more orders and customers are received. Existing data is kept: ${orders} ${plural(count, "order", "orders")}.`,
    disconnected: (name: string) => `${name} is disconnected`,
    empty: "Stores appear here",
    emptyText: "Connect a store to synchronise its customers and orders."
  },
  orders: {
    title: "Orders",
    order: "Order",
    search: "Number, email or name",
    status: "Status",
    states: {
      Pending: "Pending",
      Paid: "Paid",
      Completed: "Completed",
      Cancelled: "Cancelled",
      Refunded: "Refunded",
      Failed: "Failed",
      Draft: "Abandoned"
    } as Names,
    reasons: {
      Pending: "Payment is pending. It counts once the store reports it as paid.",
      Paid: "Paid. It counts towards the customer's total spent.",
      Completed: "Paid and completed. It counts towards the customer's total spent.",
      Cancelled: "Cancelled in the store. It does not count.",
      Refunded: "Refunded. It does not count.",
      Failed: "The payment failed. It does not count.",
      Draft: "An abandoned checkout. A flow can send a reminder."
    } as Names,
    customer: "Customer",
    noCustomer: "No address",
    store: "Store",
    total: "Total",
    lines: "Lines",
    firstLines: (shown: number, all: string) => `The first ${shown} of ${all} lines.`,
    product: "Product",
    quantity: "Quantity",
    price: "Unit price",
    placed: "Placed",
    paid: "Paid",
    details: "Details",
    history: "History",
    milestones: {
      Placed: "Placed",
      Paid: "Paid",
      Cancelled: "Cancelled",
      Refunded: "Refunded"
    } as Names,
    noHistory: "This order has no history: it has no contact, or it is an abandoned checkout.",
    onTimeline: "On the contact's timeline",
    otherOrders: "Orders of this customer",
    noOthers: "No other orders.",
    contact: "Show the contact",
    externalId: "ID in the store",
    empty: "Orders appear here",
    emptyText: "Orders come from connected stores. Connect one first."
  },
  items: {
    title: "Catalogue",
    name: "Item",
    search: "Name or ID",
    kind: "Kind",
    kinds: { product: "Product", plan: "Plan", service: "Service", other: "Other" } as Names,
    price: "Price",
    comparePrice: "Compare-at price",
    stock: "Stock",
    inStock: "In stock",
    outOfStock: "Out of stock",
    state: "State",
    states: { Active: "Recommended", Inactive: "Not recommended" } as Names,
    source: "Source",
    sources: { Api: "API", Custom: "Custom store", Shopify: "Shopify", WooCommerce: "WooCommerce" } as Names,
    added: "Added",
    changed: "Changed",
    categories: "Categories",
    attributes: "Fields",
    description: "Description",
    link: "Page",
    image: "Image",
    externalId: "Your ID",
    guide: "Guide",
    empty: "Items appear here",
    emptyText: "Items come from connected stores, or from your program with POST /items."
  }
}
