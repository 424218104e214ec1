/**
 * The route of stores.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"

/** The list of stores. */
export const storesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "stores",
  component: lazyRouteComponent(() => import("./Stores.tsx"), "Stores")
})
