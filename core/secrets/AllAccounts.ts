/**
 * Visits what every account of the installation holds, page by page.
 *
 * @module
 */
import { Effect } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { maxPageSize, type Page, type PageRequest } from "../shared/Page.ts"

/** Everything that a list returns, read page by page. */
export const readAll = Effect.fnUntraced(function* <A, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>
) {
  const all: Array<A> = []
  for (let page = 1; ; page++) {
    const { items } = yield* list({ page, pageSize: maxPageSize })
    all.push(...items)
    if (items.length < maxPageSize) return all
  }
})

/** The ids of every account. */
export const accountIds = Effect.gen(function* () {
  const { companies } = yield* AccountStore
  const all = yield* readAll(companies)
  return all.flatMap(({ liveAccountId, sandboxAccountId }) => [liveAccountId, sandboxAccountId])
})
