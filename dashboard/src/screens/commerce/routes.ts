/**
 * The routes of commerce: stores, orders and the catalogue.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

const under = { getParentRoute: () => accountRoute }

/** The screens of commerce. */
export const commerceRoutes = [
  createRoute({
    ...under,
    path: "stores",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(() => import("./Stores.tsx"), "Stores")
  }),
  createRoute({
    ...under,
    path: "stores/orders",
    validateSearch: onlySearch("q", "sort", "status", "view", "storeId", "since", "until", "columns"),
    component: lazyRouteComponent(() => import("./Orders.tsx"), "Orders")
  }),
  createRoute({
    ...under,
    path: "stores/orders/$orderId",
    component: lazyRouteComponent(() => import("./Order.tsx"), "Order")
  }),
  createRoute({
    ...under,
    path: "stores/items",
    validateSearch: onlySearch("q", "sort", "kind", "status", "storeId", "shown", "of", "panel", "columns"),
    component: lazyRouteComponent(() => import("./Items.tsx"), "Items")
  }),
  createRoute({
    ...under,
    path: "stores/$storeId",
    validateSearch: onlySearch("status"),
    component: lazyRouteComponent(() => import("./Store.tsx"), "Store")
  })
] as const
