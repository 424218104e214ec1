/**
 * Defines what endpoints share whose resource people edit: the header of a conditional change, and who changed it last.
 *
 * @module
 */
import { Schema } from "effect"
import { actorKinds } from "../../../core/model/Actor.ts"

/** The header of an endpoint whose change may be conditional. Such an endpoint answers with the new ETag. */
export const conditional = {
  "if-match": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The ETag of the version to change, or `*` for any; if another version is current, nothing changes and the call " +
        "is rejected with 412 `common.edited_meanwhile`"
    })
  )
}

/** When and by whom something was changed last. */
export const editedFields = {
  updatedAt: Schema.String,
  updatedBy: Schema.NullOr(
    Schema.Struct({
      kind: Schema.Literals(actorKinds),
      id: Schema.NullOr(Schema.String),
      name: Schema.NullOr(Schema.String)
    })
  ).annotateKey({ description: "Null where an earlier version of the service kept no name" })
}
