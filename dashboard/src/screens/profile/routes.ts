/**
 * The routes of the user's own profile.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { shellRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The profile. */
export const profileRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "profile",
  validateSearch: onlySearch("tab"),
  component: lazyRouteComponent(() => import("./Profile.tsx"), "Profile")
})

/** Confirming a program that signs in. */
export const deviceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "device",
  component: lazyRouteComponent(() => import("./Device.tsx"), "Device")
})
