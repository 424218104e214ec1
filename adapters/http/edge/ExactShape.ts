/**
 * Checks whether a value already has a shape, so that decoding would return an equal one. Most bodies do, and the check
 * costs a fraction of decoding: a batch has up to a thousand items.
 *
 * @module
 */
import type { SchemaAST } from "effect"

/** Whether a value has the shape, without extra keys. */
export type IsExact = (value: unknown) => boolean

/** The check of a schema; null for one with parts that decoding changes. */
export const makeIsExact = (ast: SchemaAST.AST): IsExact | null => {
  if (ast.encoding !== undefined) return null
  const isExact = makeIsExactBase(ast)
  const { checks } = ast
  if (isExact === null || checks === undefined) return isExact
  const filters = checks.flatMap((check) => (check._tag === "Filter" ? [check] : []))
  if (filters.length < checks.length) return null
  return (value) => isExact(value) && filters.every((filter) => filter.run(value, ast, {}) === undefined)
}

const makeIsExactBase = (ast: SchemaAST.AST): IsExact | null => {
  switch (ast._tag) {
    case "String":
      return (value) => typeof value === "string"
    case "Number":
      return (value) => typeof value === "number"
    case "Boolean":
      return (value) => typeof value === "boolean"
    case "Null":
      return (value) => value === null
    case "Unknown":
      return () => true
    case "Union": {
      const members = allOf(ast.types.map(makeIsExact))
      return members === null ? null : (value) => members.some((isMember) => isMember(value))
    }
    case "Objects":
      return makeIsExactObject(ast)
    case "Arrays":
      return makeIsExactArray(ast)
    default:
      return null
  }
}

const makeIsExactArray = ({ elements, rest }: SchemaAST.Arrays): IsExact | null => {
  const [entry] = rest
  if (elements.length > 0 || rest.length !== 1 || entry === undefined) return null
  const isEntry = makeIsExact(entry)
  return isEntry === null ? null : (value) => Array.isArray(value) && value.every(isEntry)
}

const makeIsExactObject = (ast: SchemaAST.Objects): IsExact | null => {
  const checks = allOf(ast.propertySignatures.map(({ type }) => makeIsExact(type)))
  const others = allOf(
    ast.indexSignatures.map(({ parameter, type }) => (parameter._tag === "String" ? makeIsExact(type) : null))
  )
  if (checks === null || others === null || others.length > 1) return null
  const [other = () => false] = others
  const properties = new Map(ast.propertySignatures.map(({ name }, index) => [name, checks[index]!]))
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

const allOf = (checks: ReadonlyArray<IsExact | null>): ReadonlyArray<IsExact> | null =>
  checks.every((check) => check !== null) ? checks : null
