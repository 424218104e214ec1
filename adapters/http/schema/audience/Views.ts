/**
 * Defines the management endpoints of saved views.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { viewedLists } from "../../../../core/model/SavedView.ts"
import { maxViewName } from "../../../../core/users/SavedViews.ts"
import { envelope, maybe } from "../Envelope.ts"
import { id, oneOf, textUpTo, timestamp } from "../Fields.ts"
import { anyOf, byTime, listing, listOf } from "../Lists.ts"
import { accountPath, resourcePath } from "../management/Path.ts"
import { requiring } from "../Requirements.ts"

const filters = Schema.Record(Schema.String, Schema.Unknown)

const ViewShape = Schema.Struct({
  id,
  name: Schema.String,
  list: Schema.Literals(viewedLists),
  query: Schema.Struct({ filters, q: Schema.NullOr(Schema.String), sort: Schema.NullOr(Schema.String) }),
  columns: Schema.NullOr(Schema.Array(Schema.String)).annotateKey({
    description: "Null for the columns of the list"
  }),
  shared: Schema.Boolean,
  createdBy: Schema.Struct({
    kind: Schema.String,
    id: Schema.NullOr(Schema.String),
    name: Schema.NullOr(Schema.String)
  }),
  createdAt: timestamp
}).annotate({ identifier: "SavedView" })

const changeable = {
  query: Schema.optionalKey(
    Schema.Struct({ filters: maybe(filters), q: maybe(Schema.String), sort: maybe(Schema.String) })
  ),
  columns: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
  shared: Schema.optionalKey(Schema.Boolean)
}

/** The routes of saved views. */
export class ViewsGroup extends HttpApiGroup.make("views")
  .add(
    HttpApiEndpoint.get("list", "/accounts/:accountId/views", {
      params: accountPath,
      query: { ...listing(byTime), list: anyOf(Schema.Literals(viewedLists)) },
      success: envelope(listOf(ViewShape))
    }).annotate(OpenApi.Summary, "List one's own views and the shared ones"),
    HttpApiEndpoint.post("create", "/accounts/:accountId/views", {
      params: accountPath,
      payload: Schema.Struct({ name: textUpTo(maxViewName), list: oneOf(viewedLists), ...changeable }),
      success: envelope(ViewShape)
    }).annotate(OpenApi.Summary, "Save a view of a list"),
    HttpApiEndpoint.patch("change", "/accounts/:accountId/views/:id", {
      params: resourcePath,
      payload: Schema.Struct({ name: Schema.optionalKey(textUpTo(maxViewName)), ...changeable }),
      success: envelope(ViewShape)
    }).annotate(OpenApi.Summary, "Change a view; one that another shares needs the right company:write"),
    HttpApiEndpoint.delete("remove", "/accounts/:accountId/views/:id", {
      params: resourcePath,
      success: envelope(Schema.Null)
    }).annotate(OpenApi.Summary, "Delete a view; one that another shares needs the right company:write")
  )
  .pipe(requiring({ list: "SignedIn", create: "SignedIn", change: "SignedIn", remove: "SignedIn" })) {}
