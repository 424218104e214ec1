/**
 * The routes of templates.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The screens of templates. */
export const templateRoutes = [
  createRoute({
    getParentRoute: () => accountRoute,
    path: "templates",
    component: lazyScreen(() => import("./Templates.tsx"), "Templates")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "templates/images",
    component: lazyScreen(() => import("./Images.tsx"), "Images")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "templates/new",
    staticData: { right: "templates:write" },
    validateSearch: onlySearch("from"),
    component: lazyScreen(() => import("./NewTemplate.tsx"), "NewTemplate")
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: "templates/$templateId",
    validateSearch: onlySearch("compared"),
    component: lazyScreen(() => import("./Template.tsx"), "Template")
  })
] as const
