/**
 * The events of shop plugins and storefront scripts (public-api, Events reported by shop plugins or platforms): their
 * names, their `data`, and the change each means.
 *
 * @module
 */
import type { ConsentProof } from "../../model/Consent.ts"
import { maxName, maxPhone, maxProofText } from "../../audience/contacts/ContactWrite.ts"
import { parseCurrency } from "../../shared/Currency.ts"
import { isIpAddress, parseCountry, parseLanguage } from "../../shared/Locale.ts"
import { type Issue, Problem } from "../../shared/Problem.ts"
import { type CartLine, maxCartLines } from "../../model/Cart.ts"
import { Fields } from "./Fields.ts"
import { isNegative } from "./Money.ts"
import { type OrderStatus, orderStatuses } from "../../model/Order.ts"
import { type Marketing, nobody, type Person, type StoreChange } from "./StoreChange.ts"

/** The names a store's events have. */
export const storeEventNames = [
  "cart.updated",
  "cart.cleared",
  "contact.identified",
  "order.placed",
  "order.updated",
  "customer.upserted",
  "subscriber.created",
  "subscriber.removed",
  "contact.erasure_requested"
] as const

type StoreEventName = (typeof storeEventNames)[number]

/** An event as it was sent, its shape not checked. */
export interface StoreEvent {
  /** The store's own, unique among its events. */
  readonly id: string
  readonly change: StoreChange
}

const maxTag = 200
const maxTags = 250
const maxLines = 10_000
const maxShort = 100

/** An event of the ingest route, or every issue found in it. */
export const parseStoreEvent = (event: unknown, now: number): StoreEvent | Problem => {
  const issues: Array<Issue> = []
  const fields = new Fields(event, "", issues)
  const id = fields.required("id", fields.id("id"))
  const name = fields.required("name", fields.text("name", maxShort))
  const at = fields.moment("occurredAt", now) ?? now
  const data = fields.required("data", fields.child("data"))
  const change = data === null || name === null ? null : changeOf(name, data, at, now)
  if (change === undefined) fields.refuse("name", "commerce.event_name_unknown")
  return Problem.from(issues) ?? { id: id ?? "", change: change! }
}

/** Undefined for a name that is none; null where an issue says why. */
const changeOf = (name: string, data: Fields, at: number, now: number): StoreChange | null | undefined => {
  if (!isEventName(name)) return undefined
  switch (name) {
    case "order.placed":
    case "order.updated":
      return orderOf(data, at, now)
    case "cart.updated":
      return cartOf(data, at, now)
    case "cart.cleared": {
      const externalId = data.required("id", data.id("id"))
      return externalId === null ? null : { _tag: "CartCleared", at, externalId }
    }
    case "contact.identified": {
      const person = personOf(data, now)
      return needed(person, data, { _tag: "Identified", at, person, cartId: data.id("cartId") })
    }
    case "customer.upserted": {
      const person = personOf(data, now)
      return needed(person, data, { _tag: "Customer", at: data.moment("updatedAt", now) ?? at, person })
    }
    case "subscriber.created": {
      const person = personOf(data, now)
      const proof = person.marketing?.proof ?? null
      if (proof === null) data.refuse("consent.text", "audience.consent_proof_required")
      const marketing: Marketing = { state: "Subscribed", proof, at: proof?.givenAt ?? at }
      return needed(person, data, { _tag: "Subscriber", at, person: { ...person, marketing } })
    }
    case "subscriber.removed": {
      const person: Person = { ...personOf(data, now), marketing: { state: "Unsubscribed", proof: null, at } }
      return needed(person, data, { _tag: "Subscriber", at, person })
    }
    case "contact.erasure_requested": {
      const person = personOf(data, now)
      return needed(person, data, { _tag: "Erasure", at, person })
    }
  }
}

const isEventName = (name: string): name is StoreEventName =>
  (storeEventNames as ReadonlyArray<string>).includes(name)

/** A change that is about somebody has to say who. */
const needed = (person: Person, data: Fields, change: StoreChange): StoreChange | null =>
  person.email === null && person.customerId === null
    ? data.refuse("email", "commerce.event_person_required")
    : change

const orderOf = (data: Fields, at: number, now: number): StoreChange | null => {
  const externalId = data.required("id", data.id("id"))
  const currency = currencyOf(data)
  if (currency === null) data.refuse("currency", "commerce.currency_invalid")
  const total = data.required("total", data.amount("total"))
  if (total !== null && isNegative(total)) data.refuse("total", "validation.range", { min: 0 })
  const status = data.has("status") ? data.text("status", maxShort) : "Pending"
  if (!isStatus(status)) return data.refuse("status", "validation.format")
  const person = nestedPerson(data, now) ?? nobody
  const lines = data.list("lines")
  if (lines.length > maxLines) data.refuse("lines", "validation.max_length", { max: maxLines })
  const lineCount = data.count("lineCount", maxLines) ?? lines.length
  const cartId = data.id("cartId")
  if (externalId === null || currency === null || total === null) return null
  return {
    _tag: "Order",
    at: data.moment("updatedAt", now) ?? at,
    person,
    order: {
      externalId,
      number: data.has("number") ? data.id("number") : null,
      status,
      currency,
      total,
      customerName: nameOf(person),
      placedAt: data.moment("placedAt", now) ?? at,
      paidAt: data.moment("paidAt", now),
      lineCount,
      cartIds: cartId === null ? [] : [cartId]
    }
  }
}

const isStatus = (text: string | null): text is OrderStatus =>
  (orderStatuses as ReadonlyArray<string | null>).includes(text)

const cartOf = (data: Fields, at: number, now: number): StoreChange | null => {
  const externalId = data.required("id", data.id("id"))
  const lines = data.list("lines")
  if (lines.length > maxLines) data.refuse("lines", "validation.max_length", { max: maxLines })
  const cart = {
    currency: data.has("currency") ? currencyOf(data) : null,
    total: data.amount("total") ?? "0",
    lineCount: lines.length,
    lines: lines.slice(0, maxCartLines).map(lineOf),
    url: data.url("url"),
    replaces: []
  }
  if (data.has("currency") && cart.currency === null) data.refuse("currency", "commerce.currency_invalid")
  const person = nestedPerson(data, now)
  if (externalId === null) return null
  return { _tag: "Cart", at: data.moment("updatedAt", now) ?? at, cart: { externalId, ...cart }, person }
}

const lineOf = (line: Fields): CartLine => ({
  productId: line.id("productId"),
  name: line.text("name", maxName) ?? "",
  quantity: line.count("quantity", 1_000_000) ?? 1,
  price: line.amount("price")
})

const currencyOf = (data: Fields): string | null => {
  const text = data.text("currency", maxShort)
  return text === null ? null : parseCurrency(text)
}

/** The person of an order or cart: `customer`, or an address alone; null where it names nobody. */
const nestedPerson = (data: Fields, now: number): Person | null => {
  const customer = data.child("customer")
  const person = customer === null ? nobody : personOf(customer, now)
  const email = person.email ?? data.email("email")
  const marketing = marketingOf(data, now) ?? person.marketing
  return email === null && person.customerId === null ? null : { ...person, email, marketing }
}

/** What a store says of somebody. */
const personOf = (data: Fields, now: number): Person => {
  const code = (key: string, parse: (text: string) => string | null): string | null => {
    const text = data.text(key, maxShort)
    return text === null ? null : (parse(text) ?? data.refuse(key, "validation.format"))
  }
  return {
    customerId: data.id("id"),
    email: data.email("email"),
    profile: {
      firstName: data.text("firstName", maxName),
      lastName: data.text("lastName", maxName),
      phone: data.text("phone", maxPhone),
      city: data.text("city", maxName),
      countryCode: code("countryCode", parseCountry),
      language: code("language", parseLanguage)
    },
    tags: tagsOf(data),
    createdAt: data.moment("createdAt", now),
    marketing: marketingOf(data, now)
  }
}

const tagsOf = (data: Fields): ReadonlyArray<string> | null => {
  const value = data.raw("tags")
  if (value == null) return null
  const tags = Array.isArray(value)
    ? value.map((tag: unknown) => (typeof tag === "string" ? tag.trim() : ""))
    : []
  const areTags =
    Array.isArray(value) && tags.length <= maxTags && tags.every((tag) => tag !== "" && fitsTag(tag))
  return areTags ? [...new Set(tags)] : data.refuse("tags", "validation.format")
}

/** Whether a text can be a tag. */
export const fitsTag = (tag: string): boolean =>
  tag.length <= maxTag && !tag.includes("\0") && tag.isWellFormed()

const marketingOf = (data: Fields, now: number): Marketing | null => {
  const accepts = data.flag("acceptsMarketing")
  const consent = data.child("consent")
  const proof = consent === null ? null : proofOf(consent, now)
  if (proof !== null) return { state: "Subscribed", proof, at: proof.givenAt }
  return accepts === null ? null : { state: accepts ? "Subscribed" : "Declined", proof: null, at: null }
}

/** Words that were agreed to; null where there are none. */
const proofOf = (consent: Fields, now: number): ConsentProof | null => {
  const text = consent.text("text", maxProofText)
  const ipAddress = consent.text("ipAddress", maxShort)
  if (ipAddress !== null && !isIpAddress(ipAddress)) consent.refuse("ipAddress", "validation.format")
  const proof = {
    textVersion: consent.text("textVersion", maxShort),
    locale: consent.text("locale", maxShort),
    ipAddress,
    givenAt: consent.moment("givenAt", now)
  }
  return text === null ? null : { text, ...proof }
}

/** First and last name as one; null where there is neither. */
export const nameOf = ({ profile: { firstName, lastName } }: Person): string | null =>
  [firstName, lastName].filter((part) => part !== null).join(" ") || null
