/**
 * Defines the management endpoints of topics.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { envelope, maybe } from "../Envelope.ts"
import { byTime, listing, listOf } from "../Lists.ts"
import { requiring } from "../Requirements.ts"
import { topicFields } from "../public/Topics.ts"
import { accountPath, resourcePath } from "./Path.ts"

const ManagedTopicShape = Schema.Struct({ ...topicFields, defaultOn: Schema.Boolean }).annotate({
  identifier: "ManagedTopic"
})

/** The operator's routes. */
export class ManagedTopicsGroup extends HttpApiGroup.make("managedTopics")
  .add(
    HttpApiEndpoint.post("create", "/accounts/:accountId/topics", {
      params: accountPath,
      payload: Schema.Struct({
        key: Schema.String,
        name: Schema.String,
        description: maybe(Schema.String),
        defaultOn: maybe(Schema.Boolean)
      }),
      success: envelope(ManagedTopicShape)
    }),
    HttpApiEndpoint.get("list", "/accounts/:accountId/topics", {
      params: accountPath,
      query: listing(byTime),
      success: envelope(listOf(ManagedTopicShape))
    }),
    HttpApiEndpoint.patch("update", "/accounts/:accountId/topics/:id", {
      params: resourcePath,
      payload: Schema.Struct({
        name: maybe(Schema.String),
        description: maybe(Schema.String),
        isArchived: maybe(Schema.Boolean)
      }),
      success: envelope(ManagedTopicShape)
    })
  )
  .annotate(OpenApi.Title, "Topics")
  .pipe(
    requiring({
      create: "topics:write",
      list: "segments:read",
      update: "topics:write"
    })
  ) {}
