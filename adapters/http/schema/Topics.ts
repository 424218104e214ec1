/**
 * The topics routes: the customer's (public-api, Segments and topics) and the operator's (management-api, A/topics).
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EndpointGuard, envelope, keyWith, managementOnly, maybe, pageOf, paging } from "./Envelope.ts"
import { id } from "./Fields.ts"
import { Notes } from "./Notes.ts"
import { listTopics } from "./notes/audience.ts"

const topicFields = {
  id,
  key: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  isArchived: Schema.Boolean
}

const TopicShape = Schema.Struct(topicFields).annotate({ identifier: "Topic" })

const ManagedTopicShape = Schema.Struct({ ...topicFields, defaultOn: Schema.Boolean }).annotate({
  identifier: "ManagedTopic"
})

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

/** The operator's routes. */
export class ManagedTopicsGroup extends HttpApiGroup.make("managedTopics")
  .add(
    HttpApiEndpoint.post("create", "/accounts/:accountId/topics", {
      params: { accountId: Schema.String },
      payload: Schema.Struct({
        key: Schema.String,
        name: Schema.String,
        description: maybe(Schema.String),
        defaultOn: maybe(Schema.Boolean)
      }),
      success: envelope(ManagedTopicShape)
    }),
    HttpApiEndpoint.get("list", "/accounts/:accountId/topics", {
      params: { accountId: Schema.String },
      query: paging,
      success: envelope(pageOf(ManagedTopicShape))
    }),
    HttpApiEndpoint.patch("update", "/accounts/:accountId/topics/:id", {
      params: { accountId: Schema.String, id: Schema.String },
      payload: Schema.Struct({
        name: maybe(Schema.String),
        description: maybe(Schema.String),
        isArchived: maybe(Schema.Boolean)
      }),
      success: envelope(ManagedTopicShape)
    })
  )
  .annotateEndpoints(EndpointGuard, managementOnly)
  .annotate(OpenApi.Title, "Topics") {}
