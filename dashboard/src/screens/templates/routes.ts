/**
 * The routes of templates.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The screens of templates. */
export const templateRoutes = [
  createRoute({
    getParentRoute: () => accountRoute,
    path: "templates",
    component: lazyRouteComponent(() => import("./Templates.tsx"), "Templates")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "templates/images",
    component: lazyRouteComponent(() => import("./Images.tsx"), "Images")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "templates/new",
    staticData: { right: "templates:write" },
    validateSearch: onlySearch("from"),
    component: lazyRouteComponent(() => import("./NewTemplate.tsx"), "NewTemplate")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "templates/$templateId",
    validateSearch: onlySearch("compared"),
    component: lazyRouteComponent(() => import("./Template.tsx"), "Template")
  })
] as const
