/**
 * The routes of developers: keys, the request log, webhooks, events, the live view and SMTP.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** Each is small: they are loaded together, so that a tab opens at once. */
const screens = () => import("./screens.ts")

const under = { getParentRoute: () => accountRoute }

/** The screens of developers. */
export const developerRoutes = [
  createRoute({
    ...under,
    path: "developers",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(screens, "Keys")
  }),
  createRoute({
    ...under,
    path: "developers/requests",
    validateSearch: onlySearch(
      "q",
      "method",
      "status",
      "code",
      "route",
      "keyId",
      "since",
      "until",
      "sort",
      "shown",
      "columns"
    ),
    component: lazyRouteComponent(screens, "Requests")
  }),
  createRoute({
    ...under,
    path: "developers/webhooks",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(screens, "Webhooks")
  }),
  createRoute({
    ...under,
    path: "developers/webhooks/$webhookId",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(screens, "Webhook")
  }),
  createRoute({
    ...under,
    path: "developers/events",
    validateSearch: onlySearch(
      "shown",
      "q",
      "status",
      "name",
      "contactId",
      "source",
      "since",
      "until",
      "sort",
      "columns"
    ),
    component: lazyRouteComponent(screens, "Events")
  }),
  createRoute({
    ...under,
    path: "developers/live",
    validateSearch: onlySearch("topic"),
    component: lazyRouteComponent(() => import("../live/Live.tsx"), "Live")
  }),
  createRoute({
    ...under,
    path: "developers/smtp",
    component: lazyRouteComponent(screens, "Smtp")
  }),
  createRoute({
    ...under,
    path: "developers/reference",
    validateSearch: onlySearch("call"),
    component: lazyRouteComponent(screens, "Reference")
  })
] as const
