/**
 * Checks whether a value already has a shape, so that decoding would return an equal value. Most bodies do. The check costs
 * a fraction of decoding, which matters for a batch of up to a thousand items.
 *
 * @module
 */
import type { SchemaAST } from "effect"

/** Whether a value has the shape, without additional keys. */
export type IsExact = (value: unknown) => boolean

/** Makes the check for a type whose values are JSON. Throws for a type that no body has. */
export const makeIsExact = (ast: SchemaAST.AST): IsExact => {
  const isExact = makeIsExactBase(ast)
  const filters = (ast.checks ?? []).map((check) => {
    if (check._tag !== "Filter") throw unsupported(check._tag)
    return check
  })
  if (filters.length === 0) return isExact
  return (value) => isExact(value) && filters.every((filter) => filter.run(value, ast, {}) === undefined)
}

const unsupported = (tag: string) => new Error(`A body's shape has a part that is not checked: ${tag}`)

const makeIsExactBase = (ast: SchemaAST.AST): IsExact => {
  switch (ast._tag) {
    case "String":
      return (value) => typeof value === "string"
    case "Number":
      return (value) => typeof value === "number"
    case "Boolean":
      return (value) => typeof value === "boolean"
    case "Null":
      return (value) => value === null
    case "Literal":
      return (value) => value === ast.literal
    case "Unknown":
      return () => true
    case "Union": {
      const members = ast.types.map(makeIsExact)
      return (value) => members.some((isMember) => isMember(value))
    }
    case "Objects":
      return makeIsExactObject(ast)
    case "Arrays":
      return makeIsExactArray(ast)
    case "Declaration":
      // A parsed body has only JSON values.
      if (isJson(ast)) return () => true
      throw unsupported(ast._tag)
    default:
      throw unsupported(ast._tag)
  }
}

const isJson = ({ annotations }: SchemaAST.Declaration): boolean =>
  (annotations?.["representation"] as { readonly id?: string } | undefined)?.id === "effect/schema/Json"

const makeIsExactArray = ({ elements, rest }: SchemaAST.Arrays): IsExact => {
  const [entry] = rest
  if (elements.length > 0 || rest.length !== 1 || entry === undefined) throw unsupported("tuple")
  const isEntry = makeIsExact(entry)
  return (value) => Array.isArray(value) && value.every(isEntry)
}

const makeIsExactObject = (ast: SchemaAST.Objects): IsExact => {
  const others = ast.indexSignatures.map(({ parameter, type }) => {
    if (parameter._tag !== "String") throw unsupported("index signature")
    return makeIsExact(type)
  })
  if (others.length > 1) throw unsupported("index signatures")
  const [other = () => false] = others
  const properties = new Map(ast.propertySignatures.map(({ name, type }) => [name, makeIsExact(type)]))
  const required = ast.propertySignatures
    .filter(({ type }) => type.context?.isOptional !== true)
    .map(({ name }) => name)

  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false
    for (const key of Object.keys(value)) {
      const isExact = properties.get(key) ?? other
      if (!isExact((value as Readonly<Record<string, unknown>>)[key])) return false
    }
    return required.every((key) => Object.hasOwn(value, key))
  }
}
