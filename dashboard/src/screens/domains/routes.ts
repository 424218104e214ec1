/**
 * The routes of sending domains.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The screens of domains. */
export const domainRoutes = [
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(() => import("./Domains.tsx"), "Domains")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains/standing",
    validateSearch: onlySearch("days", "state"),
    component: lazyRouteComponent(() => import("./Standing.tsx"), "Standing")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains/reports",
    validateSearch: onlySearch("kind", "days", "domain"),
    component: lazyRouteComponent(() => import("./Reports.tsx"), "Reports")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "domains/$domainId",
    component: lazyRouteComponent(() => import("./Domain.tsx"), "Domain")
  })
] as const
