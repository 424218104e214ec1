/**
 * Defines the response of a batch whose items succeed or fail each by itself.
 *
 * @module
 */
import { Schema } from "effect"
import { id } from "./Fields.ts"

/** The maximum size of a batch in bytes. */
export const maxBatchBody = 32 * 1024 * 1024

/**
 * @param identifier the name of a result in the OpenAPI description
 * @param statuses the names of a write that created, updated or failed
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
