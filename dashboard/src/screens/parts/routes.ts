/**
 * The route of the page that shows every component, in development alone.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../app/parents.ts"

/** `/app/_parts`, where Vite serves the dashboard. */
export const partsRoutes = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => rootRoute,
        path: "_parts",
        component: lazyRouteComponent(() => import("./Parts.tsx"), "Parts")
      })
    ]
  : []
