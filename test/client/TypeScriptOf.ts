/**
 * Converts the API's schemas to TypeScript types that do not depend on Effect, with descriptions as comments.
 *
 * @module
 */
import { type SchemaAST, SchemaRepresentation } from "effect"

type Representation = SchemaRepresentation.Representation

/** Types of several schemas, and the named types they refer to. */
export interface Types {
  /** The type expression of each schema, in order. */
  readonly expressions: ReadonlyArray<string>
  /** The declarations of the named types, by name. */
  readonly declarations: ReadonlyMap<string, string>
}

/** The types of the schemas' decoded sides. Schemas with an identifier become declarations. */
export const typesOf = (asts: readonly [SchemaAST.AST, ...Array<SchemaAST.AST>]): Types => {
  const { references, representations } = SchemaRepresentation.toRepresentations(asts)
  return {
    expressions: representations.map((representation) => expression(representation, "    ")),
    declarations: new Map(
      Object.entries(references)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, representation]) => [name, declaration(name, representation)])
    )
  }
}

/** An indented comment; empty if there is no description. */
export const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`

const declaration = (name: string, representation: Representation): string => {
  const about = comment(descriptionOf(representation), "")
  return representation._tag === "Objects"
    ? `${about}export interface ${name} ${expression(representation, "")}\n`
    : `${about}export type ${name} = ${expression(representation, "")}\n`
}

const descriptionOf = (annotated: object): string | undefined => {
  const { annotations } = annotated as { readonly annotations?: { readonly description?: unknown } }
  return typeof annotations?.description === "string" ? annotations.description : undefined
}

/** Whether a number is a time in a query, which is written as a string. */
const isTime = (annotated: object): boolean => {
  const { annotations } = annotated as { readonly annotations?: { readonly format?: unknown } }
  return annotations?.format === "date-time"
}

const expression = (type: Representation, indent: string): string => {
  switch (type._tag) {
    case "Reference":
      return type.$ref
    case "Number":
      return isTime(type) ? "string" : "number"
    case "String":
    case "Boolean":
    case "Null":
    case "Unknown":
      return type._tag.toLowerCase()
    case "Literal":
      return JSON.stringify(type.literal)
    case "Union":
      return type.types.map((one) => expression(one, indent)).join(" | ")
    case "Arrays":
      return `ReadonlyArray<${expression(onlyRest(type), indent)}>`
    case "Objects":
      return objects(type, indent)
    case "Declaration":
      if (type.representation?.id === "effect/schema/Json") return "unknown"
      throw new Error(`No type for ${type.representation?.id ?? "a declaration"}.`)
    default:
      throw new Error(`No type for ${type._tag}.`)
  }
}

const onlyRest = ({ elements, rest }: SchemaRepresentation.Arrays): Representation => {
  const [item] = rest
  if (item === undefined || rest.length > 1 || elements.length > 0) throw new Error("No type for a tuple.")
  return item
}

const objects = (
  { indexSignatures, propertySignatures }: SchemaRepresentation.Objects,
  indent: string
): string => {
  const inner = `${indent}  `
  const lines = [
    ...propertySignatures.map((property) => {
      const { isOptional, name, type } = property
      const about = comment(descriptionOf(property) ?? descriptionOf(type), inner)
      const mayLack = isOptional ? " | undefined" : ""
      return `${about}${inner}readonly ${String(name)}${isOptional ? "?" : ""}: ${expression(type, inner)}${mayLack}\n`
    }),
    ...indexSignatures.map(({ type }) => `${inner}readonly [key: string]: ${expression(type, inner)}\n`)
  ]
  return lines.length === 0 ? "Readonly<Record<string, unknown>>" : `{\n${lines.join("")}${indent}}`
}
