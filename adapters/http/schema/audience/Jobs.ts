/**
 * Defines the management endpoints of jobs on many contacts or notifications.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { exportFormats, maxIds, maxTag } from "../../../../core/bulk/BulkActions.ts"
import { bulkJobKinds, bulkJobStates, contactJobKinds } from "../../../../core/model/BulkJob.ts"
import { envelope } from "../Envelope.ts"
import { id, listUpTo, oneOf, textUpTo, timestamp } from "../Fields.ts"
import { anyOf, byTime, listOf, sortedListing } from "../Lists.ts"
import { accountPath, resourcePath } from "../management/Path.ts"
import { confirmedByBody, requiring } from "../Requirements.ts"

/** A job as lists show it. */
export const JobShape = Schema.Struct({
  id,
  kind: Schema.Literals(bulkJobKinds),
  state: Schema.Literals(bulkJobStates),
  done: Schema.Int,
  total: Schema.NullOr(Schema.Int).annotateKey({ description: "Null until the items are counted" }),
  failed: Schema.Int,
  reportUrl: Schema.NullOr(Schema.String).annotateKey({
    description: "The path of the exported file, or of one row for each failure; for 7 days"
  }),
  createdBy: Schema.Struct({
    kind: Schema.String,
    id: Schema.NullOr(Schema.String),
    name: Schema.NullOr(Schema.String)
  }),
  createdAt: timestamp,
  finishedAt: Schema.NullOr(timestamp)
}).annotate({ identifier: "Job" })

const jobList = {
  params: accountPath,
  query: { ...sortedListing({ time: byTime }, "-time"), state: anyOf(Schema.Literals(bulkJobStates)) },
  success: envelope(listOf(JobShape))
}

/** The routes of jobs. */
export class JobsGroup extends HttpApiGroup.make("jobs")
  .add(
    HttpApiEndpoint.post("start", "/accounts/:accountId/contacts/bulk", {
      params: accountPath,
      payload: Schema.Struct({
        ids: Schema.optionalKey(listUpTo(Schema.String, maxIds)),
        filter: Schema.optionalKey(
          Schema.Record(Schema.String, Schema.Unknown).annotate({
            description: "Filters of the list of contacts by their names; `{}` for all contacts"
          })
        ),
        action: Schema.Struct({
          kind: oneOf(contactJobKinds),
          topic: Schema.optionalKey(textUpTo(200, "SetTopic: the topic's key")),
          on: Schema.optionalKey(Schema.Boolean),
          tag: Schema.optionalKey(textUpTo(maxTag, "AddTag, RemoveTag")),
          format: Schema.optionalKey(oneOf(exportFormats, "Export"))
        })
      }),
      success: envelope(JobShape)
    }).annotate(
      OpenApi.Summary,
      "Start a job on many contacts; consent, exports and erasure need their rights as well"
    ),
    HttpApiEndpoint.get("list", "/accounts/:accountId/jobs", jobList).annotate(
      OpenApi.Summary,
      "List the jobs that people started"
    ),
    HttpApiEndpoint.get("exports", "/accounts/:accountId/exports", jobList).annotate(
      OpenApi.Summary,
      "List the jobs that export"
    ),
    HttpApiEndpoint.get("get", "/accounts/:accountId/jobs/:id", {
      params: resourcePath,
      success: envelope(JobShape)
    }),
    HttpApiEndpoint.delete("cancel", "/accounts/:accountId/jobs/:id", {
      params: resourcePath,
      success: envelope(JobShape)
    }).annotate(OpenApi.Summary, "Cancel a job; what it did remains"),
    HttpApiEndpoint.get("report", "/accounts/:accountId/jobs/:id/report", {
      params: resourcePath,
      query: {
        after: Schema.optionalKey(
          Schema.Int.annotate({
            minimum: 0,
            description: "The part behind this row, as the header Link names it"
          })
        )
      },
      success: Schema.String
    }).annotate(
      OpenApi.Summary,
      "Download the exported file, or the failures of a job; the header Link names the next part"
    )
  )
  .pipe(
    requiring({
      start: confirmedByBody("contacts:write"),
      list: "contacts:read",
      exports: "contacts:read",
      get: "contacts:read",
      cancel: "contacts:write",
      report: confirmedByBody("contacts:read")
    })
  ) {}
