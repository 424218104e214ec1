/**
 * What is kept of events that were not accepted, purely: the reason, the content for a replay, and whose data it has.
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

/** The most characters of an event that is kept for a replay, as JSON. */
export const maxKeptEvent = 65_536

/** The most characters of an address with comments and quotes. */
const maxAddress = 1_016

/** The addresses in a JSON value, and its ids after `#`. */
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

/** An event that was not accepted, for a reason, the first of those of a problem. */
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

/** The name of a submitted event, valid or not, and its id; `digest` of its content where it has no valid one. */
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
 * Reads what a store sent. The problems of `parseStoreEvent`; commerce.event_unusable for a webhook.
 *
 * @param id of a webhook
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
