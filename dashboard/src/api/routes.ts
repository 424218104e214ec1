/**
 * The routes of the management API, generated from its definition by `npm run client`.
 *
 * @module
 */
import type { ManagementClient as Client } from "../../../client/management.ts"

type Method = (...args: ReadonlyArray<never>) => Promise<unknown>

/** A route by the client's method: the names of its path's parameters, and the positions of its body and query. */
interface Route<M extends Method, Params extends string, Body, Query> {
  readonly params: Readonly<Record<Params, string>>
  readonly body: Body extends number ? Parameters<M>[Body] : undefined
  readonly query: Query extends number ? Parameters<M>[Query] : undefined
  readonly value: Awaited<ReturnType<M>>
}

/** The routes, by method and path below `/manage/v1`. */
export interface Routes {
  readonly "POST /companies": Route<Client["companies"]["create"], never, 0, undefined>
  readonly "GET /companies": Route<Client["companies"]["list"], never, undefined, 0>
  readonly "GET /companies/:companyId": Route<Client["companies"]["get"], "companyId", undefined, undefined>
  readonly "PATCH /companies/:companyId": Route<Client["companies"]["change"], "companyId", 1, undefined>
  readonly "DELETE /companies/:companyId": Route<Client["companies"]["remove"], "companyId", undefined, undefined>
  readonly "POST /companies/:companyId/restore": Route<Client["companies"]["restore"], "companyId", undefined, undefined>
  readonly "GET /companies/:companyId/brand": Route<Client["companies"]["brand"], "companyId", undefined, undefined>
  readonly "PUT /companies/:companyId/brand": Route<Client["companies"]["setBrand"], "companyId", 1, undefined>
  readonly "GET /companies/:companyId/page-texts": Route<Client["companies"]["pageTexts"], "companyId", undefined, undefined>
  readonly "PUT /companies/:companyId/page-texts/:language": Route<Client["companies"]["setPageTexts"], "companyId" | "language", 2, undefined>
  readonly "POST /companies/:companyId/access": Route<Client["companies"]["openAccess"], "companyId", 1, undefined>
  readonly "DELETE /companies/:companyId/access": Route<Client["companies"]["closeAccess"], "companyId", undefined, undefined>
  readonly "GET /accounts/:accountId": Route<Client["accounts"]["get"], "accountId", undefined, undefined>
  readonly "PATCH /accounts/:accountId/settings": Route<Client["accounts"]["changeSettings"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/audit-log": Route<Client["audit"]["account"], "accountId", undefined, 1>
  readonly "GET /companies/:companyId/audit-log": Route<Client["audit"]["company"], "companyId", undefined, 1>
  readonly "GET /audit-log": Route<Client["audit"]["installation"], never, undefined, 0>
  readonly "GET /accounts/:accountId/stats": Route<Client["stats"]["daily"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/requests": Route<Client["requests"]["list"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/usage": Route<Client["requests"]["usage"], "accountId", undefined, undefined>
  readonly "GET /accounts/:accountId/search": Route<Client["search"]["find"], "accountId", undefined, 1>
  readonly "POST /accounts/:accountId/api-keys": Route<Client["apiKeys"]["create"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/api-keys": Route<Client["apiKeys"]["list"], "accountId", undefined, undefined>
  readonly "DELETE /accounts/:accountId/api-keys/:id": Route<Client["apiKeys"]["revoke"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/domains": Route<Client["domains"]["add"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/domains": Route<Client["domains"]["list"], "accountId", undefined, 1>
  readonly "POST /accounts/:accountId/domains/:id/verify": Route<Client["domains"]["verify"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/domains/:id/rotate-dkim": Route<Client["domains"]["rotateDkim"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/alignment": Route<Client["domains"]["alignment"], "accountId", undefined, 1>
  readonly "DELETE /accounts/:accountId/domains/:id": Route<Client["domains"]["remove"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/reports/dmarc": Route<Client["mailReports"]["dmarc"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/reports/tls": Route<Client["mailReports"]["tls"], "accountId", undefined, 1>
  readonly "POST /accounts/:accountId/suppressions": Route<Client["suppressions"]["add"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/suppressions": Route<Client["suppressions"]["list"], "accountId", undefined, 1>
  readonly "DELETE /accounts/:accountId/suppressions/:email": Route<Client["suppressions"]["remove"], "accountId" | "email", undefined, undefined>
  readonly "GET /accounts/:accountId/emails": Route<Client["emails"]["list"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/emails/:id": Route<Client["emails"]["get"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/emails/:id/cancel": Route<Client["emails"]["cancel"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/emails/:id/release": Route<Client["emails"]["release"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/emails/:id/refuse": Route<Client["emails"]["refuse"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/inbox": Route<Client["emails"]["inbox"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/inbox/:id": Route<Client["emails"]["inboxMessage"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/emails/:id/content": Route<Client["emailContent"]["content"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/emails/:id/resend": Route<Client["emailContent"]["resend"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/inbox/:id/simulate": Route<Client["emailContent"]["simulate"], "accountId" | "id", 2, undefined>
  readonly "GET /accounts/:accountId/standing": Route<Client["standing"]["get"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/notices": Route<Client["standing"]["notices"], "accountId", undefined, 1>
  readonly "POST /accounts/:accountId/standing/lift": Route<Client["standing"]["lift"], "accountId", 1, undefined>
  readonly "POST /accounts/:accountId/standing/observations": Route<Client["standing"]["observe"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/contacts": Route<Client["people"]["list"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/contacts/:id/consent-history": Route<Client["people"]["consentHistory"], "accountId" | "id", undefined, 2>
  readonly "GET /accounts/:accountId/contacts/:id/timeline": Route<Client["people"]["timeline"], "accountId" | "id", undefined, 2>
  readonly "GET /accounts/:accountId/contacts/:id/devices": Route<Client["people"]["devices"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/contacts/:id/topics": Route<Client["people"]["topics"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/contacts/:id/double-opt-in": Route<Client["people"]["askToConfirm"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/contacts/:id/double-opt-in/email": Route<Client["people"]["sendConfirmation"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/contacts/:id/links": Route<Client["people"]["links"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/erasures": Route<Client["people"]["erase"], "accountId", 1, undefined>
  readonly "POST /accounts/:accountId/contacts": Route<Client["managedContacts"]["write"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/contacts/:id": Route<Client["managedContacts"]["get"], "accountId" | "id", undefined, undefined>
  readonly "PATCH /accounts/:accountId/contacts/:id": Route<Client["managedContacts"]["change"], "accountId" | "id", 2, undefined>
  readonly "DELETE /accounts/:accountId/contacts/:id": Route<Client["managedContacts"]["erase"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/contact-attributes": Route<Client["managedContacts"]["createField"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/contact-attributes": Route<Client["managedContacts"]["listFields"], "accountId", undefined, undefined>
  readonly "PATCH /accounts/:accountId/contact-attributes/:key": Route<Client["managedContacts"]["updateField"], "accountId" | "key", 2, undefined>
  readonly "GET /accounts/:accountId/explain": Route<Client["explain"]["get"], "accountId", undefined, 1>
  readonly "POST /accounts/:accountId/contacts/bulk": Route<Client["jobs"]["start"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/jobs": Route<Client["jobs"]["list"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/exports": Route<Client["jobs"]["exports"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/jobs/:id": Route<Client["jobs"]["get"], "accountId" | "id", undefined, undefined>
  readonly "DELETE /accounts/:accountId/jobs/:id": Route<Client["jobs"]["cancel"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/views": Route<Client["views"]["list"], "accountId", undefined, 1>
  readonly "POST /accounts/:accountId/views": Route<Client["views"]["create"], "accountId", 1, undefined>
  readonly "PATCH /accounts/:accountId/views/:id": Route<Client["views"]["change"], "accountId" | "id", 2, undefined>
  readonly "DELETE /accounts/:accountId/views/:id": Route<Client["views"]["remove"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/imports": Route<Client["imports"]["list"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/imports/:id": Route<Client["imports"]["get"], "accountId" | "id", undefined, undefined>
  readonly "DELETE /accounts/:accountId/imports/:id": Route<Client["imports"]["cancel"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/events": Route<Client["managedEvents"]["list"], "accountId", undefined, 1>
  readonly "POST /accounts/:accountId/events": Route<Client["managedEvents"]["accept"], "accountId", 1, undefined>
  readonly "POST /accounts/:accountId/segments": Route<Client["managedSegments"]["create"], "accountId", 1, undefined>
  readonly "POST /accounts/:accountId/segments/preview": Route<Client["managedSegments"]["preview"], "accountId", 1, undefined>
  readonly "POST /accounts/:accountId/segments/reach": Route<Client["managedSegments"]["reach"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/segments/fields": Route<Client["managedSegments"]["fields"], "accountId", undefined, undefined>
  readonly "GET /accounts/:accountId/segments/values": Route<Client["managedSegments"]["values"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/segments/sizes": Route<Client["managedSegments"]["sizes"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/segments": Route<Client["managedSegments"]["list"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/segments/:id": Route<Client["managedSegments"]["get"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/segments/:id/usage": Route<Client["managedSegments"]["usage"], "accountId" | "id", undefined, undefined>
  readonly "PATCH /accounts/:accountId/segments/:id": Route<Client["managedSegments"]["update"], "accountId" | "id", 2, undefined>
  readonly "DELETE /accounts/:accountId/segments/:id": Route<Client["managedSegments"]["remove"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/topics": Route<Client["managedTopics"]["create"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/topics": Route<Client["managedTopics"]["list"], "accountId", undefined, 1>
  readonly "PATCH /accounts/:accountId/topics/:id": Route<Client["managedTopics"]["update"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/stores": Route<Client["managedStores"]["connect"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/stores": Route<Client["managedStores"]["list"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/stores/:id/events": Route<Client["managedStores"]["events"], "accountId" | "id", undefined, 2>
  readonly "POST /accounts/:accountId/stores/:id/events/replay": Route<Client["managedStores"]["replay"], "accountId" | "id", 2, undefined>
  readonly "DELETE /accounts/:accountId/stores/:id": Route<Client["managedStores"]["disconnect"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/orders": Route<Client["managedStores"]["orders"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/items": Route<Client["managedStores"]["items"], "accountId", undefined, 1>
  readonly "POST /accounts/:accountId/items/batch": Route<Client["managedStores"]["importItems"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/items/:id/usage": Route<Client["managedStores"]["itemUsage"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/orders/:id": Route<Client["managedStores"]["order"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/templates": Route<Client["templates"]["create"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/templates": Route<Client["templates"]["list"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/templates/:id": Route<Client["templates"]["get"], "accountId" | "id", undefined, undefined>
  readonly "PATCH /accounts/:accountId/templates/:id": Route<Client["templates"]["update"], "accountId" | "id", 2, undefined>
  readonly "DELETE /accounts/:accountId/templates/:id": Route<Client["templates"]["remove"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/templates/:id/render": Route<Client["templates"]["render"], "accountId" | "id", 2, undefined>
  readonly "GET /accounts/:accountId/templates/:id/versions": Route<Client["templates"]["versions"], "accountId" | "id", undefined, 2>
  readonly "GET /accounts/:accountId/templates/:id/versions/:version": Route<Client["templates"]["version"], "accountId" | "id" | "version", undefined, undefined>
  readonly "POST /accounts/:accountId/templates/:id/restore": Route<Client["templates"]["restore"], "accountId" | "id", 2, undefined>
  readonly "GET /accounts/:accountId/templates/:id/usage": Route<Client["templates"]["usage"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/templates/:id/test": Route<Client["templates"]["test"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/templates/preview": Route<Client["templates"]["preview"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/template-starters": Route<Client["templates"]["starters"], "accountId", undefined, undefined>
  readonly "GET /accounts/:accountId/images": Route<Client["images"]["list"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/images/:id": Route<Client["images"]["get"], "accountId" | "id", undefined, undefined>
  readonly "DELETE /accounts/:accountId/images/:id": Route<Client["images"]["remove"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/flows": Route<Client["flows"]["create"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/flows": Route<Client["flows"]["list"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/flows/:id": Route<Client["flows"]["get"], "accountId" | "id", undefined, undefined>
  readonly "PUT /accounts/:accountId/flows/:id": Route<Client["flows"]["replace"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/flows/:id/publish": Route<Client["flows"]["publish"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/flows/:id/pause": Route<Client["flows"]["pause"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/flows/:id/archive": Route<Client["flows"]["archive"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/flows/:id/trigger-token": Route<Client["flows"]["issueToken"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/flows/:id/webhook-secret": Route<Client["flows"]["webhookSecret"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/flows/:id/runs": Route<Client["flows"]["runs"], "accountId" | "id", undefined, 2>
  readonly "GET /accounts/:accountId/contacts/:id/runs": Route<Client["flows"]["runsOfContact"], "accountId" | "id", undefined, 2>
  readonly "GET /accounts/:accountId/flows/:id/stats": Route<Client["flows"]["stats"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/flows/:id/versions": Route<Client["flows"]["versions"], "accountId" | "id", undefined, 2>
  readonly "GET /accounts/:accountId/flows/:id/versions/:version": Route<Client["flows"]["version"], "accountId" | "id" | "version", undefined, undefined>
  readonly "POST /accounts/:accountId/flows/:id/start": Route<Client["flows"]["start"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/flows/:id/runs/:runId/stop": Route<Client["flows"]["stopRun"], "accountId" | "id" | "runId", undefined, undefined>
  readonly "POST /accounts/:accountId/flows/:id/simulate": Route<Client["flows"]["simulate"], "accountId" | "id", 2, undefined>
  readonly "GET /accounts/:accountId/flow-blueprints": Route<Client["flows"]["blueprints"], "accountId", undefined, undefined>
  readonly "POST /accounts/:accountId/flow-blueprints/:key/install": Route<Client["flows"]["install"], "accountId" | "key", undefined, undefined>
  readonly "POST /accounts/:accountId/campaigns": Route<Client["campaigns"]["create"], "accountId", 1, undefined>
  readonly "POST /accounts/:accountId/campaigns/audience": Route<Client["campaigns"]["audience"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/campaigns": Route<Client["campaigns"]["list"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/campaigns/compare": Route<Client["campaigns"]["compare"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/campaigns/:id": Route<Client["campaigns"]["get"], "accountId" | "id", undefined, undefined>
  readonly "PATCH /accounts/:accountId/campaigns/:id": Route<Client["campaigns"]["update"], "accountId" | "id", 2, undefined>
  readonly "DELETE /accounts/:accountId/campaigns/:id": Route<Client["campaigns"]["remove"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/copy": Route<Client["campaigns"]["copy"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/check": Route<Client["campaigns"]["check"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/preview": Route<Client["campaigns"]["preview"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/campaigns/preview": Route<Client["campaigns"]["previewUnsaved"], "accountId", 1, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/test": Route<Client["campaigns"]["test"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/approval": Route<Client["campaigns"]["approval"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/winner": Route<Client["campaigns"]["winner"], "accountId" | "id", 2, undefined>
  readonly "GET /accounts/:accountId/campaigns/:id/stats": Route<Client["campaigns"]["stats"], "accountId" | "id", undefined, 2>
  readonly "GET /accounts/:accountId/campaigns/:id/links": Route<Client["campaigns"]["links"], "accountId" | "id", undefined, 2>
  readonly "GET /accounts/:accountId/campaigns/:id/versions": Route<Client["campaigns"]["versions"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/campaigns/:id/versions/:version": Route<Client["campaigns"]["version"], "accountId" | "id" | "version", undefined, undefined>
  readonly "GET /accounts/:accountId/campaigns/:id/history": Route<Client["campaigns"]["history"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/launch": Route<Client["campaigns"]["launch"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/unschedule": Route<Client["campaigns"]["unschedule"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/pause": Route<Client["campaigns"]["pause"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/resume": Route<Client["campaigns"]["resume"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/cancel": Route<Client["campaigns"]["cancel"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/retry": Route<Client["campaigns"]["retry"], "accountId" | "id", 2, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/recipients/export": Route<Client["campaigns"]["export"], "accountId" | "id", 2, undefined>
  readonly "GET /accounts/:accountId/campaigns/:id/recipients": Route<Client["campaigns"]["recipients"], "accountId" | "id", undefined, 2>
  readonly "GET /accounts/:accountId/campaigns/:id/recipients/:contactId": Route<Client["campaigns"]["recipient"], "accountId" | "id" | "contactId", undefined, undefined>
  readonly "POST /accounts/:accountId/campaigns/:id/recount": Route<Client["campaigns"]["recount"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/webhooks": Route<Client["webhooks"]["create"], "accountId", 1, undefined>
  readonly "GET /accounts/:accountId/webhooks": Route<Client["webhooks"]["list"], "accountId", undefined, 1>
  readonly "DELETE /accounts/:accountId/webhooks/:id": Route<Client["webhooks"]["remove"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/webhooks/:id/test": Route<Client["webhooks"]["test"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/webhooks/:id/rotate-secret": Route<Client["webhooks"]["rotateSecret"], "accountId" | "id", undefined, undefined>
  readonly "GET /accounts/:accountId/notifications": Route<Client["webhooks"]["notifications"], "accountId", undefined, 1>
  readonly "GET /accounts/:accountId/notifications/:id": Route<Client["webhooks"]["notification"], "accountId" | "id", undefined, undefined>
  readonly "POST /accounts/:accountId/webhooks/:id/resend": Route<Client["webhooks"]["resend"], "accountId" | "id", 2, undefined>
  readonly "GET /accounts/:accountId/webhooks/:id/deliveries": Route<Client["webhooks"]["deliveries"], "accountId" | "id", undefined, 2>
  readonly "POST /logs/hash": Route<Client["logs"]["hash"], never, 0, undefined>
  readonly "POST /tokens": Route<Client["tokens"]["create"], never, 0, undefined>
  readonly "GET /tokens": Route<Client["tokens"]["list"], never, undefined, 0>
  readonly "DELETE /tokens/:id": Route<Client["tokens"]["revoke"], "id", undefined, undefined>
  readonly "POST /companies/:companyId/tokens": Route<Client["companyTokens"]["create"], "companyId", 1, undefined>
  readonly "GET /companies/:companyId/tokens": Route<Client["companyTokens"]["list"], "companyId", undefined, 1>
  readonly "DELETE /companies/:companyId/tokens/:id": Route<Client["companyTokens"]["revoke"], "companyId" | "id", undefined, undefined>
  readonly "POST /secrets/rotate": Route<Client["secrets"]["rotate"], never, undefined, undefined>
  readonly "GET /nodes": Route<Client["installation"]["nodes"], never, undefined, 0>
  readonly "GET /jobs": Route<Client["installation"]["jobs"], never, undefined, 0>
  readonly "GET /queues": Route<Client["installation"]["queues"], never, undefined, undefined>
  readonly "POST /jobs/:id/retry": Route<Client["installation"]["retryJob"], "id", undefined, undefined>
  readonly "DELETE /jobs/:id": Route<Client["installation"]["dropJob"], "id", undefined, undefined>
  readonly "GET /database": Route<Client["installation"]["database"], never, undefined, undefined>
  readonly "GET /certificates": Route<Client["installation"]["certificates"], never, undefined, undefined>
  readonly "GET /backups": Route<Client["installation"]["backups"], never, undefined, undefined>
  readonly "GET /logs": Route<Client["installation"]["lines"], never, undefined, 0>
  readonly "GET /alerts": Route<Client["installation"]["alerts"], never, undefined, undefined>
  readonly "GET /configuration": Route<Client["installation"]["configuration"], never, undefined, undefined>
  readonly "POST /clock/advance": Route<Client["installation"]["advanceClock"], never, 0, undefined>
  readonly "POST /shaping/classify": Route<Client["shaping"]["classify"], never, 0, undefined>
  readonly "GET /shaping/notices": Route<Client["shaping"]["notices"], never, undefined, 0>
  readonly "GET /shaping/explain": Route<Client["shaping"]["explain"], never, undefined, 0>
  readonly "POST /shaping/suspend": Route<Client["shaping"]["suspend"], never, 0, undefined>
  readonly "POST /shaping/resume": Route<Client["shaping"]["resume"], never, 0, undefined>
  readonly "POST /shaping/flush": Route<Client["shaping"]["flush"], never, 0, undefined>
  readonly "POST /shaping/bounce": Route<Client["shaping"]["bounce"], never, 0, undefined>
  readonly "GET /shaping/lanes": Route<Client["shaping"]["lanes"], never, undefined, 0>
  readonly "GET /shaping/providers": Route<Client["shaping"]["providers"], never, undefined, 0>
  readonly "PUT /shaping/overrides/:target": Route<Client["shaping"]["override"], "target", 1, undefined>
  readonly "DELETE /shaping/overrides/:target": Route<Client["shaping"]["removeOverride"], "target", undefined, undefined>
  readonly "POST /sources": Route<Client["sources"]["create"], never, 0, undefined>
  readonly "GET /sources": Route<Client["sources"]["list"], never, undefined, 0>
  readonly "GET /sources/spf": Route<Client["sources"]["spf"], never, undefined, undefined>
  readonly "GET /sources/plan": Route<Client["sources"]["plan"], never, undefined, undefined>
  readonly "GET /sources/:id": Route<Client["sources"]["get"], "id", undefined, undefined>
  readonly "PATCH /sources/:id": Route<Client["sources"]["change"], "id", 1, undefined>
  readonly "DELETE /sources/:id": Route<Client["sources"]["remove"], "id", undefined, undefined>
  readonly "POST /sources/:id/check": Route<Client["sources"]["check"], "id", undefined, undefined>
  readonly "POST /sources/:id/warm-up": Route<Client["sources"]["warmUp"], "id", 1, undefined>
  readonly "POST /sources/:id/pause": Route<Client["sources"]["pause"], "id", undefined, undefined>
  readonly "POST /sources/:id/activate": Route<Client["sources"]["activate"], "id", undefined, undefined>
  readonly "POST /pools": Route<Client["pools"]["create"], never, 0, undefined>
  readonly "GET /pools": Route<Client["pools"]["list"], never, undefined, 0>
  readonly "PATCH /pools/:key": Route<Client["pools"]["change"], "key", 1, undefined>
  readonly "DELETE /pools/:key": Route<Client["pools"]["remove"], "key", undefined, undefined>
  readonly "POST /relays": Route<Client["relays"]["create"], never, 0, undefined>
  readonly "GET /relays": Route<Client["relays"]["list"], never, undefined, 0>
  readonly "GET /relays/:id": Route<Client["relays"]["get"], "id", undefined, undefined>
  readonly "PATCH /relays/:id": Route<Client["relays"]["change"], "id", 1, undefined>
  readonly "DELETE /relays/:id": Route<Client["relays"]["remove"], "id", undefined, undefined>
  readonly "POST /relays/:id/check": Route<Client["relays"]["check"], "id", undefined, undefined>
  readonly "POST /companies/:companyId/relays": Route<Client["companyRelays"]["create"], "companyId", 1, undefined>
  readonly "GET /companies/:companyId/relays": Route<Client["companyRelays"]["list"], "companyId", undefined, 1>
  readonly "GET /companies/:companyId/shared-relays": Route<Client["companyRelays"]["shared"], "companyId", undefined, undefined>
  readonly "GET /companies/:companyId/relays/:id": Route<Client["companyRelays"]["get"], "companyId" | "id", undefined, undefined>
  readonly "PATCH /companies/:companyId/relays/:id": Route<Client["companyRelays"]["change"], "companyId" | "id", 2, undefined>
  readonly "DELETE /companies/:companyId/relays/:id": Route<Client["companyRelays"]["remove"], "companyId" | "id", undefined, undefined>
  readonly "POST /companies/:companyId/relays/:id/check": Route<Client["companyRelays"]["check"], "companyId" | "id", undefined, undefined>
  readonly "POST /session/start": Route<Client["session"]["start"], never, 0, undefined>
  readonly "POST /session/password": Route<Client["session"]["password"], never, 0, undefined>
  readonly "POST /session/passkey/options": Route<Client["session"]["passkeyOptions"], never, undefined, undefined>
  readonly "POST /session/passkey": Route<Client["session"]["passkey"], never, 0, undefined>
  readonly "GET /session": Route<Client["session"]["get"], never, undefined, undefined>
  readonly "POST /session/confirm": Route<Client["session"]["confirm"], never, 0, undefined>
  readonly "DELETE /session": Route<Client["session"]["signOut"], never, undefined, undefined>
  readonly "DELETE /sessions": Route<Client["session"]["signOutEverywhere"], never, undefined, undefined>
  readonly "POST /welcome": Route<Client["session"]["welcome"], never, 0, undefined>
  readonly "POST /welcome/passkey-options": Route<Client["session"]["welcomePasskey"], never, 0, undefined>
  readonly "POST /welcome/complete": Route<Client["session"]["complete"], never, 0, undefined>
  readonly "POST /password-resets": Route<Client["session"]["reset"], never, 0, undefined>
  readonly "GET /me": Route<Client["ownAccount"]["get"], never, undefined, undefined>
  readonly "PATCH /me": Route<Client["ownAccount"]["change"], never, 0, undefined>
  readonly "GET /me/totp": Route<Client["ownAccount"]["totp"], never, undefined, undefined>
  readonly "POST /me/totp": Route<Client["ownAccount"]["addTotp"], never, 0, undefined>
  readonly "DELETE /me/totp": Route<Client["ownAccount"]["removeTotp"], never, undefined, undefined>
  readonly "GET /me/recovery-codes": Route<Client["ownAccount"]["recoveryCodes"], never, undefined, undefined>
  readonly "POST /me/recovery-codes": Route<Client["ownAccount"]["renewRecoveryCodes"], never, undefined, undefined>
  readonly "GET /me/passkeys": Route<Client["ownAccount"]["passkeys"], never, undefined, undefined>
  readonly "POST /me/passkeys": Route<Client["ownAccount"]["addPasskey"], never, 0, undefined>
  readonly "PATCH /me/passkeys/:id": Route<Client["ownAccount"]["renamePasskey"], "id", 1, undefined>
  readonly "DELETE /me/passkeys/:id": Route<Client["ownAccount"]["removePasskey"], "id", undefined, undefined>
  readonly "GET /me/sessions": Route<Client["ownAccount"]["sessions"], never, undefined, 0>
  readonly "DELETE /me/sessions/:id": Route<Client["ownAccount"]["endSession"], "id", undefined, undefined>
  readonly "POST /me/tokens": Route<Client["personalTokens"]["create"], never, 0, undefined>
  readonly "GET /me/tokens": Route<Client["personalTokens"]["list"], never, undefined, 0>
  readonly "DELETE /me/tokens/:id": Route<Client["personalTokens"]["revoke"], "id", undefined, undefined>
  readonly "POST /device": Route<Client["device"]["begin"], never, undefined, undefined>
  readonly "POST /device/token": Route<Client["device"]["token"], never, 0, undefined>
  readonly "POST /device/confirm": Route<Client["device"]["confirm"], never, 0, undefined>
  readonly "POST /identity-providers": Route<Client["identityProviders"]["create"], never, 0, undefined>
  readonly "GET /identity-providers": Route<Client["identityProviders"]["list"], never, undefined, 0>
  readonly "DELETE /identity-providers/:id": Route<Client["identityProviders"]["remove"], "id", undefined, undefined>
  readonly "POST /companies/:companyId/identity-providers": Route<Client["companyProviders"]["create"], "companyId", 1, undefined>
  readonly "GET /companies/:companyId/identity-providers": Route<Client["companyProviders"]["list"], "companyId", undefined, 1>
  readonly "DELETE /companies/:companyId/identity-providers/:id": Route<Client["companyProviders"]["remove"], "companyId" | "id", undefined, undefined>
  readonly "GET /companies/:companyId/members": Route<Client["members"]["list"], "companyId", undefined, 1>
  readonly "POST /companies/:companyId/members": Route<Client["members"]["add"], "companyId", 1, undefined>
  readonly "PATCH /companies/:companyId/members/:userId": Route<Client["members"]["change"], "companyId" | "userId", 2, undefined>
  readonly "DELETE /companies/:companyId/members/:userId": Route<Client["members"]["remove"], "companyId" | "userId", undefined, undefined>
  readonly "GET /users": Route<Client["users"]["list"], never, undefined, 0>
  readonly "PATCH /users/:id": Route<Client["users"]["change"], "id", 1, undefined>
  readonly "POST /users/:id/sign-out": Route<Client["users"]["signOut"], "id", undefined, undefined>
}
