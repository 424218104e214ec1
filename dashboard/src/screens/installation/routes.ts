/**
 * The routes of the installation, for operators.
 *
 * @module
 */
import { createRoute, notFound } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { keyOf } from "../../api/queries.ts"
import { type RouterContext, shellRoute } from "../../app/parents.ts"
import type { Session } from "../../app/session.ts"
import { onlySearch } from "../../lib/search.ts"

/** The screens are small. They are loaded together, so that a tab opens at once. */
const screens = () => import("./screens.ts")

const under = {
  getParentRoute: () => shellRoute,
  /** Users who are not operators get the page for unknown addresses. */
  beforeLoad: ({ context: { client } }: { readonly context: RouterContext }): void => {
    if (client.getQueryData<Session>(keyOf("GET /session", {}))?.operator !== true) throw notFound()
  }
}

/** The screens of the installation. */
export const installationRoutes = [
  createRoute({
    ...under,
    path: "installation",
    component: lazyScreen(screens, "Overview")
  }),
  createRoute({
    ...under,
    path: "installation/companies",
    validateSearch: onlySearch("q", "sort", "state"),
    component: lazyScreen(screens, "Companies")
  }),
  createRoute({
    ...under,
    path: "installation/queues",
    component: lazyScreen(screens, "Queues")
  }),
  createRoute({
    ...under,
    path: "installation/jobs",
    validateSearch: onlySearch("account", "queue", "sort", "state"),
    component: lazyScreen(screens, "QueuedJobs")
  }),
  createRoute({
    ...under,
    path: "installation/delivery",
    validateSearch: onlySearch("shown", "state"),
    component: lazyScreen(screens, "Held")
  }),
  createRoute({
    ...under,
    path: "installation/providers",
    validateSearch: onlySearch("shown", "q"),
    component: lazyScreen(screens, "Providers")
  }),
  createRoute({
    ...under,
    path: "installation/lanes",
    validateSearch: onlySearch("shown", "paused", "provider"),
    component: lazyScreen(screens, "Lanes")
  }),
  createRoute({
    ...under,
    path: "installation/sources",
    component: lazyScreen(screens, "Sources")
  }),
  createRoute({
    ...under,
    path: "installation/sources/$sourceId",
    component: lazyScreen(screens, "Source")
  }),
  createRoute({
    ...under,
    path: "installation/standing",
    component: lazyScreen(screens, "Standings")
  }),
  createRoute({
    ...under,
    path: "installation/database",
    component: lazyScreen(screens, "Database")
  }),
  createRoute({
    ...under,
    path: "installation/logs",
    validateSearch: onlySearch("level", "q"),
    component: lazyScreen(screens, "Logs")
  }),
  createRoute({
    ...under,
    path: "installation/users",
    validateSearch: onlySearch("q", "sort", "state"),
    component: lazyScreen(screens, "Users")
  }),
  createRoute({
    ...under,
    path: "installation/access",
    component: lazyScreen(screens, "Access")
  }),
  createRoute({
    ...under,
    path: "installation/audit-log",
    validateSearch: onlySearch(
      "action",
      "actor",
      "actorKind",
      "network",
      "outcome",
      "since",
      "target",
      "until"
    ),
    component: lazyScreen(screens, "Audit")
  }),
  createRoute({
    ...under,
    path: "installation/configuration",
    validateSearch: onlySearch("q", "source"),
    component: lazyScreen(screens, "Configuration")
  })
] as const
