/**
 * Defines the management endpoint of the search.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { type SearchedKind, searchedKinds } from "../../../../core/app/Search.ts"
import { envelope, IsExpensive } from "../Envelope.ts"
import { requiring } from "../Requirements.ts"
import { accountPath } from "../management/Path.ts"

/** The route. */
export class SearchGroup extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.get("find", "/accounts/:accountId/search", {
      params: accountPath,
      query: {
        q: Schema.String.annotate({
          maxLength: 254,
          description: "An id, a Message-ID, an address, an order's number, or a part of a name"
        })
      },
      success: envelope(
        Schema.Struct({
          items: Schema.Array(
            Schema.Struct({
              kind: Schema.Literals(Object.keys(searchedKinds) as ReadonlyArray<SearchedKind>),
              id: Schema.String,
              title: Schema.String,
              detail: Schema.NullOr(Schema.String)
            })
          )
        })
      )
    }).annotate(OpenApi.Summary, "Find anything that the caller may list, the first five of each kind")
  )
  .annotateEndpoints(IsExpensive, true)
  .pipe(requiring({ find: "SignedIn" })) {}
