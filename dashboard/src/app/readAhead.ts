/**
 * Reads the first data of an account's screen as soon as the user opens the screen or points at a link to it, so that the data
 * arrive while the screen's code is still loading.
 *
 * @module
 */
import type { QueryClient } from "@tanstack/react-query"
import { keyOf, pages, read } from "../api/queries.ts"
import { filtersOf, queryOf, type Search } from "../lib/search.ts"
import { companies } from "./companies.ts"
import { mayShow, screenOf } from "./frame/navigation.ts"
import { accountOf, type Session } from "./session.ts"

/** Starts to read the data of a screen, unless they were just read or the role may not see the screen. */
export const readAhead = (
  client: QueryClient,
  accountId: string,
  { fullPath, search }: { readonly fullPath: string; readonly search: Search }
): void => {
  const session = client.getQueryData<Session>(keyOf("GET /session", {}))
  const all = client.getQueryData(companies.queryKey)?.items ?? []
  const account = session === undefined ? null : accountOf(session, all, accountId)
  const screen = screenOf(fullPath)
  if (account === null || screen?.to !== fullPath || !mayShow(account, screen)) return
  const { list, one } = screen
  if (list !== undefined)
    void client.prefetchInfiniteQuery(
      pages(list, { params: { accountId }, query: queryOf(filtersOf(search)) as never })
    )
  if (one !== undefined) void client.prefetchQuery(read(one, { params: { accountId } }))
}
