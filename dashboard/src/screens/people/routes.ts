/**
 * The routes of people: contacts, segments, topics, fields, imports and jobs.
 *
 * @module
 */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "../../app/parents.ts"
import { onlySearch } from "../../lib/search.ts"

const under = { getParentRoute: () => accountRoute }

/** The screens of people. */
export const peopleRoutes = [
  createRoute({
    ...under,
    path: "people",
    validateSearch: onlySearch(
      "shown",
      "selected",
      "q",
      "sort",
      "segment",
      "consentStatus",
      "topic",
      "tag",
      "storeId",
      "source",
      "country",
      "language",
      "since",
      "until",
      "lastEmailedSince",
      "lastOpenSince",
      "lastClickSince",
      "suppressed",
      "columns"
    ),
    component: lazyRouteComponent(() => import("./Contacts.tsx"), "Contacts")
  }),
  createRoute({
    ...under,
    path: "people/contacts/$contactId",
    validateSearch: onlySearch("why"),
    component: lazyRouteComponent(() => import("./contact/Contact.tsx"), "Contact")
  }),
  createRoute({
    ...under,
    path: "people/contacts/$contactId/consent",
    component: lazyRouteComponent(() => import("./contact/ConsentProof.tsx"), "ConsentProof")
  }),
  createRoute({
    ...under,
    path: "people/segments",
    component: lazyRouteComponent(() => import("./segments/Segments.tsx"), "Segments")
  }),
  createRoute({
    ...under,
    path: "people/segments/new",
    staticData: { right: "segments:write" },
    validateSearch: onlySearch("copy"),
    component: lazyRouteComponent(() => import("./segments/Segment.tsx"), "NewSegment")
  }),
  createRoute({
    ...under,
    path: "people/segments/$segmentId",
    component: lazyRouteComponent(() => import("./segments/Segment.tsx"), "Segment")
  }),
  createRoute({
    ...under,
    path: "people/topics",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(() => import("./Topics.tsx"), "Topics")
  }),
  createRoute({
    ...under,
    path: "people/fields",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(() => import("./Fields.tsx"), "Fields")
  }),
  createRoute({
    ...under,
    path: "people/imports",
    validateSearch: onlySearch("shown"),
    component: lazyRouteComponent(() => import("./imports/Imports.tsx"), "Imports")
  }),
  createRoute({
    ...under,
    path: "people/imports/$importId",
    component: lazyRouteComponent(() => import("./imports/Import.tsx"), "Import")
  }),
  createRoute({
    ...under,
    path: "people/jobs",
    component: lazyRouteComponent(() => import("./Jobs.tsx"), "Jobs")
  })
] as const
