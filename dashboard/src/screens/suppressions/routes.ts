/**
 * The route of the suppressions.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The list of suppressions. */
export const suppressionsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "suppressions",
  validateSearch: onlySearch("shown", "q", "kind", "source", "since", "until", "sort", "columns"),
  component: lazyRouteComponent(() => import("./Suppressions.tsx"), "Suppressions")
})
