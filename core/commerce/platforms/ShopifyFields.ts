/**
 * What Shopify's payloads have in common.
 *
 * @module
 */
import type { Fields } from "./Fields.ts"
import type { Person } from "./StoreChange.ts"

/** The most characters of what is short: ids, states, codes. */
export const maxShort = 100

/** An id as its digits: from the global id where there is one, since a number may have more digits than a double. */
export const idOf = (data: Fields): string | null => {
  const global = /^gid:\/\/shopify\/\w+\/(\d{1,30})$/.exec(data.text("admin_graphql_api_id", maxShort) ?? "")
  return global?.[1] ?? data.id("id")
}

/** Whether a payload tells who somebody is. */
export const isKnown = (person: Person): boolean => person.customerId !== null || person.email !== null
