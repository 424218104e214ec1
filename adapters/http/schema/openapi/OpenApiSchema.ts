/**
 * Converts JSON Schema 2020-12 to OpenAPI 3.0: `nullable` replaces the type null, `enum` with one value replaces
 * `const`, and a reference has no siblings (OpenAPI 3.0.0, Schema Object).
 *
 * @module
 */
import { Schema } from "effect"
import { publishedKeywords } from "../Fields.ts"
import type { SchemaObject, Schemas } from "./OpenApiModel.ts"

type JsonObject = { readonly [key: string]: unknown }

/** Schemas with their references. */
export interface CompiledSchemas {
  /** Schemas by the names that were given. */
  readonly schemas: Schemas
  /** Schemas with an identifier, by the identifier. */
  readonly components: Schemas
}

/** Compiles schemas together, so that a schema they share is written once. */
export const compileSchemas = (schemas: Readonly<Record<string, Schema.Top>>): CompiledSchemas => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(Schema.toType(Schema.Struct(schemas)), {
    includeAnnotationKey: (key) => publishedKeywords.includes(key)
  })
  const originals = originalsOf(definitions)
  const convert = converter(definitions as Readonly<Record<string, JsonObject>>, originals)
  const kept = Object.entries(definitions).filter(([name]) => !originals.has(name))
  return {
    schemas: convertAll(schema["properties"] as JsonObject, convert),
    components: convertAll(Object.fromEntries(kept), convert)
  }
}

/**
 * Returns the original of each definition that repeats another one. A schema used in several places can be compiled several
 * times, under names such as `Name` and `Name_1`.
 */
export const originalsOf = (definitions: JsonObject): ReadonlyMap<string, string> =>
  new Map(
    Object.keys(definitions).flatMap((name) => {
      const original = name.replace(/_\d+$/, "")
      const isRepeated =
        original !== name && JSON.stringify(definitions[name]) === JSON.stringify(definitions[original])
      return isRepeated ? [[name, original]] : []
    })
  )

type Convert = (schema: JsonObject) => SchemaObject

const convertAll = (schemas: JsonObject, convert: Convert): Schemas =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convert(schema as JsonObject)]))

const referencePrefix = "#/$defs/"

/** Keywords with the same meaning in both. */
const kept: ReadonlySet<string> = new Set([
  "type",
  "format",
  "description",
  "default",
  "required",
  "enum",
  ...publishedKeywords
])

/** Whether a bound excludes only numbers that JSON cannot represent exactly. */
const isVoidBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

const isNull = (schema: JsonObject): boolean => schema["type"] === "null"

/** Whether a schema is that of NaN and the infinities in an encoded number. JSON and the service do not have them. */
const isNotANumber = ({ enum: values }: JsonObject): boolean =>
  Array.isArray(values) && values.includes("NaN")

const converter = (
  definitions: Readonly<Record<string, JsonObject>>,
  originals: ReadonlyMap<string, string>
): Convert => {
  const convert: Convert = (schema) => {
    const { $ref: ownReference, allOf, anyOf, oneOf, ...rest } = schema
    const own = keywords(rest)
    const members = (allOf ?? []) as ReadonlyArray<JsonObject>
    const references = [ownReference, ...members.map((member) => member["$ref"])].filter(
      (reference) => typeof reference === "string"
    )
    const stated = members.filter((member) => member["$ref"] === undefined).map(convert)
    const base = Object.assign({}, own, ...stated) as SchemaObject
    const named = references.map((reference) => {
      const name = reference.slice(referencePrefix.length)
      return { $ref: `#/components/schemas/${originals.get(name) ?? name}` }
    })
    const [reference] = named
    if (reference !== undefined) return Object.keys(base).length === 0 ? reference : { ...base, allOf: named }
    const choices = (anyOf ?? oneOf) as ReadonlyArray<JsonObject> | undefined
    if (choices === undefined) return isNull(schema) ? { ...base, ...onlyNull } : withWhole(base)
    return { ...choice(choices.filter((one) => !isNotANumber(one))), ...base }
  }

  const keywords = (schema: JsonObject): SchemaObject => {
    const made: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(schema)) {
      if (key === "const") made["enum"] = [value]
      else if (key === "properties") made["properties"] = convertAll(value as JsonObject, convert)
      else if (key === "items") made["items"] = convert(value as JsonObject)
      else if (key === "additionalProperties") {
        // Additional properties are allowed by default. Stating that everywhere would hide where it matters.
        if (value !== true) made[key] = value === false ? false : convert(value as JsonObject)
      } else if (kept.has(key)) {
        if (!isVoidBound(key, value) && value !== "null") made[key] = value
      } else throw new Error(`OpenAPI 3.0 has no keyword ${key}.`)
    }
    return made
  }

  const choice = (choices: ReadonlyArray<JsonObject>): SchemaObject => {
    const others = choices.filter((one) => !isNull(one))
    const isNullable = others.length < choices.length
    const [only, ...more] = others.map(isNullable ? (one) => convert(resolved(one)) : convert)
    if (only === undefined) return onlyNull
    if (more.length === 0) return isNullable ? nullable(only) : only
    return { anyOf: [isNullable ? nullable(only) : only, ...more] }
  }

  /** Resolves a reference. A reference has no siblings, so the schema of a nullable one is written out. */
  const resolved = (schema: JsonObject): JsonObject =>
    typeof schema["$ref"] === "string"
      ? (definitions[schema["$ref"].slice(referencePrefix.length)] ?? schema)
      : schema

  return convert
}

/** The type null, which OpenAPI 3.0 does not have. */
const onlyNull: SchemaObject = { type: "object", nullable: true, enum: [null] }

/** Integers of the API have 32 bits (docs/contributing/public-api.md "Resources and their fields"). */
const withWhole = (schema: SchemaObject): SchemaObject =>
  schema.type === "integer" && schema.format === undefined ? { ...schema, format: "int32" } : schema

const nullable = (schema: SchemaObject): SchemaObject => {
  if (schema.anyOf !== undefined) {
    const [first, ...rest] = schema.anyOf
    return first === undefined ? schema : { ...schema, anyOf: [nullable(first), ...rest] }
  }
  if (schema.type === undefined) return schema
  return {
    ...schema,
    nullable: true,
    ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] })
  }
}
