/**
 * Defines the management endpoints of companies, their brand, and the access of operators to them.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { maxOwnText } from "../../../../core/audience/pages/OwnTextRules.ts"
import { volumeDays } from "../../../../core/accounts/Accounts.ts"
import { companyStates } from "../../../../core/model/Account.ts"
import { brandLimits, auditRetentionRange } from "../../../../core/companies/CompanyRules.ts"
import { maxAccessHours, maxAccessReason } from "../../../../core/companies/OperatorAccess.ts"
import { envelope, maybe } from "../Envelope.ts"
import { id, textUpTo } from "../Fields.ts"
import { anyOf, byTime, listOf, search, sortedListing } from "../Lists.ts"
import { confirmed, requiring, unconfirmed } from "../Requirements.ts"
import { companyPath } from "./Path.ts"

const nullableText = Schema.NullOr(Schema.String)

const company = {
  id: Schema.String,
  name: Schema.String,
  live: Schema.Struct({ accountId: Schema.String }),
  sandbox: Schema.Struct({ accountId: Schema.String })
}
const deletedAt = nullableText.annotateKey({
  description: "When it was deleted; it can be restored for 30 days and is erased then"
})
const CompanyShape = Schema.Struct(company).annotate({ identifier: "Company" })

const ListedCompanyShape = Schema.Struct({
  ...company,
  volume: Schema.NullOr(Schema.Int).annotateKey({
    description: `Emails that its live account accepted in the last ${volumeDays} days, one for each recipient; null for callers who may not see them`
  }),
  deletedAt
}).annotate({ identifier: "ListedCompany" })

const brand = {
  name: nullableText,
  logo: nullableText,
  colors: Schema.Struct({ accent: nullableText, background: nullableText, text: nullableText }),
  postalAddress: nullableText,
  footer: nullableText
}
const BrandShape = Schema.Struct(brand).annotate({ identifier: "Brand" })

const ShownBrandShape = Schema.Struct({
  ...brand,
  logoUrl: nullableText.annotateKey({ description: "URL at which the logo is served; null if there is none" })
}).annotate({ identifier: "ShownBrand" })

const CompanyDetailsShape = Schema.Struct({
  ...company,
  requireTwoFactors: Schema.Boolean,
  auditRetentionDays: Schema.Int,
  brand: BrandShape,
  deletedAt
}).annotate({ identifier: "CompanyDetails" })

const PageTextsShape = Schema.Struct({
  language: Schema.String,
  isBuiltIn: Schema.Boolean.annotateKey({
    description:
      "Whether the service has texts in the language; else those that the company lacks are English"
  }),
  texts: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      text: Schema.String.annotateKey({ description: "The service's" }),
      placeholder: nullableText.annotateKey({
        description: "Placeholder for the sender's name or address"
      }),
      own: nullableText
    })
  )
}).annotate({ identifier: "PageTexts" })

const color = maybe(Schema.String.annotate({ pattern: "^#[0-9a-fA-F]{6}$" }))

/** The routes of companies. */
export class CompaniesGroup extends HttpApiGroup.make("companies")
  .add(
    HttpApiEndpoint.post("create", "/companies", {
      payload: Schema.Struct({ name: Schema.String }),
      success: envelope(CompanyShape)
    }),
    HttpApiEndpoint.get("list", "/companies", {
      query: {
        ...sortedListing({ time: byTime, name: ["Text", "Id"], volume: ["Count", "Id"] }, "-time"),
        state: anyOf(Schema.Literals(companyStates)),
        q: search("The beginning of the name")
      },
      success: envelope(listOf(ListedCompanyShape))
    }),
    HttpApiEndpoint.get("get", "/companies/:companyId", {
      params: companyPath,
      success: envelope(CompanyDetailsShape)
    }),
    HttpApiEndpoint.patch("change", "/companies/:companyId", {
      params: companyPath,
      payload: Schema.Struct({
        name: Schema.optionalKey(Schema.String),
        requireTwoFactors: Schema.optionalKey(Schema.Boolean),
        auditRetentionDays: Schema.optionalKey(
          Schema.Number.annotate({ minimum: auditRetentionRange.min, maximum: auditRetentionRange.max })
        )
      }),
      success: envelope(CompanyDetailsShape)
    }),
    HttpApiEndpoint.delete("remove", "/companies/:companyId", {
      params: companyPath,
      success: envelope(CompanyDetailsShape)
    }),
    HttpApiEndpoint.post("restore", "/companies/:companyId/restore", {
      params: companyPath,
      success: envelope(CompanyDetailsShape)
    }),
    HttpApiEndpoint.get("brand", "/companies/:companyId/brand", {
      params: companyPath,
      success: envelope(ShownBrandShape)
    }),
    HttpApiEndpoint.put("setBrand", "/companies/:companyId/brand", {
      params: companyPath,
      payload: Schema.Struct({
        name: maybe(textUpTo(brandLimits.name)),
        logo: maybe(id),
        colors: maybe(Schema.Struct({ accent: color, background: color, text: color })),
        postalAddress: maybe(textUpTo(brandLimits.postalAddress)),
        footer: maybe(textUpTo(brandLimits.footer))
      }),
      success: envelope(ShownBrandShape)
    }),
    HttpApiEndpoint.get("pageTexts", "/companies/:companyId/page-texts", {
      params: companyPath,
      success: envelope(Schema.Struct({ items: Schema.Array(PageTextsShape) }))
    }).annotate(OpenApi.Summary, "The texts of hosted pages and of confirmation emails, by language"),
    HttpApiEndpoint.put("setPageTexts", "/companies/:companyId/page-texts/:language", {
      params: { ...companyPath, language: Schema.String },
      payload: Schema.Struct({
        texts: Schema.Record(Schema.String, Schema.NullOr(textUpTo(maxOwnText)))
      }),
      success: envelope(PageTextsShape)
    }).annotate(OpenApi.Summary, "Replace the company's own texts of a language; {} restores the service's"),
    HttpApiEndpoint.post("openAccess", "/companies/:companyId/access", {
      params: companyPath,
      payload: Schema.Struct({
        reason: textUpTo(maxAccessReason),
        hours: Schema.Number.annotate({ minimum: 1, maximum: maxAccessHours })
      }),
      success: envelope(Schema.Struct({ until: Schema.String }))
    }),
    HttpApiEndpoint.delete("closeAccess", "/companies/:companyId/access", {
      params: companyPath,
      success: envelope(Schema.Null)
    })
  )
  .pipe(
    requiring({
      create: "companies:write",
      list: "SignedIn",
      get: "company:read",
      change: "company:write",
      remove: confirmed("company:delete"),
      restore: unconfirmed("company:delete"),
      brand: "company:read",
      setBrand: "brand:write",
      pageTexts: "company:read",
      setPageTexts: "brand:write",
      openAccess: "companies:write",
      closeAccess: "companies:write"
    })
  ) {}
