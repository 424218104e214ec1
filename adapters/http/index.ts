/**
 * Builds the HTTP app from the routes of every group.
 *
 * @module
 */
import { Effect } from "effect"
import { SessionCookies } from "./edge/cookies.ts"
import { makeApp } from "./edge/router.ts"
import { contractRoutes } from "./schema/openapi/contractRoutes.ts"
import { dashboardRoutes } from "./pages/dashboard/routes.ts"
import { docsRoutes } from "./pages/site/SiteRoutes.ts"
import { contactFieldsRoutes } from "./public/contactFields.ts"
import { contactsRoutes } from "./public/contacts.ts"
import { flowTriggerRoutes } from "./public/flowTrigger.ts"
import { eventsRoutes } from "./public/events.ts"
import { itemsRoutes } from "./public/items.ts"
import { ordersRoutes } from "./public/orders.ts"
import { segmentsRoutes } from "./public/segments.ts"
import { sendingRoutes } from "./public/sending.ts"
import { hostedRoutes } from "./pages/hosted/routes.ts"
import { ingestRoutes } from "./ingest/routes.ts"
import { systemRoutes } from "./public/system.ts"
import { topicsRoutes } from "./public/topics.ts"
import { accountsRoutes, apiKeysRoutes } from "./management/accounts.ts"
import { companiesRoutes } from "./people/companies.ts"
import { logsRoutes } from "./management/logs.ts"
import { auditRoutes } from "./management/audit.ts"
import { archiveRoutes } from "./management/archive.ts"
import { peopleRoutes } from "./management/audience.ts"
import { managedContactsRoutes } from "./audience/contacts.ts"
import { jobsRoutes } from "./audience/jobs.ts"
import { emailContentRoutes } from "./mail/content.ts"
import { standingRoutes } from "./mail/standing.ts"
import { viewsRoutes } from "./audience/views.ts"
import { explainRoutes } from "./audience/explain.ts"
import { flowsRoutes } from "./management/flows.ts"
import { imagesRoutes } from "./mail/images.ts"
import { importsRoutes } from "./management/imports.ts"
import { campaignsRoutes } from "./management/campaigns.ts"
import { emailsRoutes } from "./management/emails.ts"
import { managedEventsRoutes } from "./management/events.ts"
import { mailReportsRoutes } from "./management/mailReports.ts"
import { domainsRoutes, suppressionsRoutes } from "./management/sending.ts"
import { requestsRoutes } from "./live/requests.ts"
import { searchRoutes } from "./live/search.ts"
import { streamRoutes } from "./live/stream.ts"
import { statsRoutes } from "./management/stats.ts"
import { managedStoresRoutes } from "./management/stores.ts"
import { managedSegmentsRoutes } from "./management/segments.ts"
import { templatesRoutes } from "./management/templates.ts"
import { managedTopicsRoutes } from "./management/topics.ts"
import { companyTokensRoutes, secretsRoutes, tokensRoutes } from "./management/tokens.ts"
import { ownAccountRoutes, sessionRoutes } from "./people/sessions.ts"
import { deviceRoutes, personalTokensRoutes } from "./people/tokens.ts"
import { companyProvidersRoutes, identityProvidersRoutes, providerSignInRoutes } from "./people/providers.ts"
import { membersRoutes, usersRoutes } from "./people/users.ts"
import { installationRoutes } from "./operation/installation.ts"
import { companyRelaysRoutes, relaysRoutes } from "./operation/relays.ts"
import { shapingRoutes } from "./operation/shaping.ts"
import { poolsRoutes, sourcesRoutes } from "./operation/sources.ts"
import { webhooksRoutes } from "./management/webhooks.ts"
import { trackingRoutes } from "./tracking/routes.ts"

export { OtherProcesses } from "./metrics/Processes.ts"
export { ServeDashboard } from "./pages/dashboard/routes.ts"
export { isBuilt as isDashboardBuilt } from "./pages/dashboard/DashboardFiles.ts"
export type { App } from "./edge/router.ts"
export { ListenFailed, serve } from "./server/NodeServer.ts"
export { makeWebHandler } from "./server/Web.ts"

/** The app of all routes. */
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
    logsRoutes,
    accountsRoutes,
    auditRoutes,
    statsRoutes,
    requestsRoutes,
    searchRoutes,
    streamRoutes,
    apiKeysRoutes,
    domainsRoutes,
    mailReportsRoutes,
    suppressionsRoutes,
    emailsRoutes,
    emailContentRoutes,
    standingRoutes,
    peopleRoutes,
    managedContactsRoutes,
    explainRoutes,
    jobsRoutes,
    viewsRoutes,
    importsRoutes,
    managedEventsRoutes,
    archiveRoutes,
    managedSegmentsRoutes,
    campaignsRoutes,
    managedTopicsRoutes,
    ordersRoutes,
    managedStoresRoutes,
    ingestRoutes,
    templatesRoutes,
    imagesRoutes,
    flowsRoutes,
    flowTriggerRoutes,
    webhooksRoutes,
    tokensRoutes,
    companyTokensRoutes,
    secretsRoutes,
    installationRoutes,
    shapingRoutes,
    sourcesRoutes,
    poolsRoutes,
    relaysRoutes,
    companyRelaysRoutes,
    sessionRoutes,
    ownAccountRoutes,
    personalTokensRoutes,
    deviceRoutes,
    identityProvidersRoutes,
    companyProvidersRoutes,
    providerSignInRoutes,
    membersRoutes,
    usersRoutes,
    hostedRoutes,
    trackingRoutes,
    docsRoutes,
    dashboardRoutes,
    contractRoutes,
    systemRoutes
  ]),
  (groups) => makeApp(groups.flat())
).pipe(Effect.provide(SessionCookies.layer))
