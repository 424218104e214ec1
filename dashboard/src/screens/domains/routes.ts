/**
 * The routes of sending domains.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The screens are small. They are loaded together, so that a tab opens at once. */
const screens = () => import("./screens.ts")

/** The screens of domains. */
export const domainRoutes = [
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(screens, "Domains")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains/standing",
    validateSearch: onlySearch("days", "state"),
    component: lazyScreen(screens, "Standing")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains/reports",
    validateSearch: onlySearch("kind", "days", "domain"),
    component: lazyScreen(screens, "Reports")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains/$domainId",
    component: lazyScreen(screens, "Domain")
  })
] as const
