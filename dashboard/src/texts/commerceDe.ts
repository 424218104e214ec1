/**
 * The texts of stores, orders and the catalogue in German.
 *
 * @module
 */
import type { commerceEn } from "./commerceEn.ts"

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const commerceDe: typeof commerceEn = {
  commerce: {
    title: "Handel",
    tabs: { stores: "Shops", orders: "Bestellungen", items: "Katalog" }
  },
  stores: {
    title: "Shops",
    name: "Shop",
    platform: "Plattform",
    domain: "Domain",
    consent: "Einwilligung",
    modes: {
      Explicit: "Fragt beim Kauf",
      Notice: "Weist beim Kauf hin",
      OwnConsent: "Führt sie selbst",
      None: "Keine"
    },
    state: "Zustand",
    states: { Connected: "Verbunden", Disconnected: "Getrennt" },
    connected: "Verbunden",
    currency: "Währung",
    connect: "Shop verbinden",
    connectText: "Kunden, Warenkörbe, Bestellungen und Artikel kommen dann von selbst an.",
    nameHint: "Wie Ihre Kollegen ihn nennen.",
    domainHint: "Wo der Shop ist, etwa shop.example.",
    currencyHint: "Drei Buchstaben, etwa EUR, für Preise, die ohne Währung kommen.",
    shopifySecret: "Geheimnis der Webhooks von Shopify",
    shopifySecretHint: "Shopify zeigt es unter Einstellungen, Benachrichtigungen, Webhooks.",
    connectedTitle: (name) => `${name} ist verbunden`,
    token: "Token",
    webhookSecret: "Geheimnis der Webhooks",
    once: "Nur dieses eine Mal zu sehen. Denselben Shop erneut zu verbinden macht ein neues.",
    tokenText: (url) => `Ihr Shop meldet Ereignisse mit diesem Token an ${url}.`,
    webhookText: (url) =>
      `Legen Sie in WooCommerce Webhooks für Kunden, Bestellungen und Produkte an, an ${url}, mit diesem Geheimnis.`,
    shopifyText: (url) =>
      `Legen Sie in Shopify Webhooks für Kunden, Warenkörbe, Bestellungen und Produkte an, an ${url}. Ein eigenes Programm kann mit diesem Token melden.`,
    guide: "Anleitung",
    disconnect: "Trennen",
    disconnectTitle: (name) => `${name} trennen?`,
    disconnectText: (orders, count) =>
      `Sein Token gilt sofort nicht mehr: Bestellungen und Kunden kommen nicht mehr an. ${count === 0 ? "Er hat keine Bestellungen." : `Seine ${orders} ${plural(count, "Bestellung bleibt", "Bestellungen bleiben")}, ebenso die Kunden.`}`,
    disconnected: (name) => `${name} ist getrennt`,
    empty: "Hier erscheinen Shops",
    emptyText: "Verbinden Sie einen Shop; Kunden und Bestellungen kommen dann von selbst an."
  },
  orders: {
    title: "Bestellungen",
    order: "Bestellung",
    search: "Nummer, E-Mail-Adresse oder Name",
    status: "Zustand",
    states: {
      Pending: "Offen",
      Paid: "Bezahlt",
      Completed: "Erledigt",
      Cancelled: "Storniert",
      Refunded: "Erstattet",
      Failed: "Gescheitert",
      Draft: "Abgebrochen"
    },
    reasons: {
      Pending: "Die Zahlung ist nicht da. Sie gilt als bezahlt, sobald der Shop es meldet.",
      Paid: "Bezahlt. Sie zählt zum Umsatz des Kunden.",
      Completed: "Bezahlt und erledigt. Sie zählt zum Umsatz des Kunden.",
      Cancelled: "Im Shop storniert. Sie zählt nicht.",
      Refunded: "Das Geld ging zurück. Sie zählt nicht.",
      Failed: "Die Zahlung ist gescheitert. Sie zählt nicht.",
      Draft: "Ein Kauf, der nicht beendet wurde. Ein Ablauf kann daran erinnern."
    },
    customer: "Kunde",
    noCustomer: "Keine Adresse",
    store: "Shop",
    total: "Summe",
    lines: "Positionen",
    firstLines: (shown, all) => `Die ersten ${shown} von ${all} Positionen.`,
    product: "Produkt",
    quantity: "Menge",
    price: "Einzelpreis",
    placed: "Bestellt",
    paid: "Bezahlt",
    details: "Angaben",
    history: "Verlauf",
    milestones: { Placed: "Bestellt", Paid: "Bezahlt", Cancelled: "Storniert", Refunded: "Erstattet" },
    noHistory:
      "Von dieser Bestellung steht nichts im Verlauf einer Person: Sie hat keine, oder ist ein Kaufversuch.",
    onTimeline: "Im Verlauf der Person",
    otherOrders: "Bestellungen dieses Kunden",
    noOthers: "Es gibt keine andere.",
    contact: "Person zeigen",
    externalId: "Kennung im Shop",
    empty: "Hier erscheinen Bestellungen",
    emptyText: "Verbundene Shops melden sie. Verbinden Sie zuerst einen."
  },
  items: {
    title: "Katalog",
    name: "Artikel",
    search: "Anfang des Namens oder der Kennung",
    kind: "Art",
    kinds: { product: "Produkt", plan: "Tarif", service: "Dienst", other: "Anderes" },
    price: "Preis",
    comparePrice: "Preis vorher",
    stock: "Bestand",
    inStock: "Vorrätig",
    outOfStock: "Nicht vorrätig",
    state: "Zustand",
    states: { Active: "Wird empfohlen", Inactive: "Nicht empfohlen" },
    source: "Herkunft",
    sources: { Api: "API", Custom: "Eigener Shop", Shopify: "Shopify", WooCommerce: "WooCommerce" },
    added: "Angelegt",
    changed: "Geändert",
    categories: "Kategorien",
    attributes: "Felder",
    description: "Beschreibung",
    link: "Seite",
    image: "Bild",
    externalId: "Ihre Kennung",
    guide: "Anleitung",
    empty: "Hier erscheinen Artikel",
    emptyText: "Verbundene Shops melden ihre Produkte, und Programme legen Artikel mit POST /items an."
  }
}
