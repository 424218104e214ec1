/**
 * Defines the contact fields endpoints of the public API (docs/contributing/public-api.md "Contact fields").
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { fieldTypes } from "../../../../core/model/ContactField.ts"
import { maxDescription, maxKey, maxLabel } from "../../../../core/audience/fields/FieldRules.ts"
import { EndpointGuard, envelope, keyWith, maybe } from "../Envelope.ts"
import { timestamp, oneOf, textUpTo } from "../Fields.ts"
import { Notes } from "../Notes.ts"
import { createField, listFields, updateField } from "../notes/contactFields.ts"

const label = maybe(textUpTo(maxLabel))
const description = maybe(textUpTo(maxDescription))

/** A contact field. */
export const ContactFieldShape = Schema.Struct({
  key: Schema.String,
  label: Schema.String,
  type: Schema.Literals(fieldTypes),
  description: Schema.NullOr(Schema.String),
  createdFrom: Schema.Literals(["Ui", "Api", "Csv"]),
  createdAt: timestamp,
  archivedAt: Schema.NullOr(timestamp)
}).annotate({ identifier: "ContactField" })

/** A new contact field. */
export const NewFieldShape = Schema.Struct({
  key: textUpTo(maxKey),
  label,
  type: maybe(oneOf(fieldTypes)),
  description
})

/** A change of a contact field. */
export const FieldPatchShape = Schema.Struct({ label, description, archived: maybe(Schema.Boolean) })

/** The routes of contact fields. */
export class ContactFieldsGroup extends HttpApiGroup.make("contactFields")
  .add(
    HttpApiEndpoint.post("create", "/contact-attributes", {
      payload: NewFieldShape,
      success: envelope(ContactFieldShape)
    })
      .annotate(EndpointGuard, keyWith("contacts:write"))
      .annotate(OpenApi.Summary, "Create a contact field")
      .annotate(Notes, createField),
    HttpApiEndpoint.get("list", "/contact-attributes", {
      success: envelope(Schema.Array(ContactFieldShape))
    })
      .annotate(EndpointGuard, keyWith("contacts:read"))
      .annotate(OpenApi.Summary, "List contact fields")
      .annotate(Notes, listFields),
    HttpApiEndpoint.patch("update", "/contact-attributes/:key", {
      params: { key: Schema.String.annotate({ description: "The field's key" }) },
      payload: FieldPatchShape,
      success: envelope(ContactFieldShape)
    })
      .annotate(EndpointGuard, keyWith("contacts:write"))
      .annotate(OpenApi.Summary, "Change a contact field")
      .annotate(Notes, updateField)
  )
  .annotate(OpenApi.Title, "Contact fields")
  .annotate(OpenApi.Description, "What you keep of contacts beyond the built-in fields.") {}
