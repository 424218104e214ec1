/**
 * Whether a value is of a shape as it stands, so that decoding it would give an equal one. Most bodies are, and to see
 * that costs a fraction of decoding them: a batch has a thousand.
 *
 * @module
 */
import type { SchemaAST } from "effect"

/** Whether a value is of the shape, with no key too many. */
export type IsExact = (value: unknown) => boolean

/** The check of a schema; null for one with parts that decoding changes or checks further. */
export const makeIsExact = (ast: SchemaAST.AST): IsExact | null => {
  if (ast.checks !== undefined || ast.encoding !== undefined) return null
  switch (ast._tag) {
    case "String":
      return (value) => typeof value === "string"
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
    default:
      return null
  }
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
