/**
 * Checks the types of request bodies by their schema. The core checks all other rules.
 *
 * @module
 */
import { Result, Schema, SchemaIssue } from "effect"
import { makeIsExact } from "./ExactShape.ts"

/** Why a body does not have the shape: messages by request field path. */
export interface ShapeErrors {
  readonly errors: Record<string, ReadonlyArray<string>>
}

/** Checks a value against a shape. */
export type CheckShape<A> = (value: unknown) => Result.Result<A, ShapeErrors>

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Makes the check of a schema, once, at start. Keys that the schema lacks are left out. */
export const makeShape = <S extends Schema.ConstraintDecoder<unknown>>(schema: S): CheckShape<S["Type"]> => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  const isExact = makeIsExact(schema.ast) ?? (() => false)
  return (value) =>
    isExact(value)
      ? Result.succeed(value as S["Type"])
      : Result.mapError(decode(value), (error) => ({ errors: group(error.issue) }))
}

const group = (issue: SchemaIssue.Issue): Record<string, ReadonlyArray<string>> => {
  const errors: Record<string, Array<string>> = {}
  for (const { message, path } of format(issue).issues) {
    const field = fieldOf(path ?? [])
    ;(errors[field] ??= []).push(message)
  }
  return errors
}

/** A path such as `consent.proof.text` or `events[3].name`; `body` for the whole. */
const fieldOf = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string => {
  let field = ""
  for (const segment of path) {
    const key = typeof segment === "object" ? segment.key : segment
    field += typeof key === "number" ? `[${key}]` : (field === "" ? "" : ".") + String(key)
  }
  return field === "" ? "body" : field
}
