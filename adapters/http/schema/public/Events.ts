/**
 * Defines the events endpoint of the public API (docs/contributing/public-api.md "Events").
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { maxEventId, maxEventName, maxEvents } from "../../../../core/events/EventRules.ts"
import { maxBatchBody } from "../BatchResults.ts"
import { ContactWriteShape } from "./Contacts.ts"
import { BatchList, EndpointGuard, envelope, keyWith, MaxBody, maybe } from "../Envelope.ts"
import { asWritten, listUpTo, timestampWithOffset, textUpTo } from "../Fields.ts"
import { Notes } from "../Notes.ts"
import { acceptEvents } from "../notes/events.ts"

/** The shape of an event. */
export const EventWriteShape = Schema.Struct({
  id: maybe(textUpTo(maxEventId)).annotateKey({
    description: "Your own id, unique in the account; required"
  }),
  name: maybe(textUpTo(maxEventName)).annotateKey({ description: "Required" }),
  occurredAt: maybe(timestampWithOffset),
  contact: maybe(ContactWriteShape),
  properties: Schema.optionalKey(Schema.Unknown.annotate(asWritten))
}).annotate({ identifier: "EventWrite" })

/** An event that was rejected, and the reasons. */
export const RejectedEventShape = Schema.Struct({
  index: Schema.Int,
  reasons: Schema.Array(
    Schema.Struct({
      code: Schema.String,
      field: Schema.NullOr(Schema.String),
      params: Schema.optionalKey(Schema.Struct({ more: Schema.Int })).annotateKey({
        description: "On the last reason, where further ones are not listed: their number"
      })
    })
  )
}).annotate({ identifier: "RejectedEvent" })

/** The routes of events. */
export class EventsGroup extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.post("accept", "/events", {
      payload: Schema.Struct({ events: listUpTo(EventWriteShape, maxEvents).annotate({ minItems: 1 }) }),
      success: envelope(
        Schema.Struct({
          accepted: Schema.Int,
          duplicates: Schema.Int,
          rejected: Schema.Array(RejectedEventShape)
        })
      )
    })
      .annotate(EndpointGuard, keyWith("events:write"))
      .annotate(BatchList, {
        name: "events",
        element: EventWriteShape,
        maxElements: maxEvents,
        maxValues: 40_000,
        tooDeep: { properties: "activity.event_properties_too_deep" }
      })
      .annotate(MaxBody, maxBatchBody)
      .annotate(OpenApi.Summary, "Report up to 100 events")
      .annotate(Notes, acceptEvents)
  )
  .annotate(OpenApi.Title, "Events")
  .annotate(OpenApi.Description, "What people did in your product; it starts flows.") {}
