/**
 * The routes of flows.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The screens of flows. */
export const flowRoutes = [
  createRoute({
    getParentRoute: () => accountRoute,
    path: "flows",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(() => import("./Flows.tsx"), "Flows")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "flows/$flowId",
    validateSearch: onlySearch("compared", "status", "step", "version", "run"),
    component: lazyRouteComponent(() => import("./Flow.tsx"), "Flow")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "flows/$flowId/edit",
    staticData: { right: "flows:write" },
    validateSearch: onlySearch("selected"),
    component: lazyRouteComponent(() => import("./edit/FlowEditor.tsx"), "FlowEditor")
  })
] as const
