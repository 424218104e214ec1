/**
 * The routes of developers: keys, the request log, webhooks, events, the live view and SMTP.
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

/** The screens of developers. */
export const developerRoutes = [
  createRoute({
    ...under,
    path: "developers",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(screens, "Keys")
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
    component: lazyScreen(screens, "Requests")
  }),
  createRoute({
    ...under,
    path: "developers/webhooks",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(screens, "Webhooks")
  }),
  createRoute({
    ...under,
    path: "developers/webhooks/$webhookId",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(screens, "Webhook")
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
    component: lazyScreen(screens, "Events")
  }),
  createRoute({
    ...under,
    path: "developers/live",
    validateSearch: onlySearch("topic"),
    component: lazyScreen(() => import("../live/Live.tsx"), "Live")
  }),
  createRoute({
    ...under,
    path: "developers/smtp",
    component: lazyScreen(screens, "Smtp")
  }),
  createRoute({
    ...under,
    path: "developers/reference",
    validateSearch: onlySearch("call"),
    component: lazyScreen(screens, "Reference")
  })
] as const
