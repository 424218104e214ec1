/**
 * The routes before a session.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
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
    component: lazyScreen(screens, "SignIn")
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "reset-password",
    component: lazyScreen(screens, "Forgotten")
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "welcome",
    component: lazyScreen(screens, "Welcome")
  })
] as const
