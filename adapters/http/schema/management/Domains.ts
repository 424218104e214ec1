/**
 * Defines the management endpoints of sending domains.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { alignmentChecks, alignmentOutcomes } from "../../../../core/model/Alignment.ts"
import { envelope } from "../Envelope.ts"
import { byTime, listing, listOf } from "../Lists.ts"
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
      purpose: Schema.Literals(["DKIM", "ReturnPath", "SPF", "DMARC"]),
      found: Schema.Boolean
    })
  ),
  verifiedAt: nullableText
}).annotate({ identifier: "Domain" })

const AlignmentShape = Schema.Array(
  Schema.Struct({
    check: Schema.Literals(alignmentChecks),
    outcome: Schema.Literals(alignmentOutcomes),
    seen: nullableText.annotateKey({ description: "What the DNS has; null where nothing was looked up" }),
    expected: Schema.String,
    fix: nullableText.annotateKey({ description: "What to do; null where the check passed" })
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
