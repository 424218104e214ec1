/**
 * The routes of settings: the account, the company, its texts, members, tokens, relays and the audit log.
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

/** The screens of settings. */
export const settingsRoutes = [
  createRoute({
    ...under,
    path: "settings",
    validateSearch: onlySearch("setting"),
    component: lazyScreen(screens, "AccountSettings")
  }),
  createRoute({
    ...under,
    path: "settings/company",
    component: lazyScreen(screens, "CompanySettings")
  }),
  createRoute({
    ...under,
    path: "settings/texts",
    validateSearch: onlySearch("language"),
    component: lazyScreen(screens, "PageTexts")
  }),
  createRoute({
    ...under,
    path: "settings/members",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(screens, "Members")
  }),
  createRoute({
    ...under,
    path: "settings/tokens",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(screens, "Tokens")
  }),
  createRoute({
    ...under,
    path: "settings/relays",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(screens, "Relays")
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
    component: lazyScreen(screens, "AuditLog")
  })
] as const
