/**
 * Decodes request bodies, JSON or forms, by the shape that the endpoint publishes.
 *
 * @module
 */
import { Context, Data, Result } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { CheckedShape } from "../schema/Envelope.ts"
import { makeShape } from "./Shape.ts"
import { parseJson } from "./StrictJson.ts"

/** The body is not JSON, or not of the endpoint's shape. `errors` maps request field paths to messages. */
export class InvalidBody extends Data.TaggedError("InvalidBody")<{
  readonly message: string
  readonly errors: Record<string, ReadonlyArray<string>>
}> {}

/** Decodes a whole body. */
export type DecodeBody = (bytes: Uint8Array) => Result.Result<unknown, InvalidBody>

/** Makes the decoder of an endpoint's body, once, at start; null where it has none or one that is streamed. */
export const makeDecodeBody = (endpoint: HttpApiEndpoint.Top): DecodeBody | null => {
  const [payload] = endpoint.payload.values()
  if (payload === undefined || isStreamed(endpoint)) return null
  const checked = Context.get(endpoint.annotations as Context.Context<never>, CheckedShape)
  const shape = makeShape(checked ?? (payload.schemas[0] as never))
  const parse = payload.encoding._tag === "FormUrlEncoded" ? parseForm : parseJson
  return (bytes) => {
    const parsed = parse(bytes)
    if (Result.isFailure(parsed)) {
      return Result.fail(new InvalidBody({ message: parsed.failure, errors: { body: [parsed.failure] } }))
    }
    return Result.mapError(
      shape(parsed.success),
      ({ errors }) => new InvalidBody({ message: "The body does not have the required shape.", errors })
    )
  }
}

/** Whether the body is text, which the handler reads as it arrives. */
export const isStreamed = (endpoint: HttpApiEndpoint.Top): boolean =>
  [...endpoint.payload.values()].some(({ encoding }) => encoding._tag === "Text")

/** The values of a form by name: a string, or all values of a name that is repeated. */
export type Form = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Parses application/x-www-form-urlencoded, which any bytes are. */
const parseForm = (bytes: Uint8Array): Result.Result<Form> => {
  const parameters = new URLSearchParams(new TextDecoder().decode(bytes))
  return Result.succeed(
    Object.fromEntries(
      [...new Set(parameters.keys())].map((name) => {
        const values = parameters.getAll(name)
        return [name, values.length === 1 ? values[0]! : values]
      })
    )
  )
}

/** All values of a name. */
export const valuesOf = (form: Form, name: string): ReadonlyArray<string> => {
  const value = Object.hasOwn(form, name) ? form[name] : undefined
  if (value === undefined) return []
  return typeof value === "string" ? [value] : value
}
