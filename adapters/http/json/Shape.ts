/**
 * Checks the types of request bodies by their schema. The core checks all other rules. A shape consists of JSON types, which
 * decoding leaves unchanged, except that it omits keys which the schema does not have.
 *
 * @module
 */
import { Result, type Schema, SchemaAST } from "effect"
import { isExactNumber, withDoubles } from "../../../core/shared/Json.ts"
import { cutPath, maxErrors } from "../../../core/shared/Problem.ts"
import { makeIsExact } from "./ExactShape.ts"
import type { Numbers } from "./StrictJson.ts"
import type { UnknownFields } from "./UnknownFields.ts"

/** Why a body does not match the shape. */
export interface ShapeErrors {
  /** The messages of at most {@link maxErrors} errors, by request field path. */
  readonly errors: Record<string, ReadonlyArray<string>>
  /** The number of further errors. */
  readonly more: number
}

/** Checks a value against a shape. */
export interface CheckShape<A> {
  /**
   * @param numbers the form of the value's numbers. Numbers that the shape does not keep as written become doubles
   * @param unknown collects the fields that the shape does not have
   */
  (value: unknown, numbers?: Numbers, unknown?: UnknownFields): Result.Result<A, ShapeErrors>
  /** The form in which the shape needs numbers. */
  readonly numbers: Numbers
}

const checks = new WeakMap<Schema.Constraint, CheckShape<unknown>>()

/** Makes the check of a schema, once, at the first start of the process. Keys that the schema does not have are omitted. */
export const makeShape = <S extends Schema.Constraint>(schema: S): CheckShape<S["Type"]> => {
  let check = checks.get(schema)
  if (check === undefined) checks.set(schema, (check = makeCheck(schema)))
  return check as CheckShape<S["Type"]>
}

const makeCheck = <S extends Schema.Constraint>(schema: S): CheckShape<S["Type"]> => {
  const ast = SchemaAST.toType(schema.ast)
  const isExact = makeIsExact(ast)
  const decode = makeDecode(ast)
  const check: (...args: Parameters<CheckShape<S["Type"]>>) => Result.Result<S["Type"], ShapeErrors> = (
    value,
    numbers = "doubles",
    unknown
  ) => {
    if (numbers === "doubles" && isExact(value)) return Result.succeed(value as S["Type"])
    const found = new Found(unknown)
    const decoded = decode(value, "", found)
    return found.count === 0
      ? Result.succeed(decoded as S["Type"])
      : Result.fail({ errors: found.errors, more: Math.max(0, found.count - maxErrors) })
  }
  return Object.assign(check, { numbers: keepsWritten(ast) ? "written" : "doubles" } as const)
}

/** Whether a part of a type is annotated to keep numbers as written. */
const keepsWritten = (ast: SchemaAST.AST): boolean => {
  if (SchemaAST.resolve(ast)?.["numbers"] === "written") return true
  switch (ast._tag) {
    case "Objects":
      return [...ast.propertySignatures, ...ast.indexSignatures].some(({ type }) => keepsWritten(type))
    case "Arrays":
      return ast.rest.some(keepsWritten)
    case "Union":
      return ast.types.some(keepsWritten)
    default:
      return false
  }
}

class Found {
  readonly errors: Record<string, Array<string>> = {}
  readonly unknown: UnknownFields | undefined
  count = 0

  constructor(unknown: UnknownFields | undefined) {
    this.unknown = unknown
  }

  add(path: string, expected: string): undefined {
    // Only errors that are reported are kept.
    if (++this.count <= maxErrors) (this.errors[path === "" ? "body" : cutPath(path)] ??= []).push(expected)
  }
}

/** Returns the decoded value, or adds errors. A path has a form such as `consent.proof.text` or `events[3].name`. */
type Decode = (value: unknown, path: string, found: Found) => unknown

const makeDecode = (ast: SchemaAST.AST): Decode => {
  switch (ast._tag) {
    case "Objects":
      return makeDecodeObject(ast)
    case "Arrays":
      return makeDecodeArray(ast)
    case "Union":
      return makeDecodeUnion(ast)
    default: {
      const isExact = makeIsExact(ast)
      const expected = `Expected ${nameOf(ast)}`
      const keeps = keepsWritten(ast)
      return (value, path, found) => {
        const plain = withDoubles(value)
        if (!isExact(plain)) return found.add(path, expected)
        return keeps ? value : plain
      }
    }
  }
}

const makeDecodeObject = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): Decode => {
  const properties = propertySignatures.map(({ name, type }) => ({
    name: String(name),
    decode: makeDecode(type),
    isRequired: type.context?.isOptional !== true
  }))
  const names = properties.map(({ name }) => name)
  const known = new Set(names)
  const [others] = indexSignatures.map(({ type }) => makeDecode(type))
  return (value, path, found) => {
    if (!isObject(value)) return found.add(path, "Expected object")
    const decoded: Record<string, unknown> = {}
    const below = path === "" ? "" : `${path}.`
    for (const { decode, isRequired, name } of properties) {
      if (Object.hasOwn(value, name)) decoded[name] = decode(value[name], below + name, found)
      else if (isRequired) found.add(below + name, "Missing key")
    }
    if (others !== undefined) {
      for (const key of Object.keys(value)) decoded[key] = others(value[key], below + key, found)
    } else if (found.unknown !== undefined) {
      for (const key of Object.keys(value)) if (!known.has(key)) found.unknown.add(below, key, names)
    }
    return decoded
  }
}

const makeDecodeArray = ({ rest }: SchemaAST.Arrays): Decode => {
  const decode = makeDecode(rest[0]!)
  return (value, path, found) =>
    Array.isArray(value)
      ? value.map((entry: unknown, index) => decode(entry, `${path}[${index}]`, found))
      : found.add(path, "Expected array")
}

/** The kind of the value determines the member of a union. */
const makeDecodeUnion = (ast: SchemaAST.Union): Decode => {
  const members = ast.types.map((type) => ({ isKind: isKindOf(type), decode: makeDecode(type) }))
  const hint = [ast, ...ast.types].map((type) => SchemaAST.resolve(type)?.["hint"])
  const expected = [`Expected ${nameOf(ast)}`, ...hint.filter((text) => typeof text === "string")].join(": ")
  return (value, path, found) => {
    const member = members.find(({ isKind }) => isKind(value))
    return member === undefined ? found.add(path, expected) : member.decode(value, path, found)
  }
}

const isKindOf = (ast: SchemaAST.AST): ((value: unknown) => boolean) => {
  switch (ast._tag) {
    case "Objects":
      return isObject
    case "Arrays":
      return Array.isArray
    case "String":
      return (value) => typeof value === "string"
    case "Number":
      return (value) => typeof value === "number" || isExactNumber(value)
    default:
      return makeIsExact(ast)
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value)

/** The name of a type in messages. */
const nameOf = (ast: SchemaAST.AST): string => {
  const [check] = ast.checks ?? []
  if (typeof check?.annotations?.["expected"] === "string") return check.annotations["expected"]
  switch (ast._tag) {
    case "Objects":
      return "object"
    case "Arrays":
      return "array"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Union":
      return ast.types.map(nameOf).join(" | ")
    default:
      return ast._tag.toLowerCase()
  }
}
