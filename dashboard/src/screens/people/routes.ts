/**
 * The routes of people: contacts, segments, topics, fields, imports and jobs.
 *
 * @module
 */
import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../../app/newVersion.ts"
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
    component: lazyScreen(() => import("./Contacts.tsx"), "Contacts")
  }),
  createRoute({
    ...under,
    path: "people/contacts/$contactId",
    validateSearch: onlySearch("why"),
    component: lazyScreen(() => import("./contact/Contact.tsx"), "Contact")
  }),
  createRoute({
    ...under,
    path: "people/contacts/$contactId/consent",
    component: lazyScreen(() => import("./contact/ConsentProof.tsx"), "ConsentProof")
  }),
  createRoute({
    ...under,
    path: "people/segments",
    component: lazyScreen(() => import("./segments/Segments.tsx"), "Segments")
  }),
  createRoute({
    ...under,
    path: "people/segments/new",
    staticData: { right: "segments:write" },
    validateSearch: onlySearch("copy"),
    component: lazyScreen(() => import("./segments/Segment.tsx"), "NewSegment")
  }),
  createRoute({
    ...under,
    path: "people/segments/$segmentId",
    component: lazyScreen(() => import("./segments/Segment.tsx"), "Segment")
  }),
  createRoute({
    ...under,
    path: "people/topics",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(() => import("./Topics.tsx"), "Topics")
  }),
  createRoute({
    ...under,
    path: "people/fields",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(() => import("./Fields.tsx"), "Fields")
  }),
  createRoute({
    ...under,
    path: "people/imports",
    validateSearch: onlySearch("shown"),
    component: lazyScreen(() => import("./imports/Imports.tsx"), "Imports")
  }),
  createRoute({
    ...under,
    path: "people/imports/$importId",
    component: lazyScreen(() => import("./imports/Import.tsx"), "Import")
  }),
  createRoute({
    ...under,
    path: "people/jobs",
    component: lazyScreen(() => import("./Jobs.tsx"), "Jobs")
  })
] as const
