/**
 * The route of the page that shows every component, only in development.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { rootRoute } from "../../app/parents.ts"

/** `/app/_parts`, if Vite serves the dashboard. */
export const partsRoutes = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => rootRoute,
        path: "_parts",
        component: lazyScreen(() => import("./Parts.tsx"), "Parts")
      })
    ]
  : []
