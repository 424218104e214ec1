/**
 * The routes of the installation, for operators.
 *
 * @module
 */
import { createRoute, lazyRouteComponent, notFound } from "@tanstack/react-router"
import { keyOf } from "../../api/queries.ts"
import { type RouterContext, shellRoute } from "../../app/parents.ts"
import type { Session } from "../../app/session.ts"
import { onlySearch } from "../../lib/search.ts"

const under = {
  getParentRoute: () => shellRoute,
  /** For everyone but operators there is nothing here. */
  beforeLoad: ({ context: { client } }: { readonly context: RouterContext }): void => {
    if (client.getQueryData<Session>(keyOf("GET /session", {}))?.operator !== true) throw notFound()
  }
}

/** The screens of the installation. */
export const installationRoutes = [
  createRoute({
    ...under,
    path: "installation",
    component: lazyRouteComponent(() => import("./Overview.tsx"), "Overview")
  }),
  createRoute({
    ...under,
    path: "installation/companies",
    validateSearch: onlySearch("q", "sort", "state"),
    component: lazyRouteComponent(() => import("./Companies.tsx"), "Companies")
  }),
  createRoute({
    ...under,
    path: "installation/queues",
    component: lazyRouteComponent(() => import("./Queues.tsx"), "Queues")
  }),
  createRoute({
    ...under,
    path: "installation/jobs",
    validateSearch: onlySearch("account", "queue", "sort", "state"),
    component: lazyRouteComponent(() => import("./QueuedJobs.tsx"), "QueuedJobs")
  }),
  createRoute({
    ...under,
    path: "installation/delivery",
    validateSearch: onlySearch("shown", "state"),
    component: lazyRouteComponent(() => import("./delivery/Held.tsx"), "Held")
  }),
  createRoute({
    ...under,
    path: "installation/providers",
    validateSearch: onlySearch("shown", "q"),
    component: lazyRouteComponent(() => import("./delivery/Providers.tsx"), "Providers")
  }),
  createRoute({
    ...under,
    path: "installation/lanes",
    validateSearch: onlySearch("shown", "paused", "provider"),
    component: lazyRouteComponent(() => import("./delivery/Lanes.tsx"), "Lanes")
  }),
  createRoute({
    ...under,
    path: "installation/sources",
    component: lazyRouteComponent(() => import("./sources/Sources.tsx"), "Sources")
  }),
  createRoute({
    ...under,
    path: "installation/sources/$sourceId",
    component: lazyRouteComponent(() => import("./sources/Source.tsx"), "Source")
  }),
  createRoute({
    ...under,
    path: "installation/standing",
    component: lazyRouteComponent(() => import("./delivery/Standings.tsx"), "Standings")
  }),
  createRoute({
    ...under,
    path: "installation/database",
    component: lazyRouteComponent(() => import("./Database.tsx"), "Database")
  }),
  createRoute({
    ...under,
    path: "installation/logs",
    validateSearch: onlySearch("level", "q"),
    component: lazyRouteComponent(() => import("./Logs.tsx"), "Logs")
  }),
  createRoute({
    ...under,
    path: "installation/users",
    validateSearch: onlySearch("q", "sort", "state"),
    component: lazyRouteComponent(() => import("./Users.tsx"), "Users")
  }),
  createRoute({
    ...under,
    path: "installation/access",
    component: lazyRouteComponent(() => import("./Access.tsx"), "Access")
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
    component: lazyRouteComponent(() => import("./Audit.tsx"), "Audit")
  }),
  createRoute({
    ...under,
    path: "installation/configuration",
    validateSearch: onlySearch("q", "source"),
    component: lazyRouteComponent(() => import("./Configuration.tsx"), "Configuration")
  })
] as const
