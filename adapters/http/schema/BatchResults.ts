/**
 * Defines the response of a batch whose elements succeed or fail individually.
 *
 * @module
 */
import { Schema } from "effect"
import { id } from "./Fields.ts"

/** The maximum size of a batch in bytes. */
export const maxBatchBody = 32 * 1024 * 1024

/**
 * @param identifier the name of a result in the OpenAPI description
 * @param statuses the names of the results: created, updated and failed
 */
export const batchResults = <const Statuses extends ReadonlyArray<string>>(
  identifier: string,
  statuses: Statuses
) =>
  Schema.Struct({
    created: Schema.Int,
    updated: Schema.Int,
    failed: Schema.Int,
    results: Schema.Array(
      Schema.Struct({
        index: Schema.Int,
        status: Schema.Literals(statuses),
        id: Schema.NullOr(id),
        errors: Schema.NullOr(
          Schema.Array(
            Schema.Struct({
              code: Schema.String,
              field: Schema.NullOr(Schema.String),
              params: Schema.NullOr(Schema.Record(Schema.String, Schema.Number))
            })
          )
        )
      }).annotate({ identifier })
    )
  })
