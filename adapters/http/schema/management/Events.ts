/**
 * Defines the management endpoint of reported events.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { eventStatuses } from "../../../../core/model/Event.ts"
import { envelope, pageOf, paging } from "../Envelope.ts"
import { requiring } from "../Requirements.ts"
import { id, storable } from "../Fields.ts"
import { accountPath } from "./Path.ts"

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
      params: accountPath,
      query: {
        ...paging,
        name: Schema.optionalKey(storable),
        status: Schema.optionalKey(Schema.Literals(eventStatuses)),
        contactId: Schema.optionalKey(id)
      },
      success: envelope(pageOf(EventShape))
    })
  )
  .annotate(OpenApi.Title, "Events")
  .pipe(
    requiring({
      list: "events:read"
    })
  ) {}
