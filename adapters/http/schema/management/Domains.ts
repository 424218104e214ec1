/**
 * Defines the management endpoints of sending domains, and of the reports of mail servers about them.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  authResults,
  dispositions,
  reportedPolicies,
  reportedTlsResults
} from "../../../../core/model/MailReport.ts"
import { alignmentChecks, alignmentOutcomes } from "../../../../core/model/Alignment.ts"
import { envelope } from "../Envelope.ts"
import { byTime, listing, listOf, timeRange } from "../Lists.ts"
import { confirmed, requiring, unconfirmed } from "../Requirements.ts"
import { accountPath, resourcePath } from "./Path.ts"

const nullableText = Schema.NullOr(Schema.String)

const DomainShape = Schema.Struct({
  id: Schema.String,
  domain: Schema.String,
  status: Schema.Literals(["Pending", "Verified", "Failing"]),
  records: Schema.Array(
    Schema.Struct({
      type: Schema.Literals(["TXT", "MX", "CNAME"]),
      name: Schema.String,
      value: Schema.String,
      purpose: Schema.Literals(["DKIM", "ReturnPath", "SPF", "DMARC", "TLS"]),
      found: Schema.Boolean,
      seen: Schema.Array(Schema.String).annotateKey({
        description: "The values that the last look-up found at the name"
      })
    })
  ),
  verifiedAt: nullableText
}).annotate({ identifier: "Domain" })

const AlignmentShape = Schema.Array(
  Schema.Struct({
    check: Schema.Literals(alignmentChecks),
    outcome: Schema.Literals(alignmentOutcomes),
    seen: nullableText.annotateKey({ description: "Value found in the DNS; null if nothing was looked up" }),
    expected: Schema.String,
    fix: nullableText.annotateKey({ description: "What to do; null if the check passed" })
  }).annotate({ identifier: "AlignmentCheck" })
)

/** The routes of domains. */
export class DomainsGroup extends HttpApiGroup.make("domains")
  .add(
    HttpApiEndpoint.post("add", "/accounts/:accountId/domains", {
      params: accountPath,
      payload: Schema.Struct({ domain: Schema.String }),
      success: envelope(DomainShape)
    }),
    HttpApiEndpoint.get("list", "/accounts/:accountId/domains", {
      params: accountPath,
      query: listing(byTime),
      success: envelope(listOf(DomainShape))
    }),
    HttpApiEndpoint.post("verify", "/accounts/:accountId/domains/:id/verify", {
      params: resourcePath,
      success: envelope(DomainShape)
    }),
    HttpApiEndpoint.post("rotateDkim", "/accounts/:accountId/domains/:id/rotate-dkim", {
      params: resourcePath,
      success: envelope(DomainShape)
    }).annotate(OpenApi.Summary, "Create new DKIM keys; they sign once their records are found"),
    HttpApiEndpoint.get("alignment", "/accounts/:accountId/alignment", {
      params: accountPath,
      query: { domain: Schema.String.annotate({ description: "A sending domain of the account" }) },
      success: envelope(AlignmentShape)
    }).annotate(OpenApi.Summary, "Check a sending domain as large providers do"),
    HttpApiEndpoint.delete("remove", "/accounts/:accountId/domains/:id", {
      params: resourcePath,
      success: envelope(Schema.Null)
    })
  )
  .pipe(
    requiring({
      add: unconfirmed("domains:write"),
      list: "domains:read",
      verify: unconfirmed("domains:write"),
      rotateDkim: unconfirmed("domains:write"),
      alignment: "domains:read",
      remove: confirmed("domains:write")
    })
  ) {}

const day = Schema.String.annotateKey({ description: "The day in UTC, `YYYY-MM-DD`" })

const DmarcCountShape = Schema.Struct({
  day,
  domain: Schema.String,
  network: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The /24 or /48 that the messages came from; null for the rest of a day with more than 2,000 entries"
  }),
  disposition: Schema.Literals(dispositions),
  dkim: Schema.Literals(authResults),
  dkimAligned: Schema.Boolean,
  spf: Schema.Literals(authResults),
  spfAligned: Schema.Boolean,
  messages: Schema.Int
}).annotate({ identifier: "DmarcCount" })

const TlsCountShape = Schema.Struct({
  day,
  domain: Schema.String,
  policy: Schema.Literals(reportedPolicies),
  result: Schema.Literals(reportedTlsResults),
  host: Schema.NullOr(Schema.String).annotateKey({
    description: "The mail server; null where it is not known"
  }),
  sessions: Schema.Int
}).annotate({ identifier: "TlsCount" })

const query = {
  ...listing(byTime),
  ...timeRange,
  domain: Schema.optionalKey(Schema.String.annotate({ maxLength: 253, description: "Only for this domain" }))
}

/** The routes of reports. */
export class MailReportsGroup extends HttpApiGroup.make("mailReports")
  .add(
    HttpApiEndpoint.get("dmarc", "/accounts/:accountId/reports/dmarc", {
      params: accountPath,
      query,
      success: envelope(listOf(DmarcCountShape))
    }).annotate(OpenApi.Summary, "What DMARC reports count for the account's domains, by day and network"),
    HttpApiEndpoint.get("tls", "/accounts/:accountId/reports/tls", {
      params: accountPath,
      query,
      success: envelope(listOf(TlsCountShape))
    }).annotate(
      OpenApi.Summary,
      "What TLS reports count for the return paths of the account's domains, by day"
    )
  )
  .pipe(requiring({ dmarc: "domains:read", tls: "domains:read" })) {}
