/**
 * The routes of campaigns.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

const under = { getParentRoute: () => accountRoute }

/** The screens of campaigns. */
export const campaignRoutes = [
  createRoute({
    ...under,
    path: "campaigns",
    validateSearch: onlySearch("shown", "selected", "approval", "q", "status"),
    component: lazyScreen(() => import("./Campaigns.tsx"), "Campaigns")
  }),
  createRoute({
    ...under,
    path: "campaigns/compare",
    validateSearch: onlySearch("ids"),
    component: lazyScreen(() => import("./Compare.tsx"), "Compare")
  }),
  createRoute({
    ...under,
    path: "campaigns/$campaignId",
    validateSearch: onlySearch("step"),
    component: lazyScreen(() => import("./Campaign.tsx"), "Campaign")
  }),
  createRoute({
    ...under,
    path: "campaigns/$campaignId/recipients",
    staticData: { right: "contacts:read" },
    validateSearch: onlySearch(
      "state",
      "reason",
      "variant",
      "status",
      "opened",
      "clicked",
      "link",
      "converted",
      "unsubscribed",
      "q"
    ),
    component: lazyScreen(() => import("./course/Recipients.tsx"), "Recipients")
  })
] as const
