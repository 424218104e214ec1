/**
 * The routes before a session.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** Each is small: they are loaded together, so that a tab opens at once. */
const screens = () => import("./screens.ts")

/** Signing in, a forgotten password, and set-up links. */
export const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: "sign-in",
    validateSearch: onlySearch("to", "problem"),
    component: lazyRouteComponent(screens, "SignIn")
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "reset-password",
    component: lazyRouteComponent(screens, "Forgotten")
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "welcome",
    component: lazyRouteComponent(screens, "Welcome")
  })
] as const
