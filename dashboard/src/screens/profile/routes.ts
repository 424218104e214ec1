/**
 * The routes of the user's own profile.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { shellRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The profile. */
export const profileRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "profile",
  validateSearch: onlySearch("tab"),
  component: lazyScreen(() => import("./Profile.tsx"), "Profile")
})

/** The screen that confirms a program's sign-in. */
export const deviceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "device",
  component: lazyScreen(() => import("./Device.tsx"), "Device")
})
