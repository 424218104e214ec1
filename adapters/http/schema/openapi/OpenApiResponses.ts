/**
 * Generates the responses of an operation: those of success, and one for each status of its error codes.
 *
 * @module
 */
import { catalogue, type Code } from "../../../../core/shared/Problem.ts"
import { maxWarningsHeader } from "../../edge/warnings.ts"
import type { Guard } from "../Envelope.ts"
import type { OperationNotes } from "../Notes.ts"
import type { Header, MediaType, Reference, Response, SchemaObject } from "./OpenApiModel.ts"

/** Every response header, by the name of its component. */
export const answerHeaders: Readonly<Record<string, Header>> = {
  "X-Request-Id": {
    description: "Identifies the request in the service's log; the request's own value where that is valid",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" }
  },
  "RateLimit-Limit": {
    description: "Calls the key may make in a minute",
    required: true,
    schema: { type: "integer", format: "int32", minimum: 1 }
  },
  "RateLimit-Remaining": {
    description: "Calls left in this minute",
    required: true,
    schema: { type: "integer", format: "int32", minimum: 0 }
  },
  "RateLimit-Reset": {
    description: "Whole seconds to the minute's end",
    required: true,
    schema: { type: "integer", format: "int32", minimum: 1, maximum: 60 }
  },
  "Retry-After": {
    description: "Whole seconds to wait before the call is made again",
    required: true,
    schema: { type: "integer", format: "int32", minimum: 1 }
  },
  "WWW-Authenticate": {
    description: "How to authenticate (RFC 9110, 11.6.1)",
    required: true,
    schema: { type: "string", enum: ["Bearer"] }
  },
  "X-Svc-Warnings": {
    description:
      'Warnings, which reject nothing, such as a field that was ignored: a list (RFC 9651) of codes with parameters, such as `unknown_field;field="subjet";nearest="subject"`',
    required: false,
    schema: { type: "string", maxLength: maxWarningsHeader }
  },
  "Cache-Control": {
    description: "Responses must not be cached",
    required: true,
    schema: { type: "string", enum: ["no-store"] }
  },
  "X-Content-Type-Options": {
    description: "The media type must not be guessed",
    required: true,
    schema: { type: "string", enum: ["nosniff"] }
  }
}

const always = ["X-Request-Id", "X-Svc-Warnings", "Cache-Control", "X-Content-Type-Options"]
const rated = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]

/** The headers of a response. That to an authenticated caller has the rate limit, unless the database failed, which holds it. */
const headersOf = (status: number): Readonly<Record<string, Header | Reference>> => {
  const isFailure = status >= 500
  const names = [
    ...always,
    ...(status === 401 || isFailure ? [] : rated),
    ...(status === 429 || status === 503 ? ["Retry-After"] : []),
    ...(status === 401 ? ["WWW-Authenticate"] : [])
  ]
  return Object.fromEntries([
    ...names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
    ...(isFailure ? rated : []).map((name) => [name, { ...answerHeaders[name]!, required: false }] as const)
  ])
}

/** The facts that determine an operation's responses. */
export interface ResponseFacts {
  readonly guard: Guard
  readonly notes: OperationNotes
  readonly hasBody: boolean
  /** Whether the operation waits for a slot of `ReadShare`. */
  readonly isExpensive: boolean
  /** The schema of the whole success response. */
  readonly success: SchemaObject
}

/** The codes that follow from an operation's guard and body. */
const commonCodes = ({ guard, hasBody, isExpensive }: ResponseFacts): ReadonlyArray<Code> => [
  ...(guard._tag === "Key" ? (["auth.unauthorized", "auth.forbidden"] as const) : []),
  "common.rate_limited",
  ...(hasBody
    ? (["common.body_too_complex", "common.body_too_large", "common.encoding_unsupported"] as const)
    : []),
  ...(isExpensive ? (["common.too_many_reads"] as const) : []),
  "common.internal",
  "common.unavailable"
]

/** Every error code of an operation, sorted. */
export const codesOf = (of: ResponseFacts): ReadonlyArray<Code> =>
  [...new Set([...of.notes.codes, ...commonCodes(of)])].toSorted()

const statusTexts: Readonly<Record<number, string>> = {
  400: "The request is invalid",
  401: "No key, or an unknown, revoked or expired one",
  403: "The key lacks the permission",
  404: "The thing does not exist in the account",
  409: "A conflict with what exists",
  413: "The body is too large",
  415: "The body is compressed",
  429: "Too many calls for this key in this minute",
  500: "Something went wrong in the service",
  503: "The service is unavailable; try again later"
}

const failureBody = (code: Code): MediaType => {
  const { message, status } = catalogue[code]
  return {
    schema: { $ref: "#/components/schemas/Failure" },
    example: {
      isSuccess: false,
      value: null,
      status,
      errors: [{ code, message, params: null }],
      fieldErrors: null
    }
  }
}

const shapeRefusal: MediaType = {
  schema: { $ref: "#/components/schemas/ShapeRefusal" },
  example: {
    statusCode: 400,
    message: "The body does not have the required shape.",
    errors: { body: ["Expected object"] }
  }
}

const errorResponse = (status: number, codes: ReadonlyArray<Code>, hasBody: boolean): Response => {
  const [first] = codes
  const content = {
    ...(first === undefined ? {} : { "application/json": failureBody(first) }),
    ...(status === 400 && hasBody ? { "application/problem+json": shapeRefusal } : {})
  }
  const named = codes.length === 0 ? "" : `: ${codes.map((code) => `\`${code}\``).join(", ")}`
  const shape = status === 400 && hasBody ? ", or its body is not JSON or not of the shape" : ""
  return {
    description: `${statusTexts[status] ?? "The call was rejected"}${shape}${named}`,
    headers: headersOf(status),
    content,
    ...(codes.length === 0 ? {} : { "x-error-codes": codes })
  }
}

const envelopeOf = (status: number, value: unknown) => ({
  isSuccess: true,
  value,
  status,
  errors: [],
  fieldErrors: null
})

const linksOf = ({ links }: OperationNotes) =>
  Object.fromEntries(
    Object.entries(links ?? {}).map(([name, { operationId, parameters }]) => [
      name,
      {
        operationId,
        parameters: Object.fromEntries(
          Object.entries(parameters).map(([parameter, pointer]) => [
            parameter,
            `$response.body#/value${pointer}`
          ])
        )
      }
    ])
  )

/** The responses of an operation, by status. */
export const responsesOf = (of: ResponseFacts): Readonly<Record<string, Response>> => {
  const { hasBody, notes, success } = of
  const links = linksOf(notes)
  const successes = Object.entries(notes.success).map(([status, description]): [string, Response] => [
    status,
    {
      description,
      headers: headersOf(Number(status)),
      content: {
        "application/json": { schema: success, example: envelopeOf(Number(status), notes.example.value) }
      },
      ...(Object.keys(links).length === 0 ? {} : { links })
    }
  ])
  const codes = codesOf(of)
  const statuses = new Set([...codes.map((code) => catalogue[code].status), ...(hasBody ? [400] : [])])
  const errors = [...statuses]
    .toSorted((one, other) => one - other)
    .map((status): [string, Response] => [
      String(status),
      errorResponse(
        status,
        codes.filter((code) => catalogue[code].status === status),
        hasBody
      )
    ])
  return Object.fromEntries([...successes, ...errors])
}
