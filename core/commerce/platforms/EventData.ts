/**
 * Parses events of shop plugins and storefront scripts into changes (docs/contributing/public-api.md "Events reported by shop
 * plugins or platforms").
 *
 * @module
 */
import { formats, oneOf } from "../../shared/Validate.ts"
import { Result } from "effect"
import type { ConsentProof } from "../../model/Consent.ts"
import { maxName, maxPhone, maxProofText } from "../../audience/contacts/ContactWrite.ts"
import { parseCurrency } from "../../shared/Currency.ts"
import { isIpAddress, parseCountry, parseLanguage } from "../../shared/Locale.ts"
import { Issues, type Problem } from "../../shared/Problem.ts"
import { Fields, linesOf, maxShort } from "./Fields.ts"
import { isNegative } from "./Money.ts"
import { orderStatuses } from "../../model/Order.ts"
import {
  isIdentified,
  type Marketing,
  type Person,
  type StoreChange,
  type StoreProfile,
  unknownPerson
} from "./StoreChange.ts"

/** The names of store events. */
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

/** An event of a store. */
export interface StoreEvent {
  /** Unique among the store's events. */
  readonly id: string
  /** The event's name, or the topic of the webhook. */
  readonly name: string
  readonly change: StoreChange
  readonly given: GivenEvent
}

/** What a store submitted: an event, or a webhook of its platform. */
export type GivenEvent = { readonly event: unknown } | { readonly topic: string; readonly payload: unknown }

const maxTag = 200
const maxTags = 250
const maxLines = 10_000

/**
 * Parses an event of the ingest route, or returns a problem with every issue found.
 *
 * @param now epoch milliseconds
 */
export const parseStoreEvent = (event: unknown, now: number): Result.Result<StoreEvent, Problem> => {
  const issues = new Issues()
  const fields = new Fields(event, "", issues)
  const id = fields.required("id", fields.id("id"))
  const name = fields.required("name", fields.string("name", maxShort))
  const at = fields.timestamp("occurredAt", now) ?? now
  const data = fields.required("data", fields.child("data"))
  const change = data === null || name === null ? null : changeOf(name, data, at, now)
  if (change === undefined) fields.reject("name", "commerce.event_name_unknown")
  return Result.map(issues.result(id ?? ""), (eventId) => ({
    id: eventId,
    name: name!,
    change: change!,
    given: { event }
  }))
}

/** The change of an event; undefined for an unknown name; null for invalid data, with an issue. */
const changeOf = (name: string, data: Fields, at: number, now: number): StoreChange | null | undefined => {
  const known = storeEventNames.find((one) => one === name)
  switch (known) {
    case undefined:
      return undefined
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
      return identified(person, data, { _tag: "Identified", at, person, cartId: data.id("cartId") })
    }
    case "customer.upserted": {
      const person = personOf(data, now)
      return identified(person, data, {
        _tag: "Customer",
        at: data.timestamp("updatedAt", now) ?? at,
        person
      })
    }
    case "subscriber.created": {
      const person = personOf(data, now)
      const proof = person.marketing?.proof ?? null
      if (proof === null) data.reject("consent.text", "audience.consent_proof_required")
      const marketing: Marketing = { state: "Subscribed", proof, at: proof?.givenAt ?? at }
      return identified(person, data, { _tag: "Subscriber", at, person: { ...person, marketing } })
    }
    case "subscriber.removed": {
      const person: Person = { ...personOf(data, now), marketing: { state: "Unsubscribed", proof: null, at } }
      return identified(person, data, { _tag: "Subscriber", at, person })
    }
    case "contact.erasure_requested": {
      const person = personOf(data, now)
      return identified(person, data, { _tag: "Erasure", at, person })
    }
  }
}

/** Returns the change if its person is identified; otherwise null, with an issue. */
const identified = (person: Person, data: Fields, change: StoreChange): StoreChange | null =>
  isIdentified(person) ? change : data.reject("email", "commerce.event_person_required")

const orderOf = (data: Fields, at: number, now: number): StoreChange | null => {
  const externalId = data.required("id", data.id("id"))
  const currency = currencyOf(data)
  if (currency === null) data.reject("currency", "commerce.currency_invalid")
  const total = data.required("total", data.amount("total"))
  if (total !== null && isNegative(total)) data.reject("total", "validation.range", { min: 0 })
  const given = data.has("status") ? data.string("status", maxShort) : "Pending"
  const status = orderStatuses.find((known) => known === given)
  if (status === undefined)
    return data.reject("status", "validation.format", null, { expected: oneOf(orderStatuses) })
  const person = nestedPerson(data, now) ?? unknownPerson
  const lines = data.list("lines")
  if (lines.length > maxLines)
    data.reject("lines", "validation.max_length", { max: maxLines }, { expected: "lines" })
  const lineCount = data.count("lineCount", maxLines) ?? lines.length
  const cartId = data.id("cartId")
  if (externalId === null || currency === null || total === null) return null
  return {
    _tag: "Order",
    at: data.timestamp("updatedAt", now) ?? at,
    person,
    order: {
      externalId,
      number: data.has("number") ? data.id("number") : null,
      status,
      currency,
      total,
      customerName: nameOf(person.profile),
      placedAt: data.timestamp("placedAt", now) ?? at,
      paidAt: data.timestamp("paidAt", now),
      lineCount,
      // Invalid details that are only displayed do not make the order invalid.
      lines: linesOf(
        lines.map((line) => line.lenient()),
        "productId",
        "name"
      ),
      cartIds: cartId === null ? [] : [cartId]
    }
  }
}

const cartOf = (data: Fields, at: number, now: number): StoreChange | null => {
  const externalId = data.required("id", data.id("id"))
  const lines = data.list("lines")
  if (lines.length > maxLines)
    data.reject("lines", "validation.max_length", { max: maxLines }, { expected: "lines" })
  const cart = {
    currency: data.has("currency") ? currencyOf(data) : null,
    total: data.amount("total") ?? "0",
    lineCount: lines.length,
    lines: linesOf(lines, "productId", "name"),
    url: data.url("url"),
    replaces: []
  }
  if (data.has("currency") && cart.currency === null) data.reject("currency", "commerce.currency_invalid")
  const person = nestedPerson(data, now)
  if (externalId === null) return null
  return { _tag: "Cart", at: data.timestamp("updatedAt", now) ?? at, cart: { externalId, ...cart }, person }
}

const currencyOf = (data: Fields): string | null => {
  const value = data.string("currency", maxShort)
  return value === null ? null : parseCurrency(value)
}

/** The person of an order or cart: from `customer`, or from an address alone; null if it has neither. */
const nestedPerson = (data: Fields, now: number): Person | null => {
  const customer = data.child("customer")
  const person = customer === null ? unknownPerson : personOf(customer, now)
  const email = person.email ?? data.email("email")
  const found = { ...person, email, marketing: marketingOf(data, now) ?? person.marketing }
  return isIdentified(found) ? found : null
}

/** A person with all fields that the data has. */
const personOf = (data: Fields, now: number): Person => {
  const code = (key: string, parse: (value: string) => string | null, expected: string): string | null => {
    const value = data.string(key, maxShort)
    return value === null ? null : (parse(value) ?? data.reject(key, "validation.format", null, { expected }))
  }
  return {
    customerId: data.id("id"),
    email: data.email("email"),
    profile: {
      firstName: data.string("firstName", maxName),
      lastName: data.string("lastName", maxName),
      phone: data.string("phone", maxPhone),
      city: data.string("city", maxName),
      countryCode: code("countryCode", parseCountry, formats.country),
      language: code("language", parseLanguage, formats.language)
    },
    tags: tagsOf(data),
    createdAt: data.timestamp("createdAt", now),
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
  return areTags
    ? [...new Set(tags)]
    : data.reject("tags", "validation.format", null, {
        expected: `a list of at most ${maxTags} strings of 1 to ${maxTag} characters`
      })
}

/** Whether a string is a valid tag. */
export const fitsTag = (tag: string): boolean =>
  tag.length <= maxTag && !tag.includes("\0") && tag.isWellFormed()

const marketingOf = (data: Fields, now: number): Marketing | null => {
  const accepts = data.flag("acceptsMarketing")
  const consent = data.child("consent")
  const proof = consent === null ? null : proofOf(consent, now)
  if (proof !== null) return { state: "Subscribed", proof, at: proof.givenAt }
  return accepts === null ? null : { state: accepts ? "Subscribed" : "Declined", proof: null, at: null }
}

/** The consent text with its details; null if there is no text. */
const proofOf = (consent: Fields, now: number): ConsentProof | null => {
  const text = consent.string("text", maxProofText)
  const ipAddress = consent.string("ipAddress", maxShort)
  if (ipAddress !== null && !isIpAddress(ipAddress))
    consent.reject("ipAddress", "validation.format", null, { expected: formats.ipAddress })
  const proof = {
    textVersion: consent.string("textVersion", maxShort),
    locale: consent.string("locale", maxShort),
    ipAddress,
    givenAt: consent.pastTimestamp("givenAt", now)
  }
  return text === null ? null : { text, ...proof }
}

/** First and last name joined; null if there is neither. */
export const nameOf = ({
  firstName,
  lastName
}: Pick<StoreProfile, "firstName" | "lastName">): string | null =>
  [firstName, lastName].filter((part) => part !== null).join(" ") || null
