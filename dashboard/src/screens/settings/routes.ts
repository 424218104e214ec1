/**
 * The routes of settings: the account, the company, its texts, members, tokens, relays and the audit log.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

const under = { getParentRoute: () => accountRoute }

/** The screens of settings. */
export const settingsRoutes = [
  createRoute({
    ...under,
    path: "settings",
    validateSearch: onlySearch("setting"),
    component: lazyRouteComponent(() => import("./AccountSettings.tsx"), "AccountSettings")
  }),
  createRoute({
    ...under,
    path: "settings/company",
    component: lazyRouteComponent(() => import("./CompanySettings.tsx"), "CompanySettings")
  }),
  createRoute({
    ...under,
    path: "settings/texts",
    validateSearch: onlySearch("language"),
    component: lazyRouteComponent(() => import("./texts/PageTexts.tsx"), "PageTexts")
  }),
  createRoute({
    ...under,
    path: "settings/members",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(() => import("./Members.tsx"), "Members")
  }),
  createRoute({
    ...under,
    path: "settings/tokens",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(() => import("./Tokens.tsx"), "Tokens")
  }),
  createRoute({
    ...under,
    path: "settings/relays",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(() => import("./relays/Relays.tsx"), "Relays")
  }),
  createRoute({
    ...under,
    path: "settings/audit-log",
    validateSearch: onlySearch(
      "action",
      "actor",
      "actorKind",
      "network",
      "of",
      "outcome",
      "since",
      "target",
      "until"
    ),
    component: lazyRouteComponent(() => import("./AuditLog.tsx"), "AuditLog")
  })
] as const
