/**
 * The routes of emails: the list, one email, and the sandbox's inbox.
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
  validateSearch: onlySearch(
    "q",
    "status",
    "reason",
    "to",
    "from",
    "domain",
    "opened",
    "clicked",
    "since",
    "until",
    "source",
    "provider",
    "keyId",
    "flowId",
    "campaignId",
    "templateId",
    "contactId",
    "tag",
    "sort",
    "columns"
  ),
  component: lazyRouteComponent(() => import("./Emails.tsx"), "Emails")
})

const emailRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "emails/$emailId",
  validateSearch: onlySearch("part", "tab"),
  component: lazyRouteComponent(() => import("./Email.tsx"), "Email")
})

const inboxRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "emails/inbox",
  component: lazyRouteComponent(() => import("./Inbox.tsx"), "Inbox")
})

const messageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "emails/inbox/$messageId",
  validateSearch: onlySearch("tab"),
  component: lazyRouteComponent(() => import("./InboxMessage.tsx"), "InboxMessage")
})

/** The routes. */
export const emailRoutes = [listRoute, emailRoute, inboxRoute, messageRoute] as const
