/**
 * The contact fields routes (public-api, Contact fields).
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { fieldTypes } from "../../../core/audience/ContactField.ts"
import { EndpointGuard, envelope, keyWith, maybe } from "./Envelope.ts"

const text = maybe(Schema.String)

const ContactFieldShape = Schema.Struct({
  key: Schema.String,
  label: Schema.String,
  type: Schema.Literals(fieldTypes),
  description: Schema.NullOr(Schema.String),
  createdFrom: Schema.Literals(["Ui", "Api", "Csv"]),
  createdAt: Schema.String,
  archivedAt: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ContactField" })

/** The routes of contact fields. */
export class ContactFieldsGroup extends HttpApiGroup.make("contactFields")
  .add(
    HttpApiEndpoint.post("create", "/contact-attributes", {
      payload: Schema.Struct({ key: Schema.String, label: text, type: text, description: text }),
      success: envelope(ContactFieldShape)
    })
      .annotate(EndpointGuard, keyWith("contacts:write"))
      .annotate(OpenApi.Summary, "Create a contact field"),
    HttpApiEndpoint.get("list", "/contact-attributes", {
      success: envelope(Schema.Array(ContactFieldShape))
    })
      .annotate(EndpointGuard, keyWith("contacts:read"))
      .annotate(OpenApi.Summary, "List contact fields"),
    HttpApiEndpoint.patch("update", "/contact-attributes/:key", {
      params: { key: Schema.String },
      payload: Schema.Struct({ label: text, description: text, archived: maybe(Schema.Boolean) }),
      success: envelope(ContactFieldShape)
    })
      .annotate(EndpointGuard, keyWith("contacts:write"))
      .annotate(OpenApi.Summary, "Change a contact field")
  )
  .annotate(OpenApi.Title, "Contact fields") {}
