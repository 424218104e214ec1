/**
 * The routes of commerce: stores, orders and the catalogue.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The screens are small. They are loaded together, so that a tab opens at once. */
const screens = () => import("./screens.ts")

const under = { getParentRoute: () => accountRoute }

/** The screens of commerce. */
export const commerceRoutes = [
  createRoute({
    ...under,
    path: "stores",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(screens, "Stores")
  }),
  createRoute({
    ...under,
    path: "stores/orders",
    validateSearch: onlySearch("q", "sort", "status", "view", "storeId", "since", "until", "columns"),
    component: lazyScreen(screens, "Orders")
  }),
  createRoute({
    ...under,
    path: "stores/orders/$orderId",
    component: lazyScreen(screens, "Order")
  }),
  createRoute({
    ...under,
    path: "stores/items",
    validateSearch: onlySearch("q", "sort", "kind", "status", "storeId", "shown", "of", "panel", "columns"),
    component: lazyScreen(screens, "Items")
  }),
  createRoute({
    ...under,
    path: "stores/$storeId",
    validateSearch: onlySearch("status"),
    component: lazyScreen(screens, "Store")
  })
] as const
