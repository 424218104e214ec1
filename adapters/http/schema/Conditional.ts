/**
 * Defines the parts that endpoints of editable resources share: the header of a conditional change, and the last change.
 *
 * @module
 */
import { Schema } from "effect"
import { actorKinds } from "../../../core/model/Actor.ts"

/** The header of an endpoint whose changes can be conditional. Such an endpoint replies with the new ETag. */
export const conditional = {
  "if-match": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The ETag of the version to change, or `*` for any; if another version is current, nothing changes and the call " +
        "is rejected with 412 `common.edited_meanwhile`"
    })
  )
}

/** When a resource was last changed, and by whom. */
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
