/**
 * Pure rules for events that were not accepted: the stored reason, the content for a replay, and the people whose data it has.
 *
 * @module
 */
import { Result } from "effect"
import type { FailedEvent } from "../../model/ReceivedEvent.ts"
import type { Store } from "../../model/Store.ts"
import { comparableAddress } from "../../shared/EmailAddress.ts"
import { isExactNumber, textOfNumber } from "../../shared/Json.ts"
import { Problem } from "../../shared/Problem.ts"
import { isStorable } from "../../shared/Validate.ts"
import { type GivenEvent, parseStoreEvent, type StoreEvent } from "../platforms/EventData.ts"
import { maxId, maxShort } from "../platforms/Fields.ts"
import { shopifyChange } from "../platforms/Shopify.ts"
import { wooCommerceChange } from "../platforms/WooCommerce.ts"

/** The maximum number of characters of an event's JSON that is stored for a replay. */
export const maxKeptEvent = 65_536

/** The maximum number of characters of an address with comments and quotes. */
const maxAddress = 1_016

/** The addresses in a JSON value and, each with the prefix `#`, its ids. */
export const peopleIn = (value: unknown): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (one: unknown, key: string) => {
    if (typeof one === "string" && one.length <= maxAddress) {
      if (one.includes("@")) found.add(comparableAddress(one))
      if (isIdKey(key)) found.add(`#${one.trim()}`)
    } else if (typeof one === "number" || isExactNumber(one)) {
      if (isIdKey(key)) found.add(`#${textOfNumber(one)}`)
    } else if (typeof one === "object" && one !== null) {
      for (const [name, inner] of Object.entries(one)) visit(inner, name)
    }
  }
  visit(value, "")
  return [...found].filter(isStorable)
}

const isIdKey = (key: string): boolean => key === "id" || key === "customer_id"

/** The record of an event that was not accepted, with the first issue of its problem as the reason. */
export const failedEvent = (
  { given, id, name }: Pick<StoreEvent, "given" | "id" | "name">,
  { issues }: Problem,
  receivedAt: number
): FailedEvent => {
  const [{ code, field }] = issues
  const text = JSON.stringify(given)
  const isKept = text.length <= maxKeptEvent
  return {
    eventId: id,
    name,
    receivedAt,
    code,
    field,
    given: isKept ? text : null,
    people: isKept ? peopleIn(given) : []
  }
}

const textAt = (value: unknown, key: string): string | null => {
  const found: unknown =
    typeof value === "object" && value !== null && Object.hasOwn(value, key)
      ? (value as Readonly<Record<string, unknown>>)[key]
      : null
  return typeof found === "string" && isStorable(found) ? found.trim() : null
}

/** The name and id of a submitted event, valid or not. Without a valid id, the id is the `digest` of the content. */
export const identityOf = (
  event: unknown,
  digest: (text: string) => string
): Pick<StoreEvent, "id" | "name"> => {
  const id = textAt(event, "id") ?? ""
  return {
    id: id !== "" && id.length <= maxId ? id : digest(JSON.stringify(event) ?? ""),
    name: (textAt(event, "name") ?? "").slice(0, maxShort)
  }
}

/**
 * Parses what a store submitted. Fails with the problems of `parseStoreEvent`; for a webhook, with commerce.event_unusable.
 *
 * @param id the event id of a webhook
 * @param receivedAt epoch milliseconds
 */
export const readGiven = (
  given: GivenEvent,
  id: string,
  store: Pick<Store, "currency" | "domain" | "platform">,
  receivedAt: number
): Result.Result<StoreEvent, Problem> => {
  if ("event" in given) return parseStoreEvent(given.event, receivedAt)
  const { payload, topic } = given
  const changeOf = store.platform === "Shopify" ? shopifyChange : wooCommerceChange
  const change = changeOf(topic, payload, store, receivedAt)
  return change === null
    ? Result.fail(Problem.of("commerce.event_unusable"))
    : Result.succeed({ id, name: topic, change, given })
}
