/**
 * Decodes request bodies: JSON according to the shape that the endpoint publishes, and forms.
 *
 * @module
 */
import { Context, Data, Effect, Result, SchemaAST } from "effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { Problem } from "../../../core/shared/Problem.ts"
import { unknownField } from "../../../core/shared/Validate.ts"
import { BatchList, EndpointGuard, type Guard, OptionalBody } from "../schema/Envelope.ts"
import { makeDecodeBatch } from "./Batch.ts"
import type { BodiesBusy } from "./BodyReader.ts"
import type { Hold } from "./BytesInFlight.ts"
import { makeShape, type ShapeErrors } from "../json/Shape.ts"
import { type JsonFlaw, parseJson } from "../json/StrictJson.ts"
import { UnknownFields } from "../json/UnknownFields.ts"
import { warnOfUnknown } from "./warnings.ts"

/** The body is not JSON, or does not match the endpoint's shape. `errors` maps request field paths to messages. */
export class InvalidBody extends Data.TaggedError("InvalidBody")<{
  readonly message: string
  readonly errors: Record<string, ReadonlyArray<string>>
  /** The parsed body; undefined if it is not JSON or was not parsed. */
  readonly json?: unknown
}> {}

/**
 * Returns the JSON of a body that could not be decoded; null if it has more values than the server parses, undefined if it
 * is not JSON.
 */
export const jsonOf = (error: InvalidBody | Problem | BodiesBusy): unknown => {
  if (error._tag === "InvalidBody") return error.json
  return error._tag === "Problem" ? null : undefined
}

/** Returns the string under a name in a body of any shape; null if there is none. */
export const textIn = (body: unknown, name: string): string | null => {
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, name)) return null
  const value = (body as Readonly<Record<string, unknown>>)[name]
  return typeof value === "string" ? value : null
}

/** A body without fields. */
const noFields = new TextEncoder().encode("{}")

/** Decodes a whole body. `room` takes the memory that a large body needs. */
export type DecodeBody = (
  bytes: Uint8Array,
  room: Hold
) => Effect.Effect<unknown, InvalidBody | Problem | BodiesBusy>

/** Makes the decoder of an endpoint's body, once, at start; null if it has no body or streams it. */
export const makeDecodeBody = (endpoint: HttpApiEndpoint.Top): DecodeBody | null => {
  const [payload] = endpoint.payload.values()
  if (payload === undefined || isStreamed(endpoint)) return null
  const list = Context.get(endpoint.annotations as Context.Context<never>, BatchList)
  const report = reportOf(Context.getUnsafe(endpoint.annotations, EndpointGuard as never))
  if (list !== null) {
    const decode = makeDecodeBatch(list, fieldsOf(payload.schemas[0]!.ast))
    return (bytes, room) => {
      const unknown = new UnknownFields()
      return Effect.flatMap(decode(bytes, room, unknown), (parsed) =>
        Result.isSuccess(parsed)
          ? Effect.andThen(report(unknown), requireList(parsed.success, list.name))
          : Effect.fail(flawed(parsed.failure))
      )
    }
  }
  const shape = makeShape(payload.schemas[0]!)
  const isOptional = Context.get(endpoint.annotations as Context.Context<never>, OptionalBody)
  return (bytes) => {
    const parsed = parseJson(isOptional && bytes.length === 0 ? noFields : bytes, shape.numbers)
    if (Result.isFailure(parsed)) return Effect.fail(flawed(parsed.failure))
    const unknown = new UnknownFields()
    const shaped = shape(parsed.success, shape.numbers, unknown)
    const decoded = Result.isSuccess(shaped)
      ? Effect.succeed(shaped.success)
      : Effect.fail(misshapen(shaped.failure, parsed.success))
    return unknown.list.length === 0 ? decoded : Effect.andThen(report(unknown), decoded)
  }
}

/** The fields of a body. */
const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const type = SchemaAST.toType(ast)
  return type._tag === "Objects" ? type.propertySignatures.map(({ name }) => String(name)) : []
}

/**
 * Returns how to treat fields that the route does not have. On routes for operators they are mistakes, and rejected before
 * the rest of the body is checked. Callers of the public contract, which may gain fields, get a warning.
 */
const reportOf =
  ({ _tag }: Guard) =>
  (unknown: UnknownFields): Effect.Effect<void, Problem> => {
    const { list, more } = unknown
    if (list.length === 0 || _tag === "Open") return Effect.void
    if (_tag !== "Management" && _tag !== "Session") return warnOfUnknown(unknown)
    return Effect.fail(
      Problem.from(
        list.map(({ like, path }) => unknownField(path, like)),
        more
      )!
    )
  }

const misshapen = ({ errors, more }: ShapeErrors, json?: unknown): InvalidBody => {
  const message = "The body does not have the required shape."
  return new InvalidBody({
    message: more === 0 ? message : `${message} ${more} more errors are not listed.`,
    errors,
    json
  })
}

const flawed = ({ kind, reason, value }: JsonFlaw): InvalidBody | Problem =>
  kind === "TooComplex"
    ? Problem.of("common.body_too_complex")
    : new InvalidBody({ message: reason, errors: { body: [reason] }, json: value })

/** Checks that the body of a batch has its list. */
const requireList = (body: unknown, name: string): Effect.Effect<unknown, InvalidBody> => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return Effect.fail(misshapen({ errors: { body: ["Expected object"] }, more: 0 }))
  }
  const list = Object.hasOwn(body, name) ? (body as Readonly<Record<string, unknown>>)[name] : undefined
  if (Array.isArray(list)) return Effect.succeed(body)
  const reason = list === undefined ? "Missing key" : "Expected array"
  return Effect.fail(misshapen({ errors: { [name]: [reason] }, more: 0 }))
}

/** Whether the body is text, which the handler reads as it arrives. */
export const isStreamed = (endpoint: HttpApiEndpoint.Top): boolean =>
  [...endpoint.payload.values()].some(({ encoding }) => encoding._tag === "Text")

/** The values of a form by name: a string, or an array if the name is repeated. */
export type Form = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Parses application/x-www-form-urlencoded. Any bytes are valid. */
export const parseForm = (bytes: Uint8Array): Form => {
  const parameters = new URLSearchParams(new TextDecoder().decode(bytes))
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    })
  )
}

/** All values of a name. */
export const valuesOf = (form: Form, name: string): ReadonlyArray<string> => {
  const value = Object.hasOwn(form, name) ? form[name] : undefined
  if (value === undefined) return []
  return typeof value === "string" ? [value] : value
}
