/**
 * The entry of a list that the URL names. It may be older than the entries read so far.
 *
 * @module
 */
import { type ItemOf, type List, useExtra } from "../../api/queries.ts"

type Listed = "GET /accounts/:accountId/events" | "GET /accounts/:accountId/requests"

/** The entry, from the list or read by its id; undefined if the URL names none or while it is read; null if it does not exist. */
export const useShownEntry = <Route extends Listed>(
  { isLoading, items }: List<ItemOf<Route>>,
  shown: string | undefined,
  idOf: (item: ItemOf<Route>) => string,
  route: Route,
  accountId: string
): ItemOf<Route> | null | undefined => {
  const read = items.find((item) => idOf(item) === shown)
  const found = useExtra<Listed>(
    route,
    { params: { accountId }, query: { q: shown ?? "", limit: 1 } },
    { enabled: shown !== undefined && read === undefined && !isLoading }
  )?.items as ReadonlyArray<ItemOf<Route>> | undefined
  if (read !== undefined || found === undefined) return read
  return found.find((item) => idOf(item) === shown) ?? null
}
