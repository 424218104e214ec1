/**
 * The route of the user's own profile.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { shellRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The profile. */
export const profileRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "profile",
  validateSearch: onlySearch("tab"),
  component: lazyRouteComponent(() => import("./Profile.tsx"), "Profile")
})
