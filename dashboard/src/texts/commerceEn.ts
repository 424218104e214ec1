/**
 * The texts of stores, orders and the catalogue in English.
 *
 * @module
 */

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
      Notice: "Tells at checkout",
      OwnConsent: "Keeps its own",
      None: "None"
    } as Names,
    state: "State",
    states: { Connected: "Connected", Disconnected: "Disconnected" } as Names,
    connected: "Connected",
    currency: "Currency",
    connect: "Connect a store",
    connectText: "Its customers, carts, orders and products arrive by themselves from then on.",
    nameHint: "What your colleagues call it.",
    domainHint: "Where the shop is, such as shop.example.",
    currencyHint: "Three letters, such as EUR, for prices that come without one.",
    shopifySecret: "Secret of Shopify's webhooks",
    shopifySecretHint: "Shopify shows it in Settings, Notifications, Webhooks.",
    connectedTitle: (name: string) => `${name} is connected`,
    token: "Token",
    webhookSecret: "Secret of the webhooks",
    once: "Shown this once. Connecting the same shop again makes a new one.",
    tokenText: (url: string) => `Your shop reports events to ${url} with this token.`,
    webhookText: (url: string) =>
      `Add webhooks for customers, orders and products in WooCommerce, to ${url}, with this secret.`,
    shopifyText: (url: string) =>
      `Add webhooks for customers, carts, orders and products in Shopify, to ${url}. A program of your own can report with this token.`,
    guide: "Guide",
    disconnect: "Disconnect",
    disconnectTitle: (name: string) => `Disconnect ${name}?`,
    disconnectText:
      "Its token stops working at once: orders and customers arrive no more. What arrived stays.",
    disconnected: (name: string) => `${name} is disconnected`,
    empty: "Stores appear here",
    emptyText: "Connect a shop; its customers and orders arrive by themselves."
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
      Pending: "The payment has not arrived. It counts as paid once the store says so.",
      Paid: "Paid. It counts towards what the customer has spent.",
      Completed: "Paid and done. It counts towards what the customer has spent.",
      Cancelled: "Cancelled in the store. It does not count.",
      Refunded: "The money went back. It does not count.",
      Failed: "The payment failed. It does not count.",
      Draft: "A checkout that was not finished. A flow can remind of it."
    } as Names,
    customer: "Customer",
    noCustomer: "No address",
    store: "Store",
    total: "Total",
    lines: "Lines",
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
    noHistory: "Nothing of this order is on a timeline: it has no contact, or is a checkout.",
    onTimeline: "On the contact's timeline",
    otherOrders: "Orders of this customer",
    noOthers: "There is no other.",
    contact: "Show the contact",
    externalId: "Id in the store",
    empty: "Orders appear here",
    emptyText: "Connected stores report them. Connect one first."
  },
  items: {
    title: "Catalogue",
    name: "Item",
    search: "Beginning of the name or id",
    kind: "Kind",
    kinds: { product: "Product", plan: "Plan", service: "Service", other: "Other" } as Names,
    price: "Price",
    comparePrice: "Price before",
    stock: "Stock",
    inStock: "In stock",
    outOfStock: "Out of stock",
    state: "State",
    states: { Active: "Recommended", Inactive: "Not recommended" } as Names,
    source: "Source",
    sources: { Api: "API", Custom: "Own shop", Shopify: "Shopify", WooCommerce: "WooCommerce" } as Names,
    added: "Added",
    changed: "Changed",
    categories: "Categories",
    attributes: "Fields",
    description: "Description",
    link: "Page",
    image: "Image",
    externalId: "Your id",
    guide: "Guide",
    empty: "Items appear here",
    emptyText: "Connected stores report their products, and programs add items with POST /items."
  }
}
