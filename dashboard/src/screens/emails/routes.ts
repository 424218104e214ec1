/**
 * The routes of emails: the list, one email, and the sandbox's inbox.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

/** The list, with its filters in the URL. */
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
  component: lazyScreen(() => import("./Emails.tsx"), "Emails")
})

const emailRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "emails/$emailId",
  validateSearch: onlySearch("part", "tab"),
  component: lazyScreen(() => import("./Email.tsx"), "Email")
})

const inboxRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "emails/inbox",
  component: lazyScreen(() => import("./Inbox.tsx"), "Inbox")
})

const messageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "emails/inbox/$messageId",
  validateSearch: onlySearch("tab"),
  component: lazyScreen(() => import("./InboxMessage.tsx"), "InboxMessage")
})

/** The routes. */
export const emailRoutes = [listRoute, emailRoute, inboxRoute, messageRoute] as const
