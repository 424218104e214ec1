/**
 * The routes that need no session.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { rootRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The screens are small. They are loaded together, so that a tab opens at once. */
const screens = () => import("./screens.ts")

/** The sign-in page, the page for a forgotten password, and the page for set-up links. */
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
