/**
 * The routes before a session.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** Signing in, a forgotten password, and set-up links. */
export const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: "sign-in",
    validateSearch: onlySearch("to", "problem"),
    component: lazyRouteComponent(() => import("./SignIn.tsx"), "SignIn")
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "reset-password",
    component: lazyRouteComponent(() => import("./Forgotten.tsx"), "Forgotten")
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "welcome",
    component: lazyRouteComponent(() => import("./Welcome.tsx"), "Welcome")
  })
] as const
