/**
 * Defines the management endpoints of account archives: export and import.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { envelope, IsExpensive, MaxBody } from "../Envelope.ts"
import { confirmed, requiring, unconfirmed } from "../Requirements.ts"
import { accountPath } from "./Path.ts"

/** The media type of JSON lines. */
export const ndjson = "application/x-ndjson"

const maxBatchBytes = 32 * 1024 * 1024

const CountsShape = Schema.Struct({
  added: Schema.Int,
  changed: Schema.Int,
  unchanged: Schema.Int,
  refused: Schema.Int
}).annotate({ identifier: "ArchiveLineCounts" })

/** The results of a batch of archive lines. */
export const ReportShape = Schema.Struct({
  counts: Schema.Record(Schema.String, CountsShape),
  refused: Schema.Array(
    Schema.Struct({
      line: Schema.Int,
      kind: Schema.NullOr(Schema.String),
      errors: Schema.Array(
        Schema.Struct({ code: Schema.String, field: Schema.NullOr(Schema.String), message: Schema.String })
      )
    })
  )
}).annotate({ identifier: "ArchiveReport" })

/** The routes of account archives. */
export class ArchiveGroup extends HttpApiGroup.make("archive")
  .add(
    HttpApiEndpoint.get("export", "/accounts/:accountId/export", {
      params: accountPath,
      query: { after: Schema.optionalKey(Schema.String) },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: ndjson }))
    })
      .annotate(IsExpensive, true)
      .annotate(OpenApi.Summary, "Read a page of an account's archive")
      .annotate(
        OpenApi.Description,
        "One JSON object a line; the first line of the first page is the archive's header. The header `Link` with " +
          '`rel="next"` (RFC 8288) names the next page, and is missing on the last. The pages one after the other are ' +
          "the archive: settings, topics, contact fields, segments, templates, flows, stores and webhooks without " +
          "their secrets, suppressed addresses, contacts with consent, history and proofs, the catalogue."
      ),
    HttpApiEndpoint.post("import", "/accounts/:accountId/import", {
      params: accountPath,
      payload: Schema.String.pipe(HttpApiSchema.asText({ contentType: ndjson })),
      success: envelope(ReportShape)
    })
      .annotate(MaxBody, maxBatchBytes)
      .annotate(OpenApi.Summary, "Import a batch of an archive's lines into an account")
      .annotate(
        OpenApi.Description,
        "The archive's header, then up to 999 of its lines, in its order, up to 32 MB. A line is rejected by itself; the " +
          "others are imported. A line imported again changes nothing."
      )
  )
  .annotate(OpenApi.Title, "Archives")
  .pipe(
    requiring({
      export: confirmed("archive:export"),
      import: unconfirmed("archive:export")
    })
  ) {}
