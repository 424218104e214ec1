/**
 * Compares two versions of a schema and returns what breaks callers: a narrower request, a wider response.
 *
 * @module
 */
import type { SchemaObject, Schemas } from "../../adapters/http/schema/openapi/OpenApiModel.ts"

/** Two versions of a schema. */
export interface SchemaPair {
  /** The path of the schema, for the change's line. */
  readonly where: string
  readonly direction: "request" | "response"
  readonly before: SchemaObject
  readonly after: SchemaObject
  /** The schemas that each version refers to. */
  readonly older: Schemas
  readonly newer: Schemas
}

const resolve = (schema: SchemaObject, schemas: Schemas): SchemaObject => {
  if (schema.$ref !== undefined) return resolve(schemas[schema.$ref.split("/").at(-1)!] ?? {}, schemas)
  const { allOf, ...own } = schema
  return allOf === undefined ? schema : Object.assign(own, ...allOf.map((one) => resolve(one, schemas)))
}

/** Upper limits, which must not decrease in requests. */
const ceilings = ["maxLength", "maxItems", "maxProperties", "maximum"] as const
/** Lower limits, which must not increase in requests. */
const floors = ["minLength", "minItems", "minimum"] as const

const limitChanges = (before: SchemaObject, after: SchemaObject): ReadonlyArray<string> => [
  ...ceilings
    .filter((limit) => (after[limit] ?? Infinity) < (before[limit] ?? Infinity))
    .map((limit) => `${limit} came down`),
  ...floors
    .filter((limit) => (after[limit] ?? -Infinity) > (before[limit] ?? -Infinity))
    .map((limit) => `${limit} went up`),
  ...(after.pattern !== undefined && after.pattern !== before.pattern ? ["the pattern changed"] : [])
]

const textsOf = (values: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  values.filter((value) => value !== null).map((value) => JSON.stringify(value))

const enumChanges = (
  from: ReadonlyArray<unknown> | undefined,
  to: ReadonlyArray<unknown> | undefined,
  verb: string
): ReadonlyArray<string> => {
  if (to === undefined) return []
  if (from === undefined) return [`the values were ${verb} a list`]
  const known = textsOf(to)
  return textsOf(from)
    .filter((value) => !known.includes(value))
    .map((value) => `${value} was ${verb} the values`)
}

/** Members of a union are identified by their whole schema. */
const choicesOf = (schema: SchemaObject, schemas: Schemas): ReadonlyArray<string> =>
  (schema.anyOf ?? []).map((one) => JSON.stringify(resolve(one, schemas)))

/** Changes of the schema itself, without nested schemas. */
const ownChanges = ({ after, before, direction, newer, older }: SchemaPair): ReadonlyArray<string> => {
  const [oldChoices, newChoices] = [choicesOf(before, older), choicesOf(after, newer)]
  const [narrow, wide] = direction === "request" ? [newChoices, oldChoices] : [oldChoices, newChoices]
  const nullable = direction === "request" ? before : after
  const notNullable = direction === "request" ? after : before
  const [oldRequired, newRequired] = [before.required ?? [], after.required ?? []]
  return [
    ...(before.type === after.type ? [] : ["the type changed"]),
    ...(before.format === after.format ? [] : ["the format changed"]),
    ...(nullable.nullable === true && notNullable.nullable !== true
      ? [direction === "request" ? "null is rejected" : "it became nullable"]
      : []),
    ...(wide.some((choice) => !narrow.includes(choice)) ? ["the choices changed"] : []),
    ...(direction === "request"
      ? [
          ...limitChanges(before, after),
          ...enumChanges(before.enum, after.enum, "taken from"),
          ...newRequired
            .filter((name) => !oldRequired.includes(name))
            .map((name) => `${name} became required`),
          ...(after.additionalProperties === false && before.additionalProperties !== false
            ? ["other fields are rejected"]
            : [])
        ]
      : [
          ...enumChanges(after.enum, before.enum, "added to"),
          ...oldRequired
            .filter((name) => !newRequired.includes(name) && after.properties?.[name] !== undefined)
            .map((name) => `${name} became optional`)
        ])
  ]
}

/** Every breaking change of a schema and its nested schemas. */
export const schemaChanges = (pair: SchemaPair): ReadonlyArray<string> => compare(pair, new Set())

const compare = (given: SchemaPair, seen: ReadonlySet<string>): ReadonlyArray<string> => {
  const references = `${given.before.$ref} ${given.after.$ref}`
  const isNamed = given.before.$ref !== undefined || given.after.$ref !== undefined
  if (isNamed && seen.has(references)) return []
  const within = isNamed ? new Set([...seen, references]) : seen
  const before = resolve(given.before, given.older)
  const after = resolve(given.after, given.newer)
  const pair = { ...given, before, after }
  const inner = (where: string, one: SchemaObject | undefined, other: SchemaObject | undefined) =>
    one === undefined || other === undefined
      ? []
      : compare({ ...pair, where: `${pair.where}${where}`, before: one, after: other }, within)
  const [oldOthers, newOthers] = [before.additionalProperties, after.additionalProperties]
  return [
    ...ownChanges(pair).map((change) => `${pair.where}: ${change}`),
    ...Object.entries(before.properties ?? {}).flatMap(([name, property]) => {
      const other = after.properties?.[name]
      return other === undefined ? [`${pair.where}: ${name} was removed`] : inner(`.${name}`, property, other)
    }),
    ...inner("[]", before.items, after.items),
    ...inner(
      ".*",
      typeof oldOthers === "object" ? oldOthers : undefined,
      typeof newOthers === "object" ? newOthers : undefined
    )
  ]
}
