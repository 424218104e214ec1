/**
 * The routes of sending domains.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** Each is small: they are loaded together, so that a tab opens at once. */
const screens = () => import("./screens.ts")

/** The screens of domains. */
export const domainRoutes = [
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(screens, "Domains")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains/standing",
    validateSearch: onlySearch("days", "state"),
    component: lazyRouteComponent(screens, "Standing")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains/reports",
    validateSearch: onlySearch("kind", "days", "domain"),
    component: lazyRouteComponent(screens, "Reports")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains/$domainId",
    component: lazyRouteComponent(screens, "Domain")
  })
] as const
