/**
 * Applies a change to cached lists before the service has confirmed it (an optimistic update), and reverts it if the service
 * rejects the change.
 *
 * @module
 */
import type { QueryClient } from "@tanstack/react-query"
import { type Change, withChange } from "../lib/ahead.ts"
import type { ReadRoute } from "./call.ts"

/** Applies a change to the cached results of some routes. The returned function reverts it. */
export const changeAhead = (
  client: QueryClient,
  routes: ReadonlyArray<ReadRoute>,
  change: Change
): (() => void) => {
  const before = routes
    .flatMap((route) => client.getQueriesData({ queryKey: [route] }))
    .filter(([, read]) => read !== undefined)
  for (const [key, read] of before) {
    // A read in progress would overwrite the change with the old state.
    void client.cancelQueries({ queryKey: key, exact: true })
    client.setQueryData(key, withChange(read, change))
  }
  return () => {
    for (const [key, read] of before) client.setQueryData(key, read)
  }
}
