/**
 * The route of the suppressions.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The list of suppressions. */
export const suppressionsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "suppressions",
  validateSearch: onlySearch("shown", "q", "kind", "source", "since", "until", "sort", "columns"),
  component: lazyScreen(() => import("./Suppressions.tsx"), "Suppressions")
})
