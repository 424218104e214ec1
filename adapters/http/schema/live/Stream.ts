/**
 * Defines the management endpoint of the stream of an account.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { streamTopics } from "../../../../core/live/LiveStreams.ts"
import { anyOf } from "../Lists.ts"
import { requiring } from "../Requirements.ts"
import { accountPath } from "../management/Path.ts"

/** The route. */
export class StreamGroup extends HttpApiGroup.make("stream")
  .add(
    HttpApiEndpoint.get("open", "/accounts/:accountId/stream", {
      params: accountPath,
      query: {
        topics: anyOf(
          Schema.Literals(streamTopics),
          "What to stream; everything that the caller may list by default"
        )
      },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
    }).annotate(
      OpenApi.Summary,
      "Stream what happens in the account, as Server-Sent Events; Last-Event-ID resumes"
    )
  )
  .annotate(OpenApi.Title, "Stream")
  .pipe(requiring({ open: "SignedIn" })) {}
