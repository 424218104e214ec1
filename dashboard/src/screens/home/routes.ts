/**
 * The route of Home.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"

/** Home. */
export const homeRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "/",
  staticData: { right: "company:read" },
  component: lazyRouteComponent(() => import("./Home.tsx"), "Home")
})
