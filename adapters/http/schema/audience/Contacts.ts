/**
 * Defines the management endpoints that read and write single contacts, and those of contact fields.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { envelope } from "../Envelope.ts"
import { id } from "../Fields.ts"
import { accountPath, resourcePath } from "../management/Path.ts"
import { ContactFieldShape, FieldPatchShape, NewFieldShape } from "../public/ContactFields.ts"
import { ContactShape, ContactWriteShape } from "../public/Contacts.ts"
import { requiring, unconfirmed } from "../Requirements.ts"

const { id: _, ...patch } = ContactWriteShape.fields

/** The routes of single contacts that write. */
export class ManagedContactsGroup extends HttpApiGroup.make("managedContacts")
  .add(
    HttpApiEndpoint.post("write", "/accounts/:accountId/contacts", {
      params: accountPath,
      payload: ContactWriteShape,
      success: envelope(Schema.Struct({ contact: ContactShape, created: Schema.Boolean }))
    }).annotate(
      OpenApi.Summary,
      "Create or update a contact; `consent` and `topics` need the right consent:write"
    ),
    HttpApiEndpoint.get("get", "/accounts/:accountId/contacts/:id", {
      params: resourcePath,
      success: envelope(ContactShape)
    }),
    HttpApiEndpoint.patch("change", "/accounts/:accountId/contacts/:id", {
      params: resourcePath,
      payload: Schema.Struct(patch).annotate({ identifier: "ContactPatch" }),
      success: envelope(ContactShape)
    }).annotate(OpenApi.Summary, "Change a contact; `consent` and `topics` need the right consent:write"),
    HttpApiEndpoint.delete("erase", "/accounts/:accountId/contacts/:id", {
      params: resourcePath,
      success: envelope(Schema.Struct({ id }))
    }).annotate(OpenApi.Summary, "Erase a contact"),
    HttpApiEndpoint.get("consentRecord", "/accounts/:accountId/contacts/:id/consent-history/export", {
      params: resourcePath,
      success: Schema.String
    }).annotate(OpenApi.Summary, "Download a contact's consent history as JSON, oldest first"),
    HttpApiEndpoint.post("createField", "/accounts/:accountId/contact-attributes", {
      params: accountPath,
      payload: NewFieldShape,
      success: envelope(ContactFieldShape)
    }).annotate(OpenApi.Summary, "Create a contact field"),
    HttpApiEndpoint.get("listFields", "/accounts/:accountId/contact-attributes", {
      params: accountPath,
      success: envelope(Schema.Array(ContactFieldShape))
    }).annotate(OpenApi.Summary, "List contact fields"),
    HttpApiEndpoint.patch("updateField", "/accounts/:accountId/contact-attributes/:key", {
      params: { ...accountPath, key: Schema.String.annotate({ description: "The field's key" }) },
      payload: FieldPatchShape,
      success: envelope(ContactFieldShape)
    }).annotate(OpenApi.Summary, "Change a contact field")
  )
  .pipe(
    requiring({
      write: "contacts:write",
      get: "contacts:read",
      change: "contacts:write",
      erase: unconfirmed("contacts:erase"),
      consentRecord: "contacts:read",
      createField: "fields:write",
      listFields: "segments:read",
      updateField: "fields:write"
    })
  ) {}
