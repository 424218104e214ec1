/**
 * Replies: the envelope of JSON replies, problem+json for invalid bodies (docs/contributing/public-api.md "Response
 * envelope" and "HTTP status", docs/contributing/decisions.md 2), and the reply to each kind of error.
 *
 * @module
 */
import { type Cause, Effect, type Stream } from "effect"
import { Cookies, HttpServerResponse } from "effect/http"
import { randomUUID } from "node:crypto"
import { describeDefect } from "../../../core/shared/Defect.ts"
import {
  catalogue,
  type Issue,
  Problem,
  returnedDetails,
  type Unavailable,
  messageOf
} from "../../../core/shared/Problem.ts"
import type { InvalidBody } from "./body.ts"
import type { BodiesBusy, BodyTooLarge, BodyTooSlow, RequestAborted } from "./BodyReader.ts"

/** A reply. Header names are in lower case. */
export interface Reply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | null
  /** A streamed body, if `body` is null. It ends when the client disconnects or the server closes. */
  readonly stream?: Stream.Stream<Uint8Array>
  /** The values of Set-Cookie headers. */
  readonly cookies?: ReadonlyArray<string>
  /** The code of the first error of a rejected call. */
  readonly code?: string
}

/** The result of a handler: a status and the envelope's value, a document without envelope, or a whole reply. */
export type HandlerReply<Value> =
  | {
      readonly _tag: "Value"
      readonly status: number
      readonly value: Value
      /** The values of Set-Cookie headers. */
      readonly cookies?: ReadonlyArray<string>
      /** The ETag of the version that the value shows. */
      readonly etag?: string
    }
  | { readonly _tag: "Document"; readonly contentType: string; readonly body: string | Uint8Array }
  | ({ readonly _tag: "Reply" } & Reply)

/** The encoded envelope of a value. */
const bodyOf = (status: number, value: unknown): string =>
  JSON.stringify({ isSuccess: true, value, status, errors: [], fieldErrors: null })

/** 200 with a value. */
export const ok = <Value>(value: Value): HandlerReply<Value> => ({ _tag: "Value", status: 200, value })

const encoded = new WeakMap<object, string>()

/** 200 with a value made from an immutable object. The value is encoded once and kept as long as the object. */
export const okOnce = <Value>(source: object, make: () => Value): HandlerReply<Value> => {
  let body = encoded.get(source)
  if (body === undefined) encoded.set(source, (body = bodyOf(200, make())))
  return { _tag: "Reply", status: 200, headers: envelopeHeaders, body }
}

/** 201 with a value. */
export const created = <Value>(value: Value): HandlerReply<Value> => ({ _tag: "Value", status: 201, value })

/** 202 with a value that identifies work in the background. */
export const accepted = <Value>(value: Value): HandlerReply<Value> => ({ _tag: "Value", status: 202, value })

/** 200 with a body without envelope. */
export const document = (contentType: string, body: string | Uint8Array): HandlerReply<never> => ({
  _tag: "Document",
  contentType,
  body
})

const envelopeHeaders = { "content-type": "application/json; charset=utf-8" }
const problemHeaders = { "content-type": "application/problem+json; charset=utf-8" }

/** Makes the reply from the result of a handler. Its value must be plain JSON. */
export const toReply = (handled: HandlerReply<unknown>): Reply => {
  switch (handled._tag) {
    case "Value": {
      const { cookies = [], etag, status, value } = handled
      const headers = etag === undefined ? { ...envelopeHeaders } : { ...envelopeHeaders, etag }
      return { status, headers, body: bodyOf(status, value), cookies }
    }
    case "Document":
      return { status: 200, headers: { "content-type": handled.contentType }, body: handled.body }
    case "Reply":
      return { ...handled, headers: { ...handled.headers } }
  }
}

/** Converts a reply to Effect's response. */
export const toResponse = ({
  body,
  cookies = [],
  headers,
  status,
  stream
}: Reply): HttpServerResponse.HttpServerResponse => {
  if (stream !== undefined) {
    const response = HttpServerResponse.stream(stream, { status, contentType: headers["content-type"] })
    Object.assign(response.headers, headers)
    return response
  }
  if (body === null || body.length === 0) {
    // RFC 9110 8.6: the content-length of a 304 would have to be that of the body which the client has.
    if (status !== 304) headers["content-length"] = "0"
    return HttpServerResponse.empty({ status, headers })
  }
  const options = { status, contentType: headers["content-type"] }
  const response =
    typeof body === "string"
      ? HttpServerResponse.text(body, options)
      : HttpServerResponse.uint8Array(body, options)
  // The headers object was made for this response. If it were passed as an option, it would be copied twice.
  Object.assign(response.headers, headers)
  return cookies.length === 0
    ? response
    : HttpServerResponse.replaceCookies(response, Cookies.fromSetCookie(cookies))
}

/** The reply to a problem. */
const problemReply = (problem: Problem): Reply => {
  const errors = problem.issues.map(entryOf)
  const fields = problem.issues.filter((issue) => issue.field !== null)
  const grouped = Object.groupBy(fields, (issue) => issue.field!)
  const fieldErrors =
    fields.length === 0
      ? null
      : Object.fromEntries(Object.entries(grouped).map(([field, issues]) => [field, issues!.map(entryOf)]))
  const wait = retryAfterOf(problem)
  const etag = problem.issues[0].data?.["etag"]
  return {
    status: problem.status,
    headers: {
      ...envelopeHeaders,
      ...(wait === null ? {} : { "retry-after": String(wait) }),
      ...(typeof etag === "string" ? { etag } : {})
    },
    body: JSON.stringify({ isSuccess: false, value: null, status: problem.status, errors, fieldErrors }),
    code: problem.issues[0].code
  }
}

/** The seconds after which the call may succeed; null if its codes do not say. */
const retryAfterOf = ({ issues: [first] }: Problem): number | null => {
  const own = first.params?.["retrySeconds"]
  if (own !== undefined) return own
  const entry = catalogue[first.code]
  return "retryAfter" in entry ? entry.retryAfter : null
}

const entryOf = (issue: Issue) => {
  const details = returnedDetails(issue)
  const entry = { code: issue.code, message: messageOf(issue), params: issue.params }
  return details === undefined ? entry : { ...entry, details }
}

/** The reply to a malformed body or request. `errors` maps request field paths to messages. */
export const malformedReply = (
  message: string,
  errors: Record<string, ReadonlyArray<string>>,
  status = 400
): Reply => ({
  status,
  headers: { ...problemHeaders },
  body: JSON.stringify({ statusCode: status, message, errors })
})

/** The reply to a request of a network that has too many in progress. Its request id does not come from the app. */
export const busyReply = (): Reply => {
  const reply = problemReply(Problem.of("common.unavailable"))
  Object.assign(reply.headers, {
    "retry-after": "1",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": randomUUID()
  })
  return reply
}

/** Every expected error of a request. */
export type RequestError =
  | Problem
  | Unavailable
  | InvalidBody
  | BodyTooLarge
  | BodyTooSlow
  | BodiesBusy
  | RequestAborted

/** The Retry-After, in seconds, of a call whose body found no room. */
export const busySeconds = "5"

/**
 * The reply to a failed request. An unavailable database and a defect are logged with the request's id. At the level debug,
 * so is every rejected call with its code.
 *
 * @param route the route's template; undefined if no route matched
 */
export const failureReply = (
  cause: Cause.Cause<RequestError>,
  headers: Record<string, string>,
  requestId: string,
  route: string | undefined
): Effect.Effect<Reply> => {
  const reason = cause.reasons.find((entry) => entry._tag === "Fail")
  const error = reason?.error
  const refused = (code: string, reply: Reply): Effect.Effect<Reply> =>
    Effect.as(
      Effect.annotateLogs(Effect.logDebug("call refused"), {
        requestId,
        route: route ?? "unknown",
        status: reply.status,
        code
      }),
      reply
    )
  switch (error?._tag) {
    case "Problem":
      return refused(error.issues[0]?.code ?? "", problemReply(error))
    case "InvalidBody":
      return refused("invalid_body", { ...malformedReply(error.message, error.errors), code: "invalid_body" })
    case "Unavailable":
      headers["retry-after"] = "1"
      return Effect.as(
        Effect.annotateLogs(Effect.logWarning("database unavailable"), {
          requestId,
          ...describeDefect(error.cause)
        }),
        problemReply(Problem.of("common.unavailable"))
      )
    case "BodyTooLarge":
      return refused(
        "common.body_too_large",
        problemReply(Problem.of("common.body_too_large", null, { max: error.limit }))
      )
    case "BodyTooSlow":
      // Bytes that still arrive belong to the body, not to another request.
      headers["connection"] = "close"
      return refused("body_too_slow", malformedReply("The request did not arrive in time.", {}, 408))
    case "BodiesBusy":
      headers["retry-after"] = busySeconds
      return refused("common.unavailable", problemReply(Problem.of("common.unavailable")))
    case "RequestAborted":
      return Effect.succeed(problemReply(Problem.of("common.unavailable")))
    default:
      return Effect.as(
        Effect.annotateLogs(Effect.logError("request failed"), { requestId, ...describeDefect(cause) }),
        problemReply(Problem.of("common.internal"))
      )
  }
}
