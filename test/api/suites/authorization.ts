/**
 * Tests authorization on every route of the definitions; a route without an entry here fails. Also tests that accounts are
 * isolated from each other, even within a company.
 *
 * @module
 */
import { createHmac } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { companyRights, installationRights } from "../../../core/model/Right.ts"
import { type Answer, call } from "../../support/client.ts"
import { allEndpoints, type Endpoint } from "../../support/endpoints.ts"
import {
  everyone,
  flowWrite,
  type FullAccount,
  fillAccount,
  triggerTokenOf
} from "../../support/fullAccount.ts"
import type { Page } from "../../support/shapes.ts"
import { connectStore, type TestStore } from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import {
  allPermissions,
  manage,
  openWorkspace,
  type TestAccount,
  type Workspace
} from "../../support/workspace.ts"

/** How a route is called, and the status that the owner gets. */
interface Use {
  readonly status: number
  /**
   * The permission of a route for API keys (docs/contributing/public-api.md "Authentication"), or the right of a management
   * route (docs/contributing/people.md 1).
   */
  readonly needs?: string
  readonly query?: string
  readonly json?: (own: FullAccount) => unknown
  /** A body that is not JSON. */
  readonly raw?: (own: FullAccount) => { readonly type: string; readonly body: string }
  /** Bodies and queries sent to another account that refer to the owner's resources. */
  readonly strange?: (others: FullAccount) => { readonly json?: unknown; readonly query?: string }
  readonly strangeStatus?: number
}

const read: Use = { status: 200 }
const named = (own: FullAccount) => ({ name: `${own.mark} again` })

/** Every route of an account. Those that delete come last. */
const uses: Readonly<Record<string, Use>> = {
  "GET /api/v1/contacts": {
    needs: "contacts:read",
    status: 200,
    strange: (others) => ({ query: `?segment=${others.segment}` }),
    strangeStatus: 404
  },
  "POST /api/v1/contacts": {
    needs: "contacts:write",
    status: 200,
    json: (own) => ({ id: own.contact, city: own.mark }),
    // The id is ignored in the look-up, and no contact is created without an email.
    strange: (others) => ({ json: { id: others.contact, city: "x" } }),
    strangeStatus: 400
  },
  "POST /api/v1/contacts/batch": {
    needs: "contacts:write",
    status: 200,
    json: (own) => ({ contacts: [{ id: own.contact, city: own.mark }] }),
    strange: (others) => ({ json: { contacts: [{ id: others.contact, city: "x" }] } }),
    strangeStatus: 200
  },
  "GET /api/v1/contacts/:reference": { ...read, needs: "contacts:read" },
  "POST /api/v1/contact-attributes": {
    needs: "contacts:write",
    status: 201,
    json: (own) => ({ key: `${own.mark}_2`, label: own.mark, type: "Text" })
  },
  "GET /api/v1/contact-attributes": { ...read, needs: "contacts:read" },
  "PATCH /api/v1/contact-attributes/:key": {
    needs: "contacts:write",
    status: 200,
    json: (own) => ({ label: own.mark })
  },
  "GET /api/v1/segments": { ...read, needs: "contacts:read" },
  "GET /api/v1/topics": { ...read, needs: "contacts:read" },
  "POST /api/v1/sending/emails": {
    needs: "emails:send",
    status: 201,
    json: (own) => ({ to: `${own.mark}@people.example`, templateId: own.template }),
    strange: (others) => ({ json: { to: "eve@people.example", templateId: others.template } }),
    strangeStatus: 400
  },
  "GET /api/v1/sending/emails/:id": { ...read, needs: "emails:read" },
  "POST /api/v1/items": {
    needs: "items:write",
    status: 200,
    json: (own) => ({ id: own.item, name: own.mark })
  },
  "POST /api/v1/items/batch": {
    needs: "items:write",
    status: 200,
    json: (own) => ({ items: [{ id: own.item, name: own.mark }] })
  },
  "GET /api/v1/items/:externalId": { ...read, needs: "items:read" },
  "GET /api/v1/commerce/orders": {
    needs: "orders:read",
    status: 200,
    query: "?view=All",
    strange: (others) => ({ query: `?view=All&storeId=${others.store.id}` }),
    strangeStatus: 200
  },
  "POST /api/v1/events": {
    needs: "events:write",
    status: 200,
    json: (own) => ({
      events: [{ id: own.mark, name: "thing.done", contact: { email: `${own.mark}@people.example` } }]
    })
  },
  "GET /manage/v1/accounts/:accountId": { ...read, needs: "company:read" },
  "PATCH /manage/v1/accounts/:accountId/settings": {
    needs: "settings:write",
    status: 200,
    json: () => ({ retentionDays: 30 })
  },
  "GET /manage/v1/accounts/:accountId/audit-log": { ...read, needs: "audit:read" },
  "GET /manage/v1/accounts/:accountId/audit-log/export": {
    ...read,
    needs: "audit:read",
    query: "?format=Ndjson"
  },
  "GET /manage/v1/accounts/:accountId/requests": { ...read, needs: "requests:read" },
  "GET /manage/v1/accounts/:accountId/stream": { ...read, needs: "SignedIn" },
  "GET /manage/v1/accounts/:accountId/search": { ...read, needs: "SignedIn", query: "?q=nothing" },
  "GET /manage/v1/accounts/:accountId/usage": { ...read, needs: "company:read" },
  "GET /manage/v1/accounts/:accountId/stats": { ...read, needs: "stats:read" },
  "POST /manage/v1/accounts/:accountId/api-keys": {
    needs: "keys:write",
    status: 201,
    json: (own) => ({ name: own.mark, permissions: ["contacts:read"], expiresInDays: 30 })
  },
  "GET /manage/v1/accounts/:accountId/api-keys": { ...read, needs: "keys:read" },
  "POST /manage/v1/accounts/:accountId/domains": {
    needs: "domains:write",
    status: 201,
    json: (own) => ({ domain: `${own.mark}-2.example` })
  },
  "GET /manage/v1/accounts/:accountId/domains": { ...read, needs: "domains:read" },
  "GET /manage/v1/accounts/:accountId/reports/dmarc": { ...read, needs: "domains:read" },
  "GET /manage/v1/accounts/:accountId/reports/tls": { ...read, needs: "domains:read" },
  "POST /manage/v1/accounts/:accountId/domains/:id/verify": { ...read, needs: "domains:write" },
  "POST /manage/v1/accounts/:accountId/domains/:id/rotate-dkim": { ...read, needs: "domains:write" },
  "POST /manage/v1/accounts/:accountId/suppressions": {
    needs: "suppressions:write",
    status: 201,
    json: (own) => ({ email: `${own.mark}@suppressed.example`, kind: "Bounced" })
  },
  "GET /manage/v1/accounts/:accountId/suppressions": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/emails": { ...read, needs: "emails:read" },
  "GET /manage/v1/accounts/:accountId/emails/:id": { ...read, needs: "emails:read" },
  "GET /manage/v1/accounts/:accountId/emails/:id/content": { ...read, needs: "emails:content" },
  "GET /manage/v1/accounts/:accountId/emails/:id/raw": { ...read, needs: "emails:content" },
  "GET /manage/v1/accounts/:accountId/emails/:id/frame": { ...read, needs: "emails:content" },
  "POST /manage/v1/accounts/:accountId/emails/:id/resend": { needs: "emails:send", status: 201 },
  "POST /manage/v1/accounts/:accountId/emails/:id/cancel": { needs: "emails:send", status: 409 },
  "POST /manage/v1/accounts/:accountId/emails/:id/release": { needs: "emails:release", status: 409 },
  "POST /manage/v1/accounts/:accountId/emails/:id/refuse": { needs: "emails:release", status: 409 },
  "GET /manage/v1/accounts/:accountId/alignment": {
    needs: "domains:read",
    status: 404,
    query: "?domain=nowhere.example"
  },
  "GET /manage/v1/accounts/:accountId/notices": { ...read, needs: "domains:read" },
  "GET /manage/v1/accounts/:accountId/standing": { ...read, needs: "stats:read" },
  "POST /manage/v1/accounts/:accountId/standing/lift": {
    needs: "installation:operate",
    status: 409,
    json: () => ({ reason: "The list was cleaned." })
  },
  "POST /manage/v1/accounts/:accountId/standing/observations": {
    needs: "domains:write",
    status: 400,
    json: () => []
  },
  "GET /manage/v1/accounts/:accountId/inbox": { ...read, needs: "emails:read" },
  "GET /manage/v1/accounts/:accountId/inbox/:id": { ...read, needs: "emails:read" },
  "GET /manage/v1/accounts/:accountId/inbox/:id/raw": { ...read, needs: "emails:read" },
  "GET /manage/v1/accounts/:accountId/inbox/:id/frame": { ...read, needs: "emails:read" },
  "POST /manage/v1/accounts/:accountId/inbox/:id/simulate": {
    needs: "emails:send",
    status: 200,
    json: () => ({ kind: "Open" })
  },
  "GET /manage/v1/accounts/:accountId/contacts/:id/consent-history": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/contacts/:id/runs": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/contacts/:id/devices": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/contacts/:id/topics": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/contacts/:id/timeline": { ...read, needs: "contacts:read" },
  "POST /manage/v1/accounts/:accountId/contacts/:id/double-opt-in": { ...read, needs: "consent:write" },
  "POST /manage/v1/accounts/:accountId/contacts/:id/double-opt-in/email": {
    status: 202,
    needs: "consent:write"
  },
  "POST /manage/v1/accounts/:accountId/contacts/:id/links": { ...read, needs: "consent:write" },
  "GET /manage/v1/accounts/:accountId/contacts": { ...read, needs: "contacts:read" },
  "POST /manage/v1/accounts/:accountId/contacts": {
    needs: "contacts:write",
    status: 200,
    json: (own) => ({ id: own.contact, city: own.mark }),
    strange: (others) => ({ json: { id: others.contact, city: "x" } }),
    strangeStatus: 400
  },
  "GET /manage/v1/accounts/:accountId/contacts/:id": { ...read, needs: "contacts:read" },
  "PATCH /manage/v1/accounts/:accountId/contacts/:id": {
    needs: "contacts:write",
    status: 200,
    json: (own) => ({ city: own.mark })
  },
  "GET /manage/v1/accounts/:accountId/contacts/:id/consent-history/export": {
    ...read,
    needs: "contacts:read"
  },
  "POST /manage/v1/accounts/:accountId/contacts/bulk": {
    needs: "contacts:write",
    status: 202,
    json: (own) => ({ ids: [own.contact], action: { kind: "AddTag", tag: own.mark } })
  },
  "POST /manage/v1/accounts/:accountId/views": {
    needs: "SignedIn",
    status: 201,
    json: (own) => ({ name: own.mark, list: "contacts" })
  },
  "GET /manage/v1/accounts/:accountId/views": { ...read, needs: "SignedIn" },
  "PATCH /manage/v1/accounts/:accountId/views/:id": { needs: "SignedIn", status: 200, json: named },
  "GET /manage/v1/accounts/:accountId/jobs": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/exports": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/jobs/:id": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/jobs/:id/report": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/explain": {
    needs: "contacts:read",
    status: 400,
    strange: (others) => ({ query: `?contact=${others.contact}&email=${others.email}` }),
    strangeStatus: 404
  },
  "POST /manage/v1/accounts/:accountId/contact-attributes": {
    needs: "fields:write",
    status: 201,
    json: (own) => ({ key: `${own.mark}_3`, label: own.mark, type: "Text" })
  },
  "GET /manage/v1/accounts/:accountId/contact-attributes": { ...read, needs: "segments:read" },
  "PATCH /manage/v1/accounts/:accountId/contact-attributes/:key": {
    needs: "fields:write",
    status: 200,
    json: (own) => ({ label: own.mark })
  },
  "GET /manage/v1/accounts/:accountId/notifications": { ...read, needs: "webhooks:read" },
  "GET /manage/v1/accounts/:accountId/notifications/:id": { ...read, needs: "webhooks:read" },
  "POST /manage/v1/accounts/:accountId/imports": {
    needs: "contacts:import",
    status: 202,
    raw: () => ({ type: "text/csv", body: "email\nnew@people.example\n" })
  },
  "GET /manage/v1/accounts/:accountId/imports": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/export": { ...read, needs: "archive:export" },
  "POST /manage/v1/accounts/:accountId/import": {
    needs: "archive:export",
    status: 200,
    raw: ({ account: { accountId } }) => ({
      type: "application/x-ndjson",
      body: JSON.stringify({
        kind: "header",
        format: "svc-account",
        version: 1,
        accountId,
        mode: "Sandbox",
        exportedAt: "2031-01-01T00:00:00.000Z"
      })
    })
  },
  "GET /manage/v1/accounts/:accountId/imports/:id": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/imports/:id/errors": { ...read, needs: "contacts:read" },
  "POST /manage/v1/accounts/:accountId/events": {
    needs: "contacts:write",
    status: 200,
    json: (own) => ({
      id: `${own.mark}-2`,
      name: "thing.done",
      contact: { email: `${own.mark}@people.example` }
    })
  },
  "GET /manage/v1/accounts/:accountId/events": {
    needs: "events:read",
    ...read,
    strange: (others) => ({ query: `?contactId=${others.contact}` }),
    strangeStatus: 200
  },
  "POST /manage/v1/accounts/:accountId/flows": {
    needs: "flows:write",
    status: 201,
    json: (own) => flowWrite(own.mark)
  },
  "GET /manage/v1/accounts/:accountId/flows": { ...read, needs: "flows:read" },
  "GET /manage/v1/accounts/:accountId/flows/:id": { ...read, needs: "flows:read" },
  "PUT /manage/v1/accounts/:accountId/flows/:id": {
    needs: "flows:write",
    status: 200,
    json: (own) => flowWrite(own.mark)
  },
  "POST /manage/v1/accounts/:accountId/flows/:id/publish": { ...read, needs: "flows:publish" },
  "POST /manage/v1/accounts/:accountId/flows/:id/start": {
    needs: "flows:publish",
    status: 201,
    json: (own) => ({ contactId: own.contact }),
    strange: (others) => ({ json: { contactId: others.contact } }),
    strangeStatus: 404
  },
  "GET /manage/v1/accounts/:accountId/flows/:id/versions": { ...read, needs: "flows:read" },
  "GET /manage/v1/accounts/:accountId/flows/:id/versions/:version": { ...read, needs: "flows:read" },
  "POST /manage/v1/accounts/:accountId/flows/:id/runs/:runId/stop": { needs: "flows:publish", status: 404 },
  "POST /manage/v1/accounts/:accountId/flows/:id/pause": { ...read, needs: "flows:publish" },
  "POST /manage/v1/accounts/:accountId/flows/:id/trigger-token": { ...read, needs: "flows:write" },
  "GET /manage/v1/accounts/:accountId/flows/:id/webhook-secret": { ...read, needs: "flows:write" },
  "GET /manage/v1/accounts/:accountId/flows/:id/runs": { ...read, needs: "flows:read" },
  "GET /manage/v1/accounts/:accountId/flows/:id/stats": { ...read, needs: "flows:read" },
  "POST /manage/v1/accounts/:accountId/flows/:id/simulate": {
    needs: "flows:read",
    status: 200,
    json: (own) => ({ contact: { email: `${own.mark}@people.example` } })
  },
  "POST /manage/v1/accounts/:accountId/flows/:id/archive": { ...read, needs: "flows:publish" },
  "GET /manage/v1/accounts/:accountId/flow-blueprints": { ...read, needs: "flows:read" },
  "POST /manage/v1/accounts/:accountId/flow-blueprints/:key/install": { needs: "flows:write", status: 201 },
  "POST /manage/v1/accounts/:accountId/images": {
    needs: "templates:write",
    status: 201,
    raw: () => ({ type: "image/gif", body: "GIF89a\u0001\u0000\u0001\u0000\u0000\u0000;" })
  },
  "GET /manage/v1/accounts/:accountId/images": { ...read, needs: "templates:read" },
  "GET /manage/v1/accounts/:accountId/images/:id": { ...read, needs: "templates:read" },
  "POST /manage/v1/accounts/:accountId/segments": {
    needs: "segments:write",
    status: 201,
    json: (own) => ({ ...named(own), definition: everyone })
  },
  "POST /manage/v1/accounts/:accountId/segments/preview": {
    needs: "segments:read",
    status: 200,
    json: () => ({ definition: everyone })
  },
  "POST /manage/v1/accounts/:accountId/segments/reach": {
    needs: "segments:read",
    status: 200,
    json: () => ({ definition: everyone })
  },
  "GET /manage/v1/accounts/:accountId/segments/sizes": { ...read, needs: "segments:read" },
  "GET /manage/v1/accounts/:accountId/segments/fields": { ...read, needs: "segments:read" },
  "GET /manage/v1/accounts/:accountId/segments/values": {
    ...read,
    needs: "contacts:read",
    query: "?field=tags"
  },
  "GET /manage/v1/accounts/:accountId/segments": { ...read, needs: "segments:read" },
  "GET /manage/v1/accounts/:accountId/segments/:id": { ...read, needs: "segments:read" },
  "GET /manage/v1/accounts/:accountId/segments/:id/usage": { ...read, needs: "segments:read" },
  "PATCH /manage/v1/accounts/:accountId/segments/:id": { needs: "segments:write", status: 200, json: named },
  "POST /manage/v1/accounts/:accountId/topics": {
    needs: "topics:write",
    status: 201,
    json: (own) => ({ key: `${own.mark}_2`, name: own.mark })
  },
  "POST /manage/v1/accounts/:accountId/campaigns": { needs: "campaigns:write", status: 201, json: named },
  "POST /manage/v1/accounts/:accountId/campaigns/audience": {
    needs: "campaigns:read",
    status: 200,
    json: (own) => ({ audience: { segments: [own.segment], exclude: [] } }),
    strange: (others) => ({ json: { audience: { segments: [others.segment], exclude: [] } } }),
    strangeStatus: 400
  },
  "GET /manage/v1/accounts/:accountId/campaigns": { ...read, needs: "campaigns:read" },
  "GET /manage/v1/accounts/:accountId/campaigns/:id": { ...read, needs: "campaigns:read" },
  "PATCH /manage/v1/accounts/:accountId/campaigns/:id": {
    needs: "campaigns:write",
    status: 200,
    json: named
  },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/copy": {
    needs: "campaigns:write",
    status: 201,
    json: () => ({})
  },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/check": { ...read, needs: "campaigns:read" },
  "POST /manage/v1/accounts/:accountId/campaigns/preview": {
    needs: "campaigns:read",
    status: 200,
    json: (own) => ({ contactId: own.contact, content: { subject: "x", text: "x" } }),
    strange: (others) => ({ json: { contactId: others.contact, content: { subject: "x", text: "x" } } }),
    strangeStatus: 404
  },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/preview": {
    needs: "campaigns:read",
    status: 200,
    json: (own) => ({ contactId: own.contact }),
    strange: (others) => ({ json: { contactId: others.contact } }),
    strangeStatus: 404
  },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/test": {
    needs: "campaigns:write",
    status: 202,
    json: () => ({ to: ["me@example.org"] })
  },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/approval": {
    needs: "campaigns:read",
    status: 200,
    json: () => ({ action: "Reject" })
  },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/winner": {
    needs: "campaigns:send",
    status: 409,
    json: () => ({ variantId: "a" })
  },
  "GET /manage/v1/accounts/:accountId/campaigns/:id/stats": { ...read, needs: "campaigns:read" },
  "GET /manage/v1/accounts/:accountId/campaigns/:id/links": { ...read, needs: "campaigns:read" },
  "GET /manage/v1/accounts/:accountId/campaigns/:id/versions": { ...read, needs: "campaigns:read" },
  "GET /manage/v1/accounts/:accountId/campaigns/:id/versions/:version": {
    needs: "campaigns:read",
    status: 404
  },
  "GET /manage/v1/accounts/:accountId/campaigns/:id/history": { ...read, needs: "campaigns:read" },
  "GET /manage/v1/accounts/:accountId/campaigns/compare": {
    needs: "campaigns:read",
    status: 400,
    query: "?ids=none"
  },
  // The campaign is a draft without an audience.
  "POST /manage/v1/accounts/:accountId/campaigns/:id/launch": { needs: "campaigns:send", status: 400 },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/unschedule": { ...read, needs: "campaigns:write" },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/pause": { needs: "campaigns:send", status: 409 },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/resume": { needs: "campaigns:send", status: 409 },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/cancel": { needs: "campaigns:send", status: 409 },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/retry": {
    needs: "campaigns:send",
    status: 409,
    json: () => ({ what: ["RenderFailed"] })
  },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/recipients/export": {
    needs: "contacts:export",
    status: 202,
    json: () => ({ format: "Csv" })
  },
  "GET /manage/v1/accounts/:accountId/campaigns/:id/recipients": { ...read, needs: "contacts:read" },
  "GET /manage/v1/accounts/:accountId/campaigns/:id/recipients/:contactId": {
    needs: "contacts:read",
    status: 404
  },
  "POST /manage/v1/accounts/:accountId/campaigns/:id/recount": { ...read, needs: "campaigns:read" },
  "GET /manage/v1/accounts/:accountId/topics": { ...read, needs: "segments:read" },
  "PATCH /manage/v1/accounts/:accountId/topics/:id": { needs: "topics:write", status: 200, json: named },
  "POST /manage/v1/accounts/:accountId/stores": {
    needs: "stores:write",
    status: 201,
    json: (own) => ({
      platform: "Custom",
      name: own.mark,
      domain: `${own.mark}-2.example`,
      consentMode: "Explicit"
    })
  },
  "GET /manage/v1/accounts/:accountId/stores/:id/events": { ...read, needs: "orders:read" },
  "POST /manage/v1/accounts/:accountId/stores/:id/events/replay": {
    needs: "stores:write",
    status: 202,
    json: () => ({})
  },
  "GET /manage/v1/accounts/:accountId/orders": { ...read, needs: "orders:read" },
  "GET /manage/v1/accounts/:accountId/items": { ...read, needs: "catalog:read" },
  "POST /manage/v1/accounts/:accountId/items/batch": {
    needs: "catalog:write",
    status: 200,
    json: (own) => ({ items: [{ id: own.item, name: own.mark }] })
  },
  "GET /manage/v1/accounts/:accountId/items/:id/usage": { ...read, needs: "catalog:read" },
  "GET /manage/v1/accounts/:accountId/orders/:id": { needs: "orders:read", status: 404 },
  "GET /manage/v1/accounts/:accountId/stores": { ...read, needs: "orders:read" },
  "POST /manage/v1/accounts/:accountId/templates": {
    needs: "templates:write",
    status: 201,
    json: (own) => ({ ...named(own), subject: "s", text: "t" })
  },
  "GET /manage/v1/accounts/:accountId/templates": { ...read, needs: "templates:read" },
  "GET /manage/v1/accounts/:accountId/templates/:id": { ...read, needs: "templates:read" },
  "PATCH /manage/v1/accounts/:accountId/templates/:id": {
    needs: "templates:write",
    status: 200,
    json: named
  },
  "GET /manage/v1/accounts/:accountId/templates/:id/versions": { ...read, needs: "templates:read" },
  "GET /manage/v1/accounts/:accountId/templates/:id/versions/:version": { ...read, needs: "templates:read" },
  "GET /manage/v1/accounts/:accountId/templates/:id/usage": { ...read, needs: "templates:read" },
  "GET /manage/v1/accounts/:accountId/templates/:id/frame": { ...read, needs: "templates:read" },
  "POST /manage/v1/accounts/:accountId/templates/:id/restore": {
    needs: "templates:write",
    status: 200,
    json: () => ({ version: 1 })
  },
  "POST /manage/v1/accounts/:accountId/templates/:id/test": {
    needs: "emails:send",
    status: 202,
    json: (own) => ({ to: `${own.mark}@people.example` }),
    strange: (others) => ({ json: { to: "eve@people.example", contactId: others.contact } }),
    strangeStatus: 404
  },
  "POST /manage/v1/accounts/:accountId/templates/preview": {
    needs: "templates:read",
    status: 200,
    json: (own) => ({ subject: own.mark, html: "<p></p>" }),
    strange: (others) => ({ json: { subject: "s", html: "<p></p>", contactId: others.contact } }),
    strangeStatus: 404
  },
  "GET /manage/v1/accounts/:accountId/frames/:id": { needs: "templates:read", status: 404 },
  "GET /manage/v1/accounts/:accountId/template-starters": { ...read, needs: "templates:read" },
  "GET /manage/v1/accounts/:accountId/template-starters/:key/frame": { ...read, needs: "templates:read" },
  "POST /manage/v1/accounts/:accountId/templates/:id/render": {
    needs: "templates:read",
    status: 200,
    json: () => ({})
  },
  "POST /manage/v1/accounts/:accountId/erasures": {
    needs: "contacts:erase",
    status: 200,
    json: () => ({ contactIds: [] })
  },
  "POST /manage/v1/accounts/:accountId/webhooks": {
    needs: "webhooks:write",
    status: 201,
    json: (own) => ({ url: "http://127.0.0.1:9/", events: [], description: own.mark })
  },
  "GET /manage/v1/accounts/:accountId/webhooks": { ...read, needs: "webhooks:read" },
  "POST /manage/v1/accounts/:accountId/webhooks/:id/test": { needs: "webhooks:write", status: 202 },
  "POST /manage/v1/accounts/:accountId/webhooks/:id/resend": {
    needs: "webhooks:write",
    status: 202,
    json: (own) => ({ notificationIds: [own.notification] })
  },
  "POST /manage/v1/accounts/:accountId/webhooks/:id/rotate-secret": { ...read, needs: "webhooks:write" },
  "GET /manage/v1/accounts/:accountId/webhooks/:id/deliveries": { ...read, needs: "webhooks:read" },
  "DELETE /api/v1/contacts/:reference": { ...read, needs: "contacts:erase" },
  "DELETE /manage/v1/accounts/:accountId/views/:id": { ...read, needs: "SignedIn" },
  "DELETE /manage/v1/accounts/:accountId/jobs/:id": { needs: "contacts:write", status: 409 },
  "DELETE /manage/v1/accounts/:accountId/contacts/:id": { ...read, needs: "contacts:erase" },
  "DELETE /api/v1/items/:externalId": { ...read, needs: "items:write" },
  "DELETE /manage/v1/accounts/:accountId/api-keys/:id": { ...read, needs: "keys:write" },
  "DELETE /manage/v1/accounts/:accountId/domains/:id": { ...read, needs: "domains:write" },
  "DELETE /manage/v1/accounts/:accountId/suppressions/:email": { ...read, needs: "suppressions:write" },
  "DELETE /manage/v1/accounts/:accountId/imports/:id": { needs: "contacts:import", status: 409 },
  "DELETE /manage/v1/accounts/:accountId/campaigns/:id": { ...read, needs: "campaigns:write" },
  "DELETE /manage/v1/accounts/:accountId/images/:id": { ...read, needs: "templates:write" },
  "DELETE /manage/v1/accounts/:accountId/segments/:id": { ...read, needs: "segments:write" },
  "DELETE /manage/v1/accounts/:accountId/stores/:id": { ...read, needs: "stores:write" },
  "DELETE /manage/v1/accounts/:accountId/templates/:id": { ...read, needs: "templates:write" },
  "DELETE /manage/v1/accounts/:accountId/webhooks/:id": { ...read, needs: "webhooks:write" }
}

/** The rights that routes of the installation and of companies require (docs/contributing/people.md 1). */
const operatorNeeds: Readonly<Record<string, string>> = {
  "POST /manage/v1/companies": "companies:write",
  "POST /manage/v1/logs/hash": "installation:read",
  "GET /manage/v1/companies": "SignedIn",
  "GET /manage/v1/nodes": "installation:read",
  "GET /manage/v1/jobs": "installation:read",
  "GET /manage/v1/queues": "installation:read",
  "POST /manage/v1/jobs/:id/retry": "installation:operate",
  "DELETE /manage/v1/jobs/:id": "installation:operate",
  "GET /manage/v1/database": "installation:read",
  "GET /manage/v1/certificates": "installation:read",
  "GET /manage/v1/backups": "installation:read",
  "GET /manage/v1/logs": "installation:read",
  "GET /manage/v1/alerts": "installation:read",
  "GET /manage/v1/configuration": "installation:read",
  "POST /manage/v1/clock/advance": "installation:operate",
  "POST /manage/v1/shaping/classify": "installation:read",
  "GET /manage/v1/shaping/notices": "installation:read",
  "GET /manage/v1/shaping/explain": "installation:read",
  "POST /manage/v1/shaping/suspend": "installation:operate",
  "POST /manage/v1/shaping/resume": "installation:operate",
  "POST /manage/v1/shaping/flush": "installation:operate",
  "POST /manage/v1/shaping/bounce": "installation:operate",
  "GET /manage/v1/shaping/lanes": "installation:read",
  "GET /manage/v1/shaping/providers": "installation:read",
  "PUT /manage/v1/shaping/overrides/:target": "installation:operate",
  "DELETE /manage/v1/shaping/overrides/:target": "installation:operate",
  "GET /metrics": "metrics:read",
  "POST /manage/v1/tokens": "users:operate",
  "GET /manage/v1/tokens": "users:operate",
  "DELETE /manage/v1/tokens/:id": "users:operate",
  "POST /manage/v1/secrets/rotate": "installation:operate",
  "DELETE /manage/v1/companies/:companyId/members/:userId": "members:write",
  "GET /manage/v1/companies/:companyId/members": "members:read",
  "GET /manage/v1/users": "users:operate",
  "PATCH /manage/v1/companies/:companyId/members/:userId": "members:write",
  "PATCH /manage/v1/users/:id": "users:operate",
  "POST /manage/v1/companies/:companyId/members": "members:write",
  "POST /manage/v1/users/:id/sign-out": "users:operate",
  "GET /manage/v1/audit-log": "installation:read",
  "GET /manage/v1/audit-log/export": "installation:read",
  "GET /manage/v1/companies/:companyId/audit-log": "audit:read",
  "GET /manage/v1/companies/:companyId/audit-log/export": "audit:read",
  "POST /manage/v1/companies/:companyId/tokens": "tokens:write",
  "GET /manage/v1/companies/:companyId/tokens": "tokens:write",
  "DELETE /manage/v1/companies/:companyId/identity-providers/:id": "members:write",
  "DELETE /manage/v1/identity-providers/:id": "users:operate",
  "GET /manage/v1/companies/:companyId/identity-providers": "members:write",
  "GET /manage/v1/identity-providers": "users:operate",
  "POST /manage/v1/companies/:companyId/identity-providers": "members:write",
  "POST /manage/v1/identity-providers": "users:operate",
  "DELETE /manage/v1/companies/:companyId/tokens/:id": "tokens:write",
  "GET /manage/v1/companies/:companyId": "company:read",
  "PATCH /manage/v1/companies/:companyId": "company:write",
  "DELETE /manage/v1/companies/:companyId": "company:delete",
  "POST /manage/v1/companies/:companyId/restore": "company:delete",
  "GET /manage/v1/companies/:companyId/brand": "company:read",
  "PUT /manage/v1/companies/:companyId/brand": "brand:write",
  "POST /manage/v1/sources": "installation:operate",
  "GET /manage/v1/sources": "installation:read",
  "GET /manage/v1/sources/spf": "installation:read",
  "GET /manage/v1/sources/plan": "installation:read",
  "GET /manage/v1/sources/:id": "installation:read",
  "PATCH /manage/v1/sources/:id": "installation:operate",
  "DELETE /manage/v1/sources/:id": "installation:operate",
  "POST /manage/v1/sources/:id/check": "installation:operate",
  "POST /manage/v1/sources/:id/warm-up": "installation:operate",
  "POST /manage/v1/sources/:id/pause": "installation:operate",
  "POST /manage/v1/sources/:id/activate": "installation:operate",
  "POST /manage/v1/pools": "installation:operate",
  "GET /manage/v1/pools": "installation:read",
  "PATCH /manage/v1/pools/:key": "installation:operate",
  "DELETE /manage/v1/pools/:key": "installation:operate",
  "GET /manage/v1/companies/:companyId/page-texts": "company:read",
  "PUT /manage/v1/companies/:companyId/page-texts/:language": "brand:write",
  "POST /manage/v1/relays": "installation:operate",
  "GET /manage/v1/relays": "installation:read",
  "GET /manage/v1/relays/:id": "installation:read",
  "PATCH /manage/v1/relays/:id": "installation:operate",
  "DELETE /manage/v1/relays/:id": "installation:operate",
  "POST /manage/v1/relays/:id/check": "installation:operate",
  "POST /manage/v1/companies/:companyId/relays": "relays:write",
  "GET /manage/v1/companies/:companyId/relays": "relays:read",
  "GET /manage/v1/companies/:companyId/shared-relays": "relays:read",
  "GET /manage/v1/companies/:companyId/relays/:id": "relays:read",
  "PATCH /manage/v1/companies/:companyId/relays/:id": "relays:write",
  "DELETE /manage/v1/companies/:companyId/relays/:id": "relays:write",
  "POST /manage/v1/companies/:companyId/relays/:id/check": "relays:write",
  "POST /manage/v1/companies/:companyId/access": "companies:write",
  "DELETE /manage/v1/companies/:companyId/access": "companies:write"
}

/** The routes that require a session to have confirmed a factor in the last 15 minutes (docs/contributing/people.md 2). */
const confirmedRoutes: ReadonlyArray<string> = [
  // Creating keys and tokens.
  "POST /manage/v1/accounts/:accountId/api-keys",
  "POST /manage/v1/companies/:companyId/tokens",
  "POST /manage/v1/tokens",
  // Members, roles and users.
  "DELETE /manage/v1/companies/:companyId/members/:userId",
  "PATCH /manage/v1/companies/:companyId/members/:userId",
  "PATCH /manage/v1/users/:id",
  "POST /manage/v1/companies/:companyId/members",
  // Identity providers, and devices that get a token.
  "DELETE /manage/v1/companies/:companyId/identity-providers/:id",
  "DELETE /manage/v1/identity-providers/:id",
  "POST /manage/v1/companies/:companyId/identity-providers",
  "POST /manage/v1/identity-providers",
  "POST /manage/v1/device/confirm",
  "POST /manage/v1/me/tokens",
  // Factors.
  "DELETE /manage/v1/me/passkeys/:id",
  "DELETE /manage/v1/me/totp",
  "POST /manage/v1/me/passkeys",
  "POST /manage/v1/me/recovery-codes",
  "POST /manage/v1/me/totp",
  // Exports.
  "GET /manage/v1/accounts/:accountId/audit-log/export",
  "GET /manage/v1/accounts/:accountId/export",
  "POST /manage/v1/accounts/:accountId/campaigns/:id/recipients/export",
  "GET /manage/v1/audit-log/export",
  "GET /manage/v1/companies/:companyId/audit-log/export",
  // Erasing more than one person, which deleting a company eventually does.
  "DELETE /manage/v1/companies/:companyId",
  "POST /manage/v1/accounts/:accountId/erasures (ByBody)",
  "POST /manage/v1/accounts/:accountId/contacts/bulk (ByBody)",
  "GET /manage/v1/accounts/:accountId/jobs/:id/report (ByBody)",
  // Email to many people.
  "POST /manage/v1/accounts/:accountId/campaigns/:id/launch (ByBody)",
  // Stores and domains.
  "DELETE /manage/v1/accounts/:accountId/domains/:id",
  "DELETE /manage/v1/accounts/:accountId/stores/:id"
]

/** Routes outside accounts, each with the credential that it requires. */
const others: Readonly<
  Record<string, "operator" | "session" | "store" | "flow" | "signature" | "link" | "public">
> = {
  "DELETE /manage/v1/me/passkeys/:id": "session",
  "GET /manage/v1/me/passkeys": "session",
  "PATCH /manage/v1/me/passkeys/:id": "session",
  "POST /manage/v1/me/passkeys": "session",
  "DELETE /manage/v1/me/sessions/:id": "session",
  "DELETE /manage/v1/me/tokens/:id": "session",
  "GET /manage/v1/me/tokens": "session",
  "POST /manage/v1/me/tokens": "session",
  "POST /manage/v1/device/confirm": "session",
  "POST /manage/v1/device": "public",
  "GET /manage/v1/session/provider/:id": "public",
  "GET /manage/v1/session/provider/:id/callback": "public",
  "POST /manage/v1/device/token": "public",
  "DELETE /manage/v1/me/totp": "session",
  "DELETE /manage/v1/session": "session",
  "DELETE /manage/v1/sessions": "session",
  "GET /manage/v1/me": "session",
  "GET /manage/v1/me/recovery-codes": "session",
  "GET /manage/v1/me/sessions": "session",
  "GET /manage/v1/me/totp": "session",
  "GET /manage/v1/session": "session",
  "PATCH /manage/v1/me": "session",
  "POST /manage/v1/me/recovery-codes": "session",
  "POST /manage/v1/me/totp": "session",
  "POST /manage/v1/session/confirm": "session",
  "POST /manage/v1/password-resets": "public",
  "POST /manage/v1/session/password": "public",
  "POST /manage/v1/session/passkey": "public",
  "POST /manage/v1/session/passkey/options": "public",
  "POST /manage/v1/session/start": "public",
  "POST /manage/v1/welcome": "public",
  "POST /manage/v1/welcome/complete": "public",
  "POST /manage/v1/welcome/passkey-options": "public",
  ...Object.fromEntries(Object.keys(operatorNeeds).map((name) => [name, "operator" as const])),
  "POST /ingest/v1/stores/:storeId/events": "store",
  "POST /flows/:flowId/trigger": "flow",
  "POST /ingest/v1/stores/:storeId/shopify": "signature",
  "POST /ingest/v1/stores/:storeId/woocommerce": "signature",
  "POST /ingest/v1/relays/:relayId/feedback": "signature",
  "GET /c/:token": "link",
  "POST /c/:token": "link",
  "GET /w/:token": "link",
  "GET /a/:key": "link",
  "GET /a/:key/:slug": "link",
  "GET /p/:token": "link",
  "POST /p/:token": "link",
  "GET /u/:token": "link",
  "POST /u/:token": "link",
  "GET /t/o/:token": "link",
  "GET /t/c/:token": "link",
  "GET /mail-images/:token": "link",
  "GET /i/:key": "link",
  "GET /app/*": "public",
  "GET /docs": "public",
  "GET /docs/": "public",
  "GET /docs.md": "public",
  "GET /docs/:page": "public",
  "GET /docs/assets/:file": "public",
  "GET /": "public",
  "GET /favicon.ico": "public",
  "GET /favicon.svg": "public",
  "GET /llms.txt": "public",
  "GET /llms-full.txt": "public",
  "GET /openapi/public-v1.json": "public",
  "GET /openapi/management-v1.json": "public",
  "GET /svc-api.postman_collection.json": "public",
  "GET /health/live": "public",
  "GET /health/ready": "public"
}

/** The resource that a path refers to, by the name of the collection before it. */
const collections: Readonly<Record<string, (of: FullAccount) => string>> = {
  "api-keys": (of) => of.apiKey,
  a: (of) => of.mark,
  campaigns: (of) => of.campaign,
  recipients: (of) => of.contact,
  "contact-attributes": (of) => of.mark,
  contacts: (of) => of.contact,
  domains: (of) => of.domain,
  emails: (of) => of.email,
  "flow-blueprints": () => "user_signed_up",
  flows: (of) => of.flow,
  frames: (of) => of.template,
  images: (of) => of.image,
  i: (of) => of.image,
  imports: (of) => of.import,
  jobs: (of) => of.job,
  inbox: (of) => of.inboxMessage,
  items: (of) => of.itemId,
  segments: (of) => of.segment,
  notifications: (of) => of.notification,
  orders: (of) => of.contact,
  stores: (of) => of.store.id,
  templates: (of) => of.template,
  "template-starters": () => "receipt",
  companies: () => "01890a5d-ac96-774b-bcce-b302099a8057",
  members: () => "01890a5d-ac96-774b-bcce-b302099a8057",
  "identity-providers": () => "01890a5d-ac96-774b-bcce-b302099a8057",
  relays: () => "01890a5d-ac96-774b-bcce-b302099a8057",
  sources: () => "01890a5d-ac96-774b-bcce-b302099a8057",
  pools: () => "bulk",
  provider: () => "01890a5d-ac96-774b-bcce-b302099a8057",
  passkeys: () => "01890a5d-ac96-774b-bcce-b302099a8057",
  sessions: () => "01890a5d-ac96-774b-bcce-b302099a8057",
  tokens: () => "01890a5d-ac96-774b-bcce-b302099a8057",
  topics: (of) => of.topic,
  views: (of) => of.view,
  users: () => "01890a5d-ac96-774b-bcce-b302099a8057",
  webhooks: (of) => of.webhook
}

const parameters: Readonly<Record<string, (of: FullAccount) => string>> = {
  reference: (of) => of.secondContact,
  email: (of) => `suppressed-${of.mark}@people.example`,
  externalId: (of) => of.item,
  language: () => "en",
  runId: (of) => of.contact,
  relayId: (of) => of.store.id,
  storeId: (of) => of.store.id,
  target: () => "provider:google",
  token: (of) => of.contact,
  version: () => "1"
}

/** A path with the ids of one account's resources, under the same or another account. */
const pathOf = (endpoint: Endpoint, accountId: string, of: FullAccount): string =>
  endpoint.path.replaceAll(/(\w[\w-]*)\/:(\w+)/g, (_, before: string, name: string) => {
    if (name === "accountId" || name === "companyId") return `${before}/${accountId}`
    const value = parameters[name] ?? collections[before]
    if (value === undefined) throw new Error(`There is no value for :${name} in ${endpoint.path}`)
    return `${before}/${encodeURIComponent(value(of))}`
  })

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`
const isAccounts = (path: string): boolean => path.startsWith("/api/") || path.includes(":accountId")
/** Whether a path refers to a resource of the account. Ready-made resources belong to no account. */
const namesThing = (path: string): boolean =>
  /:(?!accountId)/.test(path) && !/\/(?:flow-blueprints|template-starters)\//.test(path)

const mistyped = (token: string): string => token.slice(0, -1) + (token.endsWith("a") ? "b" : "a")

export const authorizationSuite = (target: () => Target) =>
  describe("authorization", () => {
    let endpoints: ReadonlyArray<Endpoint>
    let company: Workspace
    let owner: FullAccount
    let stranger: TestAccount
    let strangeStore: TestStore
    let strangeFlowToken: string
    /**
     * Tokens: two of the owner's company that each have half of the rights, one limited to an account, a revoked one, and one of
     * another company.
     */
    let halves: ReadonlyArray<{ readonly rights: ReadonlyArray<string>; readonly token: string }>
    let liveOnly: string
    let revoked: string
    let strangers: string
    let operators: string
    beforeAll(async () => {
      const found = await allEndpoints()
      const order = [...Object.keys(uses), ...Object.keys(others)]
      endpoints = found.toSorted((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)))
      company = await openWorkspace(target(), "Owner")
      const other = await openWorkspace(target(), "Other company")
      const tokenOf = async (path: string, rights: ReadonlyArray<string>, accounts?: string) =>
        (
          await manage<{ readonly id: string; readonly token: string }>(target(), "POST", `${path}/tokens`, {
            json: {
              name: "suite",
              rights,
              expiresInDays: null,
              ...(accounts === undefined ? {} : { accounts })
            }
          })
        ).value
      const own = `/companies/${company.companyId}`
      const isEven = (_: unknown, index: number) => index % 2 === 0
      const parts = [
        companyRights.filter(isEven),
        companyRights.filter((right, index) => !isEven(right, index))
      ]
      halves = await Promise.all(
        parts.map(async (rights) => ({ rights, token: (await tokenOf(own, rights)).token }))
      )
      liveOnly = (await tokenOf(own, companyRights, "Live")).token
      strangers = (await tokenOf(`/companies/${other.companyId}`, companyRights)).token
      operators = (await tokenOf("", installationRights)).token
      const ended = await tokenOf(own, companyRights)
      await manage(target(), "DELETE", `${own}/tokens/${ended.id}`)
      revoked = ended.token
      owner = await fillAccount(target(), company.sandbox, `mark${Math.random().toString(36).slice(2, 10)}`)
      stranger = (await openWorkspace(target(), "Stranger")).sandbox
      strangeStore = await connectStore(target(), stranger)
      const flow = await stranger.manage<{ readonly id: string }>("POST", "/flows", flowWrite("stranger"))
      strangeFlowToken = await triggerTokenOf(stranger, flow.value.id)
    })

    const tokenFor = (endpoint: Endpoint, account: TestAccount): string =>
      endpoint.guard._tag === "Key" ? account.key : target().managementToken
    const bodyOf = (use: Use, of: FullAccount) =>
      use.raw === undefined
        ? use.json === undefined
          ? {}
          : { json: use.json(of) }
        : { body: use.raw(of).body, headers: { "content-type": use.raw(of).type } }
    const accountsEndpoints = () => endpoints.filter(({ path }) => isAccounts(path))

    /** Expects that a response reveals nothing about the owner. */
    const expectNoTrace = (answer: Answer<unknown>, about: string) => {
      const { account, mark, store, ...ids } = owner
      const traces = [mark, store.id, store.token, account.accountId, account.key, ...Object.values(ids)]
      const shown = `${answer.text}\n${JSON.stringify([...answer.headers])}`
      expect([about, ...traces.filter((trace) => shown.includes(trace))]).toEqual([about])
    }

    /** Everything that the owner can read, route by route. */
    const everything = async () => {
      const readable = accountsEndpoints().filter(
        ({ method, path }) =>
          method === "GET" && !/\/(?:audit-log|requests|api-keys|deliveries)(?:\/export)?$/.test(path)
      )
      const answers: Array<readonly [string, string]> = []
      for (const endpoint of readable) {
        const path = pathOf(endpoint, owner.account.accountId, owner)
        const answer = await call(target(), "GET", path + (uses[nameOf(endpoint)]?.query ?? ""), {
          token: tokenFor(endpoint, owner.account)
        })
        // An archive contains the time of its export, and the counts include this call; notifications are retried meanwhile.
        answers.push([
          nameOf(endpoint),
          answer.text.replace(/"(?:exportedAt|countedAt)": ?"[^"]*"|"failuresInARow": ?\d+/g, "")
        ])
      }
      return answers
    }

    it("covers every route of the definitions", () => {
      const known = [...Object.keys(uses), ...Object.keys(others)].toSorted()
      expect(endpoints.map(nameOf).toSorted()).toEqual(known)
      for (const { guard, method, path } of endpoints) {
        const name = `${method} ${path}`
        const expected = path.startsWith("/api/v1/")
          ? "Key"
          : isAccounts(path) || others[name] === "operator"
            ? "Management"
            : others[name] === "store"
              ? "Store"
              : others[name] === "flow"
                ? "FlowToken"
                : others[name] === "session"
                  ? "Session"
                  : "Open"
        expect([name, guard._tag]).toEqual([name, expected])
        expect(name in uses).toBe(isAccounts(path))
        const needed =
          guard._tag === "Key" ? guard.permission : guard._tag === "Management" ? guard.requires : undefined
        expect([name, needed]).toEqual([name, uses[name]?.needs ?? operatorNeeds[name]])
      }
    })

    it("needs a factor given lately on the routes that are named, and on no other", () => {
      const found = endpoints.flatMap(({ guard, method, path }) =>
        !("confirmation" in guard) || guard.confirmation === "Never"
          ? []
          : [`${method} ${path}${guard.confirmation === "ByBody" ? " (ByBody)" : ""}`]
      )
      expect(found.toSorted()).toEqual(confirmedRoutes.toSorted())
    })

    it("returns 401 on every guarded route without a token, or with an invalid one or one of another kind", async () => {
      const guarded = endpoints.filter(({ guard }) => guard._tag !== "Open")
      expect(guarded.length).toBeGreaterThan(70)
      for (const endpoint of guarded) {
        const kinds = {
          Key: [mistyped(owner.account.key), target().managementToken, owner.store.token],
          Management: [mistyped(target().managementToken), owner.account.key, owner.store.token, revoked],
          Store: [
            mistyped(owner.store.token),
            owner.account.key,
            target().managementToken,
            strangeStore.token
          ],
          FlowToken: [
            mistyped(owner.flowToken),
            owner.account.key,
            target().managementToken,
            strangeFlowToken
          ],
          Session: [target().managementToken, owner.account.key],
          Open: []
        }
        const path = pathOf(endpoint, owner.account.accountId, owner)
        for (const token of [undefined, "", ...kinds[endpoint.guard._tag]]) {
          const answer = await call(target(), endpoint.method, path, { token })
          expect([nameOf(endpoint), answer.status, answer.codes]).toEqual([
            nameOf(endpoint),
            401,
            [endpoint.guard._tag === "FlowToken" ? "automation.api_trigger_invalid" : "auth.unauthorized"]
          ])
          expectNoTrace(answer, nameOf(endpoint))
        }
      }
    })

    it("returns 401 on every route of a session without its cookie, or with one of another kind", async () => {
      const guarded = endpoints.filter((endpoint) => others[nameOf(endpoint)] === "session")
      expect(guarded).toHaveLength(21)
      for (const endpoint of guarded) {
        const path = pathOf(endpoint, "", owner)
        for (const cookie of [
          "",
          "svc_session=",
          `svc_session=${"A".repeat(43)}`,
          `svc_session=${owner.account.key}`
        ]) {
          const answer = await call(target(), endpoint.method, path, {
            token: target().managementToken,
            ...(endpoint.method === "GET" || endpoint.method === "DELETE" ? {} : { json: {} }),
            headers: { cookie }
          })
          expect([nameOf(endpoint), cookie, answer.status, answer.codes]).toEqual([
            nameOf(endpoint),
            cookie,
            401,
            ["auth.unauthorized"]
          ])
        }
      }
    })

    it("returns 401 for a webhook signed with another store's secret", async () => {
      const body = JSON.stringify({ id: 1, email: "eve@people.example" })
      const signature = createHmac("sha256", strangeStore.webhookSecret).update(body).digest("base64")
      const signed = endpoints.filter((endpoint) => others[nameOf(endpoint)] === "signature")
      expect(signed).toHaveLength(3)
      for (const endpoint of signed) {
        const path = pathOf(endpoint, "", owner)
        for (const headers of [
          {},
          { "x-shopify-hmac-sha256": signature, "x-shopify-topic": "customers/create" },
          { "x-wc-webhook-signature": signature, "x-wc-webhook-topic": "customer.created" }
        ]) {
          const answer = await call(target(), endpoint.method, path, { body, headers })
          expect([path, answer.status]).toEqual([path, 401])
        }
      }
    })

    it("returns 404 for a link with an invalid signature", async () => {
      const links = endpoints.filter((endpoint) => others[nameOf(endpoint)] === "link")
      expect(links).toHaveLength(13)
      for (const endpoint of links) {
        const response = await target().fetch(pathOf(endpoint, "", owner), {
          method: endpoint.method,
          redirect: "manual"
        })
        const text = await response.text()
        expect([nameOf(endpoint), response.status]).toEqual([nameOf(endpoint), 404])
        expect(text).not.toContain(owner.mark)
      }
    })

    it("allows each permission its own routes and no other", async () => {
      const { live, sandbox } = await openWorkspace(target(), "Permissions of all routes")
      const publicEndpoints = endpoints.filter(({ path }) => path.startsWith("/api/v1/"))
      for (const permission of allPermissions) {
        const only = await sandbox.issueKey([permission])
        const allBut = await live.issueKey(allPermissions.filter((other) => other !== permission))
        for (const endpoint of publicEndpoints) {
          const needed = endpoint.guard._tag === "Key" ? endpoint.guard.permission : null
          const path = pathOf(endpoint, "", owner)
          const tried = async (token: string) => {
            const answer = await call(target(), endpoint.method, path, {
              token,
              ...(endpoint.method === "GET" || endpoint.method === "DELETE" ? {} : { body: "{" })
            })
            expectNoTrace(answer, nameOf(endpoint))
            return answer.status
          }
          const seen = [permission, nameOf(endpoint), await tried(only.key), await tried(allBut.key)]
          const open = expect.toSatisfy((status: number) => ![401, 403, 429].includes(status))
          expect(seen).toEqual(
            permission === needed
              ? [permission, nameOf(endpoint), open, 403]
              : [permission, nameOf(endpoint), 403, open]
          )
        }
      }
    })

    it("rejects company tokens without the right of a route, and of another company, and does nothing", async () => {
      const before = await everything()
      const managed = endpoints.filter(({ guard }) => guard._tag === "Management")
      expect(managed.length).toBeGreaterThan(80)
      for (const endpoint of managed) {
        const name = nameOf(endpoint)
        const needed = uses[name]?.needs ?? operatorNeeds[name]!
        if (needed === "SignedIn") continue
        const use = uses[name] ?? { status: 0 }
        const isOfAccount = isAccounts(endpoint.path)
        const isOfCompany = endpoint.path.includes(":companyId")
        const path = pathOf(endpoint, isOfAccount ? owner.account.accountId : company.companyId, owner)
        const tried = async (token: string) => {
          const answer = await call(target(), endpoint.method, path, { token, ...bodyOf(use, owner) })
          expectNoTrace(answer, name)
          const details = answer.envelope?.errors[0]?.details
          return [name, answer.status, ...answer.codes, ...(details === undefined ? [] : [details["right"]])]
        }
        const missing = [name, 403, "users.right_missing", needed]
        const lacking = halves.filter(({ rights }) => !rights.includes(needed))
        expect(lacking.length).toBeGreaterThan(0)
        for (const { token } of lacking) expect(await tried(token)).toEqual(missing)
        if (isOfAccount) expect(await tried(liveOnly)).toEqual(missing)
        const isHidden = isOfAccount || isOfCompany
        expect(await tried(strangers)).toEqual(isHidden ? [name, 404, "common.not_found"] : missing)
        if (!(installationRights as ReadonlyArray<string>).includes(needed)) {
          expect(await tried(operators)).toEqual(missing)
        }
      }
      expect(await everything()).toEqual(before)
    })

    it("shows a company token its own company alone, and the operator's all", async () => {
      const listed = async (token: string) => {
        const { value } = await call<Page<{ readonly id: string }>>(target(), "GET", "/manage/v1/companies", {
          token
        })
        return value.items.map(({ id }) => id)
      }
      expect(await listed(halves[0]!.token)).toEqual([company.companyId])
      expect(await listed(operators)).toContain(company.companyId)
      expect((await listed(strangers)).includes(company.companyId)).toBe(false)
    })

    it("returns 404 for another account's resources, and does not change them", async () => {
      const before = await everything()
      for (const account of [stranger, company.live]) {
        for (const endpoint of accountsEndpoints()) {
          const name = nameOf(endpoint)
          const use = uses[name]!
          const about = `${name} by another account`
          const token = tokenFor(endpoint, account)
          const path = pathOf(endpoint, account.accountId, owner)
          if (namesThing(endpoint.path)) {
            const answer = await call(target(), endpoint.method, path, { token, ...bodyOf(use, owner) })
            expect([about, answer.status]).toEqual([about, 404])
            expectNoTrace(answer, about)
          } else if (endpoint.method === "GET" && !endpoint.path.endsWith("/requests")) {
            // The request log also contains what the other account itself has sent.
            expectNoTrace(await call(target(), "GET", path + (use.query ?? ""), { token }), about)
          }
          if (use.strange !== undefined) {
            const { json, query = "" } = use.strange(owner)
            const answer = await call(target(), endpoint.method, path + query, {
              token,
              ...(json === undefined ? {} : { json })
            })
            expect([about, answer.status]).toEqual([about, use.strangeStatus])
            expectNoTrace(answer, about)
          }
        }
      }
      expect(await everything()).toEqual(before)
    })

    it("returns 404 to the operator for an unknown account", async () => {
      for (const endpoint of accountsEndpoints().filter(({ guard }) => guard._tag === "Management")) {
        const use = uses[nameOf(endpoint)]!
        for (const accountId of ["01890a5d-ac96-774b-bcce-b302099a8057", "none"]) {
          const answer = await call(target(), endpoint.method, pathOf(endpoint, accountId, owner), {
            token: target().managementToken,
            ...bodyOf(use, owner)
          })
          expect([nameOf(endpoint), answer.status]).toEqual([nameOf(endpoint), 404])
        }
      }
    })

    // The last test, because it deletes the owner's resources.
    it("allows the owner every operation", async () => {
      for (const endpoint of accountsEndpoints()) {
        const use = uses[nameOf(endpoint)]!
        const path = pathOf(endpoint, owner.account.accountId, owner)
        const answer = await call(target(), endpoint.method, path + (use.query ?? ""), {
          token:
            halves.find(
              ({ rights }) => endpoint.guard._tag === "Management" && rights.includes(use.needs ?? "")
            )?.token ?? tokenFor(endpoint, owner.account),
          ...bodyOf(use, owner)
        })
        expect([nameOf(endpoint), answer.status, answer.codes]).toEqual([
          nameOf(endpoint),
          use.status,
          use.status < 400 ? [] : [expect.any(String)]
        ])
      }
    })
  })
