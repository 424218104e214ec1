/**
 * Defines the management endpoints of the audit log: of an account, a company and the installation.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { actorKinds } from "../../../../core/model/Actor.ts"
import { auditOutcomes } from "../../../../core/ports/AuditLog.ts"
import { id } from "../Fields.ts"
import { envelope } from "../Envelope.ts"
import { anyOf, byTime, listing, listOf, timeRange } from "../Lists.ts"
import { confirmed, requiring, unconfirmed } from "../Requirements.ts"
import { accountPath, companyPath } from "../management/Path.ts"

const nullableText = Schema.NullOr(Schema.String)

const AuditEntryShape = Schema.Struct({
  id: Schema.String,
  at: Schema.String,
  actor: Schema.Struct({ kind: Schema.Literals(actorKinds), id: nullableText, name: nullableText }),
  sessionId: nullableText,
  network: nullableText,
  userAgent: nullableText,
  companyId: nullableText,
  accountId: nullableText,
  action: Schema.String,
  target: Schema.Struct({ kind: Schema.String, id: Schema.String, name: nullableText }),
  before: Schema.Unknown,
  after: Schema.Unknown,
  outcome: Schema.Literals(auditOutcomes)
}).annotate({ identifier: "AuditEntry" })

const query = {
  ...listing(byTime),
  ...timeRange,
  actorKind: anyOf(Schema.Literals(actorKinds), "Kind of the actor"),
  actor: anyOf(id, "Id of the actor: a user, a token or a key"),
  action: anyOf(
    Schema.String.annotate({ maxLength: 100 }),
    "An action such as `api_key.revoked`, or its first part"
  ),
  target: anyOf(Schema.String.annotate({ maxLength: 254 }), "Id of what was changed"),
  outcome: anyOf(Schema.Literals(auditOutcomes)),
  network: anyOf(Schema.String.annotate({ maxLength: 50 }), "IPv4 address or IPv6 /64 of the caller")
}

const exportQuery = {
  ...query,
  format: Schema.Literals(["Ndjson", "Csv"])
}

const entries = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))

/** The maximum number of entries in one response of an export. */
export const maxExported = 5_000

const exported =
  `Up to ${maxExported} entries behind \`after\`, newest first. The header \`Link\` with \`rel="next"\` (RFC 8288) names the ` +
  "next ones, and is missing on the last."

/** The routes of the audit log. */
export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("account", "/accounts/:accountId/audit-log", {
      params: accountPath,
      query,
      success: envelope(listOf(AuditEntryShape))
    }),
    HttpApiEndpoint.get("company", "/companies/:companyId/audit-log", {
      params: companyPath,
      query,
      success: envelope(listOf(AuditEntryShape))
    }),
    HttpApiEndpoint.get("installation", "/audit-log", { query, success: envelope(listOf(AuditEntryShape)) }),
    HttpApiEndpoint.get("exportAccount", "/accounts/:accountId/audit-log/export", {
      params: accountPath,
      query: exportQuery,
      success: entries
    }).annotate(OpenApi.Description, exported),
    HttpApiEndpoint.get("exportCompany", "/companies/:companyId/audit-log/export", {
      params: companyPath,
      query: exportQuery,
      success: entries
    }).annotate(OpenApi.Description, exported),
    HttpApiEndpoint.get("exportInstallation", "/audit-log/export", {
      query: exportQuery,
      success: entries
    }).annotate(OpenApi.Description, exported)
  )
  .annotate(OpenApi.Title, "Audit log")
  .pipe(
    requiring({
      account: unconfirmed("audit:read"),
      company: unconfirmed("audit:read"),
      installation: "installation:read",
      exportAccount: confirmed("audit:read"),
      exportCompany: confirmed("audit:read"),
      exportInstallation: confirmed("installation:read")
    })
  ) {}
