/**
 * The routes of flows.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The screens of flows. */
export const flowRoutes = [
  createRoute({
    getParentRoute: () => accountRoute,
    path: "flows",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(() => import("./Flows.tsx"), "Flows")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "flows/$flowId",
    validateSearch: onlySearch("compared", "status", "step", "version", "run"),
    component: lazyScreen(() => import("./Flow.tsx"), "Flow")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "flows/$flowId/edit",
    staticData: { right: "flows:write" },
    validateSearch: onlySearch("selected"),
    component: lazyScreen(() => import("./edit/FlowEditor.tsx"), "FlowEditor")
  })
] as const
