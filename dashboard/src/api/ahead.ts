/**
 * Shows a change in lists that were read before the service has made it, and reverts it where the service refuses.
 *
 * @module
 */
import type { QueryClient } from "@tanstack/react-query"
import { type Change, withChange } from "../lib/ahead.ts"
import type { ReadRoute } from "./call.ts"

/** Changes what was read of some routes; the result reverts it. */
export const changeAhead = (
  client: QueryClient,
  routes: ReadonlyArray<ReadRoute>,
  change: Change
): (() => void) => {
  const before = routes
    .flatMap((route) => client.getQueriesData({ queryKey: [route] }))
    .filter(([, read]) => read !== undefined)
  for (const [key, read] of before) {
    // What is being read would bring the state of before.
    void client.cancelQueries({ queryKey: key, exact: true })
    client.setQueryData(key, withChange(read, change))
  }
  return () => {
    for (const [key, read] of before) client.setQueryData(key, read)
  }
}
