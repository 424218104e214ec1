/**
 * The route of Home.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { accountRoute } from "../../app/parents.ts"

/** Home. */
export const homeRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "/",
  staticData: { right: "company:read" },
  component: lazyScreen(() => import("./Home.tsx"), "Home")
})
