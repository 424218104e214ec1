/**
 * Decodes path and query parameters according to the schema that the endpoint publishes: integers with `minimum`, `maximum`
 * and `default`, literals, and strings with `format`, `pattern` or `maxLength`.
 *
 * @module
 */
import { Result, type Schema, SchemaAST } from "effect"
import { parseCountry, parseLanguage } from "../../../core/shared/Locale.ts"
import { parseDomain, parseEmail } from "../../../core/shared/EmailAddress.ts"
import type { PageRequest } from "../../../core/shared/Page.ts"
import { issue, type Issue, Problem } from "../../../core/shared/Problem.ts"
import { isUuid } from "../../../core/shared/Uuid.ts"
import { isStorable, formats, oneOf, parseDateTime } from "../../../core/shared/Validate.ts"
import { type ListOrder, listOrder, maxFilterValues } from "../schema/Lists.ts"
import { decodeListCall, type ListCall, type ListParameters, listParameters } from "./lists.ts"

/** Parameters as the router provides them, percent-decoded. */
export type RawParameters = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Decoded query parameters. If one is absent or empty, it has the published default, or null. */
export interface DecodedQuery {
  /** The requested page; null if the endpoint is not paginated. */
  readonly page: ListCall | PageRequest | null
  /** The others. */
  readonly query: Readonly<Record<string, unknown>>
}

type DecodeString = (text: string) => Result.Result<unknown, Issue>

const maxInt = 2_147_483_647

/**
 * Makes the decoder of a path's parameters. UUIDs become lower case. An invalid UUID, or a number that is not written as an
 * integer from 0 up, fails with common.not_found.
 */
export const makeDecodeParams = (schema: Schema.Top | undefined) => {
  const ids = fieldsOf(schema).flatMap(({ annotations, name }) =>
    annotations["format"] === "uuid" ? [name] : []
  )
  const numbers = fieldsOf(schema).flatMap(({ name, type }) => (type._tag === "Number" ? [name] : []))
  return (params: RawParameters): Result.Result<Readonly<Record<string, number | string>>, Problem> => {
    const given = params as Readonly<Record<string, string>>
    if (ids.length + numbers.length === 0) return Result.succeed(given)
    const decoded: Record<string, number | string> = { ...given }
    for (const name of ids) {
      const id = given[name] ?? ""
      if (!isUuid(id)) return Result.fail(Problem.of("common.not_found"))
      decoded[name] = id.toLowerCase()
    }
    for (const name of numbers) {
      if (!/^\d{1,9}$/.test(given[name] ?? "")) return Result.fail(Problem.of("common.not_found"))
      decoded[name] = Number(given[name])
    }
    return Result.succeed(decoded)
  }
}

/** The maximum number of unknown parameters that an error of a list names. */
const maxNamed = 10

/**
 * Makes the decoder of a query. If a parameter is repeated, its last value counts. The errors, each on its parameter, are
 * validation.required, validation.type, validation.range, validation.format, validation.max_length and validation.email.
 * Lists of the management API also reject unknown parameters, with validation.format.
 *
 * @param path the path of the endpoint
 */
export const makeDecodeQuery = (schema: Schema.Top | undefined, path: string) => {
  const fields = fieldsOf(schema).map((field) => ({ ...field, decode: makeDecode(field) }))
  const names = new Set(fields.map(({ name }) => name))
  const order = fields
    .map(({ annotations }) => annotations[listOrder])
    .find((found) => found !== undefined) as ListOrder | undefined
  const unknown = { expected: `a parameter of this list, which are ${[...names].join(", ")}` }
  return (
    raw: RawParameters,
    params: Readonly<Record<string, number | string>>
  ): Result.Result<DecodedQuery, Problem> => {
    if (fields.length === 0) return Result.succeed({ page: null, query: {} })
    const issues: Array<Issue> = []
    if (order !== undefined) {
      const others = Object.keys(raw).filter((name) => !names.has(name))
      for (const name of others.slice(0, maxNamed))
        issues.push(issue("validation.format", name, null, unknown))
    }
    const query: Record<string, unknown> = {}
    for (const { annotations, decode, isOptional, name } of fields) {
      const given = raw[name]
      const text = (typeof given === "object" ? given.at(-1) : given) ?? ""
      query[name] = annotations["default"] ?? null
      if (text === "") {
        if (!isOptional) issues.push(issue("validation.required", name))
        continue
      }
      const decoded = decode(text)
      if (Result.isFailure(decoded)) issues.push(decoded.failure)
      else query[name] = decoded.success
    }
    if (order !== undefined) {
      const filters = [...names].filter((name) => !listParameters.has(name) && query[name] !== null)
      const page = decodeListCall(
        { sort: null, ...query } as ListParameters,
        order,
        { path, params, filters },
        issues
      )
      const problem = Problem.from(issues)
      return problem === undefined ? Result.succeed({ page, query }) : Result.fail(problem)
    }
    const problem = Problem.from(issues)
    if (problem !== undefined) return Result.fail(problem)
    const { page, pageSize, ...others } = query
    return Result.succeed({
      page: typeof page === "number" && typeof pageSize === "number" ? { page, pageSize } : null,
      query: others
    })
  }
}

/** Whether a schema of parameters publishes a parameter of this name. */
export const hasField = (schema: Schema.Top | undefined, field: string): boolean =>
  fieldsOf(schema).some(({ name }) => name === field)

/** Whether a query can request a page of a list. */
export const hasPages = (schema: Schema.Top | undefined): boolean => hasField(schema, "page")

interface Field {
  readonly name: string
  readonly type: SchemaAST.AST
  readonly annotations: Schema.Annotations.Annotations
  readonly isOptional: boolean
}

/** The parameters a schema publishes. */
const fieldsOf = (schema: Schema.Top | undefined): ReadonlyArray<Field> => {
  if (schema === undefined) return []
  const type = SchemaAST.toType(schema.ast)
  if (type._tag !== "Objects") throw new Error("Parameters are not a struct")
  return type.propertySignatures.map(({ name, type: field }) => ({
    name: String(name),
    type: field,
    annotations: SchemaAST.resolve(field) ?? {},
    isOptional: field.context?.isOptional === true
  }))
}

const makeDecode = ({ annotations, name, type }: Field): DecodeString => {
  switch (type._tag) {
    case "Number":
      return annotations["format"] === "date-time" ? makeDecodeTime(name) : makeDecodeInt(name, annotations)
    case "Arrays":
      return makeDecodeAny(name, type)
    case "Literal":
    case "Union": {
      const members = type._tag === "Union" ? type.types : [type]
      const literals = members.map((member) => (member._tag === "Literal" ? member.literal : undefined))
      const expected = oneOf(literals.filter((literal) => typeof literal === "string"))
      const invalid = Result.fail(issue("validation.format", name, null, { expected }))
      return (text) => (literals.includes(text) ? Result.succeed(text) : invalid)
    }
    case "String":
      return makeDecodeText(name, annotations)
    default:
      throw new Error(`The parameter ${name} has a schema that cannot be decoded: ${type._tag}`)
  }
}

const makeDecodeTime = (name: string): DecodeString => {
  const invalid = Result.fail(issue("validation.format", name, null, { expected: formats.dateTime }))
  return (text) => {
    const at = parseDateTime(text)
    return at === null ? invalid : Result.succeed(at)
  }
}

/** Decodes values separated by commas, without duplicates. */
const makeDecodeAny = (name: string, { rest }: SchemaAST.Arrays): DecodeString => {
  const [element] = rest
  if (element === undefined) throw new Error(`The parameter ${name} has no values`)
  const annotations = SchemaAST.resolve(element) ?? {}
  const decode = makeDecode({ name, type: element, annotations, isOptional: true })
  return (text) => {
    const parts = [...new Set(text.split(",").filter((part) => part.trim() !== ""))]
    if (parts.length === 0) return Result.succeed(null)
    if (parts.length > maxFilterValues) {
      return Result.fail(
        issue("validation.format", name, null, { expected: `at most ${maxFilterValues} values` })
      )
    }
    return Result.all(parts.map(decode))
  }
}

const makeDecodeInt = (name: string, annotations: Schema.Annotations.Annotations): DecodeString => {
  const { maximum: max = maxInt, minimum: min = -maxInt } = annotations as {
    readonly minimum?: number
    readonly maximum?: number
  }
  return (text) => {
    if (!/^[+-]?\d{1,400}$/.test(text))
      return Result.fail(issue("validation.type", name, null, { expected: "a whole number" }))
    const value = Number(text)
    return value < min || value > max
      ? Result.fail(issue("validation.range", name, { min, max }))
      : Result.succeed(value)
  }
}

/** Parsers of the formats that have canonical forms. */
const parsers = {
  country: { parse: parseCountry, expected: formats.country },
  hostname: { parse: parseDomain, expected: formats.domain },
  language: { parse: parseLanguage, expected: formats.language }
} as const

const makeDecodeText = (name: string, annotations: Schema.Annotations.Annotations): DecodeString => {
  const { format, maxLength, pattern } = annotations as {
    readonly format?: string
    readonly maxLength?: number
    readonly pattern?: string
  }
  const invalid = (expected: string) => Result.fail(issue("validation.format", name, null, { expected }))
  if (format === "uuid") {
    const noUuid = invalid(formats.uuid)
    return (text) => (isUuid(text) ? Result.succeed(text.toLowerCase()) : noUuid)
  }
  if (format !== undefined && format in parsers) {
    const { expected, parse } = parsers[format as keyof typeof parsers]
    const unparsed = invalid(expected)
    return (text) => {
      const parsed = parse(text)
      return parsed === null ? unparsed : Result.succeed(parsed)
    }
  }
  if (format === "email") {
    return (text) => {
      const email = parseEmail(text)
      return email === null ? Result.fail(issue("validation.email", name)) : Result.succeed(email)
    }
  }
  const unstorable = invalid(formats.storable)
  if (maxLength !== undefined) {
    return (text) => {
      const trimmed = text.trim()
      if (trimmed.length > maxLength) {
        return Result.fail(issue("validation.max_length", name, { max: maxLength }))
      }
      return isStorable(trimmed) ? Result.succeed(trimmed === "" ? null : trimmed) : unstorable
    }
  }
  if (pattern === undefined) return (text) => (isStorable(text) ? Result.succeed(text) : unstorable)
  const expected = new RegExp(pattern)
  const mismatch = invalid(`of the form ${pattern}`)
  return (text) => (expected.test(text) ? Result.succeed(text) : mismatch)
}
