/**
 * The events routes (public-api, Events; management-api).
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { eventStatuses } from "../../../core/model/Event.ts"
import { maxEventId, maxEventName, maxEvents } from "../../../core/events/EventRules.ts"
import { maxBatchBody } from "./BatchAnswer.ts"
import { ContactWriteShape } from "./Contacts.ts"
import {
  CheckedShape,
  EndpointGuard,
  envelope,
  keyWith,
  managementOnly,
  MaxBody,
  maybe,
  pageOf,
  paging
} from "./Envelope.ts"
import { listUpTo, momentSent, textUpTo } from "./Fields.ts"
import { Notes } from "./Notes.ts"
import { acceptEvents } from "./notes/events.ts"

/** The shape of an event. */
export const EventWriteShape = Schema.Struct({
  id: maybe(textUpTo(maxEventId)).annotateKey({
    description: "Your own id, unique in the account; required"
  }),
  name: maybe(textUpTo(maxEventName)).annotateKey({ description: "Required" }),
  occurredAt: maybe(momentSent),
  contact: maybe(ContactWriteShape),
  properties: Schema.optionalKey(Schema.Unknown)
}).annotate({ identifier: "EventWrite" })

const RejectedEventShape = Schema.Struct({
  index: Schema.Int,
  reasons: Schema.Array(Schema.Struct({ code: Schema.String, field: Schema.NullOr(Schema.String) }))
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
      .annotate(CheckedShape, Schema.Struct({ events: Schema.Array(Schema.Unknown) }))
      .annotate(MaxBody, maxBatchBody)
      .annotate(OpenApi.Summary, "Report up to 100 events")
      .annotate(Notes, acceptEvents)
  )
  .annotate(OpenApi.Title, "Events")
  .annotate(OpenApi.Description, "What people did in your product; it starts flows.") {}

const EventShape = Schema.Struct({
  id: Schema.String,
  eventId: Schema.String,
  name: Schema.String,
  occurredAt: Schema.String,
  status: Schema.Literals(eventStatuses),
  failure: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  contactId: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Event" })

/** The operator's routes of events. */
export class ManagedEventsGroup extends HttpApiGroup.make("managedEvents")
  .add(
    HttpApiEndpoint.get("list", "/accounts/:accountId/events", {
      params: { accountId: Schema.String },
      query: {
        ...paging,
        name: Schema.optionalKey(Schema.String),
        status: Schema.optionalKey(Schema.Literals(eventStatuses)),
        contactId: Schema.optionalKey(Schema.String)
      },
      success: envelope(pageOf(EventShape))
    })
  )
  .annotateEndpoints(EndpointGuard, managementOnly)
  .annotate(OpenApi.Title, "Events") {}
