/**
 * Defines the topics endpoint of the public API (docs/contributing/public-api.md "Segments and topics").
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { EndpointGuard, envelope, keyWith } from "../Envelope.ts"
import { id } from "../Fields.ts"
import { Notes } from "../Notes.ts"
import { listTopics } from "../notes/audience.ts"

/** Fields of a topic. */
export const topicFields = {
  id,
  key: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  isArchived: Schema.Boolean
}

const TopicShape = Schema.Struct(topicFields).annotate({ identifier: "Topic" })

/** The customer's routes. */
export class TopicsGroup extends HttpApiGroup.make("topics")
  .add(
    HttpApiEndpoint.get("list", "/topics", { success: envelope(Schema.Array(TopicShape)) })
      .annotate(EndpointGuard, keyWith("contacts:read"))
      .annotate(OpenApi.Summary, "List topics")
      .annotate(Notes, listTopics)
  )
  .annotate(OpenApi.Title, "Topics")
  .annotate(OpenApi.Description, "What contacts can choose to hear about.") {}
