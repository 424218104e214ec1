/**
 * Defines the management endpoints of imports.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { delimiters, importStatuses, maxFileBytes } from "../../../../core/model/ContactImport.ts"
import { envelope, IsExpensive, MaxBody } from "../Envelope.ts"
import { anyOf, byTime, listOf, sortedListing } from "../Lists.ts"
import { requiring } from "../Requirements.ts"
import { accountPath, resourcePath } from "./Path.ts"

/** `mapping`: column header to target. */
export const MappingShape = Schema.Record(Schema.String, Schema.String)

const text = Schema.optionalKey(Schema.String)

/** `consent`: given for all rows. */
export const ImportConsentShape = Schema.Struct({
  basis: Schema.String,
  proof: Schema.optionalKey(
    Schema.Struct({ text, textVersion: text, locale: text, ipAddress: text, givenAt: text })
  )
})

const ImportShape = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  status: Schema.Literals(importStatuses),
  mapping: MappingShape,
  delimiter: Schema.Literals(delimiters),
  size: Schema.Int,
  processed: Schema.Int,
  rows: Schema.Struct({
    read: Schema.Int,
    created: Schema.Int,
    updated: Schema.Int,
    failed: Schema.Int
  }),
  dryRun: Schema.Boolean.annotateKey({
    description: "Whether the rows are only tried, and nothing is written"
  }),
  failure: Schema.NullOr(
    Schema.Struct({ code: Schema.String, message: Schema.String, line: Schema.NullOr(Schema.Int) })
  ),
  createdAt: Schema.String,
  finishedAt: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Import" })

/** The routes of imports. */
export class ImportsGroup extends HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.post("start", "/accounts/:accountId/imports", {
      params: accountPath,
      query: {
        name: text,
        mapping: text,
        consent: text,
        delimiter: Schema.optionalKey(Schema.Literals([...delimiters, "tab"])),
        dryRun: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description: "Whether the rows are only tried: counted, with their errors, and nothing is written"
          })
        )
      },
      payload: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
      success: envelope(ImportShape).pipe(HttpApiSchema.status(202))
    })
      .annotate(MaxBody, maxFileBytes)
      .annotate(OpenApi.Summary, "Import contacts from a CSV file")
      .annotate(
        OpenApi.Description,
        "The body is the file: UTF-8, its first row naming the columns, up to 256 MB. `mapping` is a JSON object of " +
          "column header to target: a field of the contact write shape, `attributes.<key>`, `topics.<key>`, " +
          "`consent.basis`, `consent.proof.<field>` or `ignored`. Columns it does not name are ignored; without it, " +
          "the headers are the targets. `consent` is a JSON object as in the contact write shape, given for all " +
          "rows. `delimiter` is one of `,` `;` `|` `tab`, detected unless given. An empty field leaves the " +
          "contact's value."
      ),
    HttpApiEndpoint.get("list", "/accounts/:accountId/imports", {
      params: accountPath,
      query: { ...sortedListing({ time: byTime }, "-time"), state: anyOf(Schema.Literals(importStatuses)) },
      success: envelope(listOf(ImportShape))
    }),
    HttpApiEndpoint.get("get", "/accounts/:accountId/imports/:id", {
      params: resourcePath,
      success: envelope(ImportShape)
    }),
    HttpApiEndpoint.get("errors", "/accounts/:accountId/imports/:id/errors", {
      params: resourcePath,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
    })
      .annotate(IsExpensive, true)
      .annotate(OpenApi.Summary, "Download the rows that failed")
      .annotate(
        OpenApi.Description,
        "CSV: `line`, `codes`, then the file's columns. Holds the first 10,000 rows that failed, for 30 days."
      ),
    HttpApiEndpoint.delete("cancel", "/accounts/:accountId/imports/:id", {
      params: resourcePath,
      success: envelope(ImportShape)
    }).annotate(OpenApi.Summary, "Cancel an import; rows written stay")
  )
  .annotate(OpenApi.Title, "Imports")
  .pipe(
    requiring({
      start: "contacts:import",
      list: "contacts:read",
      get: "contacts:read",
      errors: "contacts:read",
      cancel: "contacts:import"
    })
  ) {}
