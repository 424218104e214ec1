/**
 * Reads a list to its end.
 *
 * @module
 */
import { Effect } from "effect"
import { maxPageSize, type Page, type PageRequest, type Place } from "./Page.ts"

/** Everything that a list returns, read page by page, each from where the one before ended. */
export const readAll = Effect.fnUntraced(function* <A, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>
) {
  const all: Array<A> = []
  let after: Place | null = null
  do {
    const { items, next }: Page<A> = yield* list({ page: 1, pageSize: maxPageSize, after, total: "None" })
    all.push(...items)
    after = next
  } while (after !== null)
  return all
})
