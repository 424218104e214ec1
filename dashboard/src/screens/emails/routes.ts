/**
 * The routes of emails: the list, and one email.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The list, with its filters in the address. */
const listRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "emails",
  validateSearch: onlySearch("status", "reason", "to", "domain", "since", "until", "sort"),
  component: lazyRouteComponent(() => import("./Emails.tsx"), "Emails")
})

const emailRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "emails/$emailId",
  component: lazyRouteComponent(() => import("./Email.tsx"), "Email")
})

/** The routes. */
export const emailRoutes = [listRoute, emailRoute] as const
