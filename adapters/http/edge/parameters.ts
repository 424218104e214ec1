/**
 * Decodes path and query parameters by the schema that the endpoint publishes: integers with `minimum`, `maximum` and
 * `default`, literals, and strings with `format`, `pattern` or `maxLength`.
 *
 * @module
 */
import { Result, type Schema, SchemaAST } from "effect"
import { parseEmail } from "../../../core/shared/EmailAddress.ts"
import type { PageRequest } from "../../../core/shared/Page.ts"
import { issue, type Issue, Problem } from "../../../core/shared/Problem.ts"
import { isUuid } from "../../../core/shared/Uuid.ts"
import { isStorable, formats, oneOf } from "../../../core/shared/Validate.ts"

/** Parameters as the router gives them: the path's and the query's are decoded from percent-encoding. */
export type RawParameters = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Decoded query parameters. One that is absent or empty has the published default, or is null. */
export interface DecodedQuery {
  /** `page` and `pageSize`; null on an endpoint without pages. */
  readonly page: PageRequest | null
  /** The others. */
  readonly query: Readonly<Record<string, unknown>>
}

type DecodeString = (text: string) => Result.Result<unknown, Issue>

const maxInt = 2_147_483_647

/** Makes the decoder of a path's parameters. A UUID becomes lower case; what is none is common.not_found. */
export const makeDecodeParams = (schema: Schema.Top | undefined) => {
  const ids = fieldsOf(schema).flatMap(({ annotations, name }) =>
    annotations["format"] === "uuid" ? [name] : []
  )
  return (params: RawParameters): Result.Result<Readonly<Record<string, string>>, Problem> => {
    if (ids.length === 0) return Result.succeed(params as Readonly<Record<string, string>>)
    const decoded = { ...params } as Record<string, string>
    for (const name of ids) {
      if (!isUuid(decoded[name] ?? "")) return Result.fail(Problem.of("common.not_found"))
      decoded[name] = decoded[name]!.toLowerCase()
    }
    return Result.succeed(decoded)
  }
}

/**
 * Makes the decoder of a query. The last value of a repeated parameter counts. Rejected are, each on its parameter:
 * validation.required, validation.type, validation.range, validation.format, validation.max_length, validation.email.
 */
export const makeDecodeQuery = (schema: Schema.Top | undefined) => {
  const fields = fieldsOf(schema).map((field) => ({ ...field, decode: makeDecode(field) }))
  return (raw: RawParameters): Result.Result<DecodedQuery, Problem> => {
    if (fields.length === 0) return Result.succeed({ page: null, query: {} })
    const issues: Array<Issue> = []
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
    const problem = Problem.from(issues)
    if (problem !== undefined) return Result.fail(problem)
    const { page, pageSize, ...others } = query
    return Result.succeed({
      page: typeof page === "number" && typeof pageSize === "number" ? { page, pageSize } : null,
      query: others
    })
  }
}

/** Whether a query asks for a page of a list. */
export const hasPages = (schema: Schema.Top | undefined): boolean =>
  fieldsOf(schema).some(({ name }) => name === "page")

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
      return makeDecodeInt(name, annotations)
    case "Union": {
      const literals = type.types.map((member) => (member._tag === "Literal" ? member.literal : undefined))
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
  if (format === "email") {
    return (text) => {
      const email = parseEmail(text)
      return email === null ? Result.fail(issue("validation.email", name)) : Result.succeed(email)
    }
  }
  if (maxLength !== undefined) {
    const unstorable = invalid(formats.storable)
    return (text) => {
      const trimmed = text.trim()
      if (trimmed.length > maxLength) {
        return Result.fail(issue("validation.max_length", name, { max: maxLength }))
      }
      return isStorable(trimmed) ? Result.succeed(trimmed === "" ? null : trimmed) : unstorable
    }
  }
  if (pattern === undefined) return Result.succeed
  const expected = new RegExp(pattern)
  const mismatch = invalid(`of the form ${pattern}`)
  return (text) => (expected.test(text) ? Result.succeed(text) : mismatch)
}
