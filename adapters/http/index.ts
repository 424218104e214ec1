/**
 * The whole HTTP face: every route, one app.
 *
 * @module
 */
import { Effect } from "effect"
import { makeApp } from "./App.ts"
import { contractRoutes } from "./docs/contractRoutes.ts"
import { docsRoutes } from "./docs/SiteRoutes.ts"
import { contactFieldsRoutes } from "./handlers/contactFields.ts"
import { contactsRoutes } from "./handlers/contacts.ts"
import { flowTriggerRoutes } from "./handlers/flowTrigger.ts"
import { eventsRoutes } from "./handlers/events.ts"
import { itemsRoutes } from "./handlers/items.ts"
import { ordersRoutes } from "./handlers/orders.ts"
import { segmentsRoutes } from "./handlers/segments.ts"
import { sendingRoutes } from "./handlers/sending.ts"
import { hostedRoutes } from "./hosted/routes.ts"
import { ingestRoutes } from "./ingest/routes.ts"
import { systemRoutes } from "./handlers/system.ts"
import { topicsRoutes } from "./handlers/topics.ts"
import { accountsRoutes, apiKeysRoutes, companiesRoutes } from "./management/accounts.ts"
import { archiveRoutes } from "./management/archive.ts"
import { peopleRoutes } from "./management/audience.ts"
import { flowsRoutes } from "./management/flows.ts"
import { importsRoutes } from "./management/imports.ts"
import { emailsRoutes } from "./management/emails.ts"
import { managedEventsRoutes } from "./management/events.ts"
import { domainsRoutes, suppressionsRoutes } from "./management/sending.ts"
import { statsRoutes } from "./management/stats.ts"
import { managedStoresRoutes } from "./management/stores.ts"
import { managedSegmentsRoutes } from "./management/segments.ts"
import { templatesRoutes } from "./management/templates.ts"
import { managedTopicsRoutes } from "./management/topics.ts"
import { webhooksRoutes } from "./management/webhooks.ts"
import { trackingRoutes } from "./tracking/routes.ts"

export type { App } from "./App.ts"
export { ListenFailed, serve } from "./NodeServer.ts"
export { toWebHandler } from "./Web.ts"

/** The app of all routes, over the core's services and the ports it shows directly. */
export const app = Effect.flatMap(
  Effect.all([
    contactsRoutes,
    contactFieldsRoutes,
    segmentsRoutes,
    topicsRoutes,
    eventsRoutes,
    sendingRoutes,
    itemsRoutes,
    companiesRoutes,
    accountsRoutes,
    statsRoutes,
    apiKeysRoutes,
    domainsRoutes,
    suppressionsRoutes,
    emailsRoutes,
    peopleRoutes,
    importsRoutes,
    managedEventsRoutes,
    archiveRoutes,
    managedSegmentsRoutes,
    managedTopicsRoutes,
    ordersRoutes,
    managedStoresRoutes,
    ingestRoutes,
    templatesRoutes,
    flowsRoutes,
    flowTriggerRoutes,
    webhooksRoutes,
    hostedRoutes,
    trackingRoutes,
    docsRoutes,
    contractRoutes,
    systemRoutes
  ]),
  (groups) => makeApp(groups.flat())
)
