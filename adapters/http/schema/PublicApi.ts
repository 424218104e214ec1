/**
 * Defines the public API, version v1: every endpoint under `{base_url}/api/v1`. The published document is generated
 * from this definition, and the served routes are bound to it.
 *
 * @module
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { OrdersGroup } from "./public/Orders.ts"
import { ContactFieldsGroup } from "./public/ContactFields.ts"
import { ContactsGroup } from "./public/Contacts.ts"
import { EventsGroup } from "./public/Events.ts"
import { ItemsGroup } from "./public/Items.ts"
import { SegmentsGroup } from "./public/Segments.ts"
import { SendingGroup } from "./public/Sending.ts"
import { TopicsGroup } from "./public/Topics.ts"

/** The definition of the whole public API. */
export class PublicApi extends HttpApi.make("public")
  // Contact attributes need a field first, so this order makes the examples succeed.
  .add(ContactFieldsGroup)
  .add(ContactsGroup)
  .add(SegmentsGroup)
  .add(TopicsGroup)
  .add(EventsGroup)
  .add(SendingGroup)
  .add(ItemsGroup)
  .add(OrdersGroup)
  .prefix("/api/v1")
  .annotate(OpenApi.Title, "svc")
  .annotate(OpenApi.Version, "v1") {}
