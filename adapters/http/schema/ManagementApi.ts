/**
 * The operator's API (management-api): every route under `{base_url}/manage/v1`.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { consentBases, consentStatuses } from "../../../core/model/Consent.ts"
import { suppressionKinds } from "../../../core/model/Suppression.ts"
import { ArchiveGroup } from "./Archive.ts"
import { ManagedStoresGroup } from "./Commerce.ts"
import { EndpointGuard, envelope, managementOnly, maybe, pageOf, paging } from "./Envelope.ts"
import { ManagedEventsGroup } from "./Events.ts"
import { FlowsGroup } from "./Flows.ts"
import { ManagedSegmentsGroup } from "./Segments.ts"
import { ImportsGroup } from "./Imports.ts"
import { RecipientShape, SubmissionShape } from "./Sending.ts"
import { StatsGroup } from "./Stats.ts"
import { TemplatesGroup } from "./Templates.ts"
import { ManagedTopicsGroup } from "./Topics.ts"
import { WebhooksGroup } from "./Webhooks.ts"

const nullableText = Schema.NullOr(Schema.String)
const account = { accountId: Schema.String }
const accountAnd = { accountId: Schema.String, id: Schema.String }

const CompanyShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  live: Schema.Struct({ accountId: Schema.String }),
  sandbox: Schema.Struct({ accountId: Schema.String })
}).annotate({ identifier: "Company" })

const TrackingShape = Schema.Struct({ opens: Schema.Boolean, clicks: Schema.Boolean })
const SenderShape = Schema.Struct({ email: Schema.String, name: nullableText })

const SettingsShape = Schema.Struct({
  autoCreateAttributes: Schema.Boolean,
  tracking: TrackingShape,
  flowTracking: TrackingShape,
  contactLimit: Schema.NullOr(Schema.Number),
  dailySendLimit: Schema.NullOr(Schema.Number),
  retentionDays: Schema.Number,
  recipientRetentionDays: Schema.Number,
  defaultSender: Schema.NullOr(SenderShape),
  rateLimitPerMinute: Schema.Number
}).annotate({ identifier: "Settings" })

const SettingsPatchShape = Schema.Struct({
  autoCreateAttributes: Schema.optionalKey(Schema.Boolean),
  tracking: Schema.optionalKey(TrackingShape),
  flowTracking: Schema.optionalKey(TrackingShape),
  contactLimit: maybe(Schema.Number),
  dailySendLimit: maybe(Schema.Number),
  retentionDays: Schema.optionalKey(Schema.Number),
  recipientRetentionDays: Schema.optionalKey(Schema.Number),
  defaultSender: maybe(Schema.Struct({ email: Schema.String, name: maybe(Schema.String) })),
  rateLimitPerMinute: Schema.optionalKey(Schema.Number)
}).annotate({ identifier: "SettingsPatch" })

const AccountShape = Schema.Struct({
  id: Schema.String,
  companyId: Schema.String,
  mode: Schema.Literals(["Live", "Sandbox"]),
  name: Schema.String,
  settings: SettingsShape
}).annotate({ identifier: "Account" })

const IssuedKeyShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  key: Schema.String,
  permissions: Schema.Array(Schema.String),
  expiresAt: nullableText
}).annotate({ identifier: "IssuedApiKey" })

const ApiKeyShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  display: Schema.String,
  permissions: Schema.Array(Schema.String),
  expiresAt: nullableText,
  lastUsedAt: nullableText,
  revokedAt: nullableText
}).annotate({ identifier: "ApiKey" })

const DomainShape = Schema.Struct({
  id: Schema.String,
  domain: Schema.String,
  status: Schema.Literals(["Pending", "Verified", "Failing"]),
  records: Schema.Array(
    Schema.Struct({
      type: Schema.Literals(["TXT", "MX", "CNAME"]),
      name: Schema.String,
      value: Schema.String,
      purpose: Schema.Literals(["DKIM", "ReturnPath", "SPF", "DMARC"]),
      found: Schema.Boolean
    })
  ),
  verifiedAt: nullableText
}).annotate({ identifier: "Domain" })

const SuppressionShape = Schema.Struct({
  email: Schema.String,
  kind: Schema.Literals(suppressionKinds),
  createdAt: Schema.String
}).annotate({ identifier: "Suppression" })

const InboxMessageShape = Schema.Struct({
  id: Schema.String,
  submissionId: Schema.String,
  to: Schema.String,
  from: SenderShape,
  subject: Schema.String,
  html: nullableText,
  text: nullableText,
  receivedAt: Schema.String
}).annotate({ identifier: "InboxMessage" })

const AuditEntryShape = Schema.Struct({
  at: Schema.String,
  actor: Schema.String,
  action: Schema.String,
  target: Schema.String,
  before: Schema.Unknown,
  after: Schema.Unknown
}).annotate({ identifier: "AuditEntry" })

const ConsentEntryShape = Schema.Struct({
  from: Schema.NullOr(Schema.Literals(consentStatuses)),
  to: Schema.Literals(consentStatuses),
  basis: Schema.NullOr(Schema.Literals(consentBases)),
  proof: Schema.NullOr(
    Schema.Struct({
      text: Schema.String,
      textVersion: nullableText,
      locale: nullableText,
      ipAddress: nullableText,
      givenAt: nullableText
    })
  ),
  source: Schema.String,
  at: Schema.String
}).annotate({ identifier: "ConsentEntry" })

const nothing = envelope(Schema.Null)

/** The routes of companies. */
export class CompaniesGroup extends HttpApiGroup.make("companies")
  .add(
    HttpApiEndpoint.post("create", "/companies", {
      payload: Schema.Struct({ name: Schema.String }),
      success: envelope(CompanyShape)
    }),
    HttpApiEndpoint.get("list", "/companies", { query: paging, success: envelope(pageOf(CompanyShape)) })
  )
  .annotateEndpoints(EndpointGuard, managementOnly) {}

/** The routes of accounts. */
export class AccountsGroup extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("get", "/accounts/:accountId", { params: account, success: envelope(AccountShape) }),
    HttpApiEndpoint.patch("changeSettings", "/accounts/:accountId/settings", {
      params: account,
      payload: SettingsPatchShape,
      success: envelope(SettingsShape)
    }),
    HttpApiEndpoint.get("auditLog", "/accounts/:accountId/audit-log", {
      params: account,
      query: paging,
      success: envelope(pageOf(AuditEntryShape))
    })
  )
  .annotateEndpoints(EndpointGuard, managementOnly) {}

/** The routes of API keys. */
export class ApiKeysGroup extends HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.post("create", "/accounts/:accountId/api-keys", {
      params: account,
      payload: Schema.Struct({
        name: Schema.String,
        permissions: Schema.Array(Schema.String),
        expiresInDays: Schema.NullOr(Schema.Number)
      }),
      success: envelope(IssuedKeyShape)
    }),
    HttpApiEndpoint.get("list", "/accounts/:accountId/api-keys", {
      params: account,
      success: envelope(Schema.Array(ApiKeyShape))
    }),
    HttpApiEndpoint.delete("revoke", "/accounts/:accountId/api-keys/:id", {
      params: accountAnd,
      success: nothing
    })
  )
  .annotateEndpoints(EndpointGuard, managementOnly)
  .annotate(OpenApi.Title, "API keys") {}

/** The routes of domains. */
export class DomainsGroup extends HttpApiGroup.make("domains")
  .add(
    HttpApiEndpoint.post("add", "/accounts/:accountId/domains", {
      params: account,
      payload: Schema.Struct({ domain: Schema.String }),
      success: envelope(DomainShape)
    }),
    HttpApiEndpoint.get("list", "/accounts/:accountId/domains", {
      params: account,
      query: paging,
      success: envelope(pageOf(DomainShape))
    }),
    HttpApiEndpoint.post("verify", "/accounts/:accountId/domains/:id/verify", {
      params: accountAnd,
      success: envelope(DomainShape)
    }),
    HttpApiEndpoint.post("rotateDkim", "/accounts/:accountId/domains/:id/rotate-dkim", {
      params: accountAnd,
      success: envelope(DomainShape)
    }).annotate(OpenApi.Summary, "Make new DKIM keys; they sign once their records are found"),
    HttpApiEndpoint.delete("remove", "/accounts/:accountId/domains/:id", {
      params: accountAnd,
      success: nothing
    })
  )
  .annotateEndpoints(EndpointGuard, managementOnly) {}

/** The routes of suppressions. */
export class SuppressionsGroup extends HttpApiGroup.make("suppressions")
  .add(
    HttpApiEndpoint.post("add", "/accounts/:accountId/suppressions", {
      params: account,
      payload: Schema.Struct({ email: Schema.String, kind: Schema.Literals(suppressionKinds) }),
      success: envelope(SuppressionShape)
    }),
    HttpApiEndpoint.get("list", "/accounts/:accountId/suppressions", {
      params: account,
      query: paging,
      success: envelope(pageOf(SuppressionShape))
    }),
    HttpApiEndpoint.delete("remove", "/accounts/:accountId/suppressions/:email", {
      params: { accountId: Schema.String, email: Schema.String },
      success: nothing
    })
  )
  .annotateEndpoints(EndpointGuard, managementOnly) {}

const AttemptShape = Schema.Struct({
  startedAt: Schema.String,
  finishedAt: Schema.String,
  outcome: Schema.String,
  host: nullableText,
  tls: nullableText,
  replies: Schema.Array(Schema.String),
  error: nullableText
}).annotate({ identifier: "DeliveryAttempt" })

const EmailDetailShape = Schema.Struct({
  ...SubmissionShape.fields,
  createdAt: Schema.String,
  from: Schema.NullOr(Schema.Struct({ email: Schema.String, name: nullableText })),
  subject: Schema.String,
  contentErasedAt: nullableText,
  recipients: Schema.Array(
    Schema.Struct({
      ...RecipientShape.fields,
      updatedAt: Schema.String,
      openedAt: nullableText,
      clickedAt: nullableText,
      attempts: Schema.Array(AttemptShape)
    })
  )
}).annotate({ identifier: "EmailDetail" })

/** The routes of emails. */
export class EmailsGroup extends HttpApiGroup.make("emails")
  .add(
    HttpApiEndpoint.get("list", "/accounts/:accountId/emails", {
      params: account,
      query: {
        ...paging,
        status: Schema.optionalKey(Schema.String),
        to: Schema.optionalKey(Schema.String),
        flowId: Schema.optionalKey(Schema.String)
      },
      success: envelope(pageOf(SubmissionShape))
    }),
    HttpApiEndpoint.get("get", "/accounts/:accountId/emails/:id", {
      params: accountAnd,
      success: envelope(EmailDetailShape)
    }).annotate(OpenApi.Summary, "Read an email with the attempts to hand it over"),
    HttpApiEndpoint.post("cancel", "/accounts/:accountId/emails/:id/cancel", {
      params: accountAnd,
      success: envelope(SubmissionShape)
    }).annotate(OpenApi.Summary, "Take back what is still queued of an email"),
    HttpApiEndpoint.get("inbox", "/accounts/:accountId/inbox", {
      params: account,
      query: paging,
      success: envelope(pageOf(InboxMessageShape))
    }),
    HttpApiEndpoint.get("inboxMessage", "/accounts/:accountId/inbox/:id", {
      params: accountAnd,
      success: envelope(InboxMessageShape)
    }),
    HttpApiEndpoint.get("inboxRaw", "/accounts/:accountId/inbox/:id/raw", {
      params: accountAnd,
      success: Schema.String
    })
  )
  .annotateEndpoints(EndpointGuard, managementOnly) {}

const TimelineEntryShape = Schema.Struct({
  name: Schema.String,
  occurredAt: Schema.String,
  properties: Schema.Record(Schema.String, Schema.Unknown),
  source: Schema.String
}).annotate({ identifier: "TimelineEntry" })

const ContactLinksShape = Schema.Struct({
  confirm: Schema.String,
  preferences: Schema.String,
  unsubscribe: Schema.String
}).annotate({ identifier: "ContactLinks" })

/** The routes of single contacts. */
export class PeopleGroup extends HttpApiGroup.make("people")
  .add(
    HttpApiEndpoint.get("consentHistory", "/accounts/:accountId/contacts/:id/consent-history", {
      params: accountAnd,
      query: paging,
      success: envelope(pageOf(ConsentEntryShape))
    }),
    HttpApiEndpoint.get("timeline", "/accounts/:accountId/contacts/:id/timeline", {
      params: accountAnd,
      query: paging,
      success: envelope(pageOf(TimelineEntryShape))
    }),
    HttpApiEndpoint.post("askToConfirm", "/accounts/:accountId/contacts/:id/double-opt-in", {
      params: accountAnd,
      success: envelope(
        Schema.Struct({ consentStatus: Schema.Literals(consentStatuses), confirm: Schema.String })
      )
    }).annotate(OpenApi.Summary, "Ask a contact to confirm; answers the path of the page that does"),
    HttpApiEndpoint.post("links", "/accounts/:accountId/contacts/:id/links", {
      params: accountAnd,
      success: envelope(ContactLinksShape)
    }).annotate(OpenApi.Summary, "Make links to a contact's hosted pages; paths from the base URL on")
  )
  .annotateEndpoints(EndpointGuard, managementOnly) {}

/** The definition of the whole management API. */
export class ManagementApi extends HttpApi.make("management")
  .add(CompaniesGroup)
  .add(AccountsGroup)
  .add(StatsGroup)
  .add(ApiKeysGroup)
  .add(DomainsGroup)
  .add(SuppressionsGroup)
  .add(EmailsGroup)
  .add(PeopleGroup)
  .add(ImportsGroup)
  .add(ManagedEventsGroup)
  .add(ArchiveGroup)
  .add(ManagedSegmentsGroup)
  .add(ManagedTopicsGroup)
  .add(ManagedStoresGroup)
  .add(TemplatesGroup)
  .add(FlowsGroup)
  .add(WebhooksGroup)
  .prefix("/manage/v1")
  .annotate(OpenApi.Title, "svc management")
  .annotate(OpenApi.Version, "v1") {}
