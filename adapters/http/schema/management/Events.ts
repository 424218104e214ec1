/**
 * Defines the management endpoints of reported events.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { eventSources, eventStatuses } from "../../../../core/model/Event.ts"
import { envelope } from "../Envelope.ts"
import { anyOf, byId, listOf, search, sortedListing, timeRange } from "../Lists.ts"
import { requiring } from "../Requirements.ts"
import { id, storable } from "../Fields.ts"
import { EventWriteShape, RejectedEventShape } from "../public/Events.ts"
import { accountPath } from "./Path.ts"

const EventShape = Schema.Struct({
  id: Schema.String,
  eventId: Schema.String,
  name: Schema.String,
  occurredAt: Schema.String,
  status: Schema.Literals(eventStatuses),
  source: Schema.Literals(eventSources),
  failure: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  contactId: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Event" })

const EventsReportShape = Schema.Struct({
  accepted: Schema.Int,
  duplicates: Schema.Int,
  rejected: Schema.Array(RejectedEventShape)
}).annotate({ identifier: "EventsReport" })

/** The operator's routes of events. */
export class ManagedEventsGroup extends HttpApiGroup.make("managedEvents")
  .add(
    HttpApiEndpoint.get("list", "/accounts/:accountId/events", {
      params: accountPath,
      query: {
        ...sortedListing({ time: byId }, "-time"),
        ...timeRange,
        name: anyOf(storable),
        status: anyOf(Schema.Literals(eventStatuses)),
        source: anyOf(Schema.Literals(eventSources), "Who reported it"),
        contactId: anyOf(id, "On the timeline of this contact"),
        q: search("The id of an event, the customer's or the service's, or the code of a failure")
      },
      success: envelope(listOf(EventShape))
    }),
    HttpApiEndpoint.post("accept", "/accounts/:accountId/events", {
      params: accountPath,
      payload: EventWriteShape,
      success: envelope(EventsReportShape)
    }).annotate(OpenApi.Summary, "Report an event")
  )
  .annotate(OpenApi.Title, "Events")
  .pipe(
    requiring({
      list: "events:read",
      accept: "contacts:write"
    })
  ) {}
