/**
 * Answers requests: finds the route, checks in the order of decisions 2 (401, 403, 429, then the body), calls the
 * handler, and translates what the core refuses. Nothing a client sends makes it fail.
 *
 * @module
 */
import { type Cause, Clock, Effect, Exit, Metric, Result, Stream } from "effect"
import { FindMyWay } from "effect/http"
import { Authentication, type RateState, type AuthResult } from "../../../core/accounts/Authentication.ts"
import { ManagementToken } from "../../../core/accounts/ManagementToken.ts"
import { FlowTriggers } from "../../../core/automation/flows/FlowTriggers.ts"
import { Stores } from "../../../core/commerce/stores/Stores.ts"
import { describeDefect } from "../../../core/shared/Defect.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { type Code, Problem, type Unavailable } from "../../../core/shared/Problem.ts"
import { isTracing } from "../../../core/shared/Tracing.ts"
import type { HttpRequest, Reply } from "./HttpRequest.ts"
import { failAfter } from "./Deadline.ts"
import { parseForm } from "./Form.ts"
import { JsonRefusal, parseJson } from "./body.ts"
import { failure, shapeRefused, success } from "./reply.ts"
import type { Answer, Caller, Route } from "./Route.ts"
import { inRequestSpan, methodName } from "./trace.ts"

/** Answers one request; never fails. */
export type App = (exchange: HttpRequest) => Effect.Effect<Reply>

/** How long the key's look-up may take, and the work of a route, in milliseconds; beyond it the answer is 503. */
const answerMillis = 20_000

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/
const noCaller: Caller = { accountId: "", keyId: "" }

const requests = Metric.counter("svc_http_requests_total", {
  description: "HTTP requests answered",
  incremental: true
})
const seconds = Metric.histogram("svc_http_request_duration_seconds", {
  description: "Time to answer an HTTP request",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** Makes the app of some routes. */
export const makeApp = Effect.fnUntraced(function* (routes: ReadonlyArray<Route>) {
  const admission = yield* Authentication
  const flowTriggers = yield* FlowTriggers
  const managementToken = yield* ManagementToken
  const stores = yield* Stores
  const ids = yield* Ids
  const tracing = yield* isTracing
  const router = makeRouter(routes)
  const methods = [...new Set(routes.map((route) => route.method))]

  /** Lets a judged caller in, or refuses it. `unknown` refuses whoever is not known. */
  const judged = (
    verdict: AuthResult,
    headers: Record<string, string>,
    unknown: Effect.Effect<never, Problem>
  ): Effect.Effect<Caller, Problem> => {
    if (verdict._tag === "Unauthorized") return unknown
    rateHeaders(headers, verdict.rate)
    if (verdict._tag === "Authenticated") return Effect.succeed<Caller>(verdict)
    if (verdict._tag === "Forbidden") return Effect.fail(Problem.of("auth.forbidden"))
    headers["retry-after"] = String(verdict.rate.resetSeconds)
    return Effect.fail(Problem.of("common.rate_limited"))
  }

  const authenticate = (
    route: Route,
    exchange: HttpRequest,
    params: Readonly<Record<string, string | undefined>>,
    headers: Record<string, string>
  ): Effect.Effect<Caller, Problem | Unavailable> => {
    switch (route.guard._tag) {
      case "Open":
        return Effect.succeed(noCaller)
      case "Management":
        return Effect.flatMap(managementToken.verify(bearerOf(exchange) ?? ""), (known) =>
          known ? Effect.succeed(noCaller) : unauthorized(headers)
        )
      case "Store":
        return Effect.flatMap(
          stores.authenticate(params["storeId"] ?? "", bearerOf(exchange) ?? ""),
          (verdict) =>
            judged(
              verdict,
              headers,
              Effect.suspend(() => unauthorized(headers))
            )
        )
      case "Key": {
        const key = bearerOf(exchange)
        if (key === null) return unauthorized(headers)
        return Effect.flatMap(admission.authenticate(key, route.guard.permission, "api"), (verdict) =>
          judged(
            verdict,
            headers,
            Effect.suspend(() => unauthorized(headers))
          )
        )
      }
      case "FlowToken": {
        const unknown = Effect.suspend(() => unauthorized(headers, "automation.api_trigger_invalid"))
        const token = bearerOf(exchange)
        if (token === null) return unknown
        return Effect.flatMap(flowTriggers.authenticate(params["flowId"] ?? "", token), (verdict) =>
          judged(verdict, headers, unknown)
        )
      }
    }
  }

  const answer = Effect.fnUntraced(function* (
    exchange: HttpRequest,
    found: Found | undefined,
    headers: Record<string, string>
  ) {
    if (found === undefined) {
      const others = methods.filter((method) => findRoute(router, method, exchange.url) !== undefined)
      if (others.length === 0) return yield* Problem.of("common.not_found")
      headers["allow"] = allowed(others)
      return yield* Problem.of("common.method_not_allowed")
    }
    const route = found.handler
    const caller = yield* failAfter(answerMillis, authenticate(route, exchange, found.params, headers))
    let payload: unknown = null
    if (route.shape !== null) {
      const bytes = yield* exchange.body(route.maxBody)
      const parsed = route.form ? { value: parseForm(bytes) } : parseJson(bytes)
      if (parsed instanceof JsonRefusal) return shapeRefused(parsed.message, { body: [parsed.message] })
      const shaped = route.shape(parsed.value)
      if (Result.isFailure(shaped))
        return shapeRefused("The body does not have the required shape.", shaped.failure.errors)
      payload = shaped.success
    }
    const handled = route.handler({
      caller,
      method: exchange.method,
      params: found.params,
      query: found.searchParams,
      header: exchange.header,
      payload,
      stream: () =>
        Stream.mapError(exchange.stream(route.maxBody), ({ _tag }) =>
          Problem.of(_tag === "BodyTooLarge" ? "common.body_too_large" : "common.unavailable")
        )
    })
    // How long a body takes that is handled as it arrives is up to who sends it.
    return toReply(yield* route.streamed ? handled : failAfter(answerMillis, handled))
  })

  const app: App = (exchange) =>
    Clock.clockWith((clock) =>
      Effect.suspend(() => {
        const started = clock.monotonicTimeNanosUnsafe()
        const headers: Record<string, string> = {}
        const found = findRoute(router, exchange.method === "HEAD" ? "GET" : exchange.method, exchange.url)
        const answered = Effect.flatMap(
          Effect.all([requestIdOf(exchange, ids), Effect.exit(answer(exchange, found, headers))]),
          ([requestId, exit]) => {
            const reply = Exit.isSuccess(exit)
              ? Effect.succeed(exit.value)
              : refuse(exit.cause, headers, requestId)
            return Effect.map(reply, (made) => {
              Object.assign(made.headers, headers)
              made.headers["x-request-id"] = requestId
              made.headers["cache-control"] ??= "no-store"
              made.headers["x-content-type-options"] = "nosniff"
              return made
            }).pipe(
              Effect.tap((made) =>
                observe(exchange.method, found?.handler.path ?? "unknown", made.status, started)
              )
            )
          }
        )
        return tracing ? inRequestSpan(exchange, found?.handler.path, answered) : answered
      })
    )
  return app
})

const observe = (method: string, route: string, status: number, started: bigint) =>
  Clock.clockWith((clock) =>
    Effect.andThen(
      Metric.update(
        Metric.withAttributes(requests, { method: methodName(method), route, status: String(status) }),
        1
      ),
      Metric.update(
        Metric.withAttributes(seconds, { route }),
        Number(clock.monotonicTimeNanosUnsafe() - started) / 1e9
      )
    )
  )

type Found = FindMyWay.FindResult<Route>

/** A path's text goes before a parameter, method by method: POST /items/batch is no obstacle to GET of an item `batch`. */
const makeRouter = (routes: ReadonlyArray<Route>): FindMyWay.Router<Route> => {
  const router = FindMyWay.make<Route>({
    // Longer than any URL a server takes: what is too long is refused by the route, by its own code.
    maxParamLength: 65_536,
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false
  })
  for (const route of routes) router.on(route.method, route.path, route)
  return router
}

/** Methods for the header Allow; GET answers HEAD too. */
const allowed = (methods: ReadonlyArray<string>): string =>
  methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ")

/** A `%` that begins no escape, and escapes of what is not UTF-8. */
const undecodable = /%(?![0-9a-f]{2})/gi

/**
 * The route of a URL. A path that cannot be decoded leads where it would with its escapes taken as they stand: the
 * route refuses such a reference, after it has asked who is calling.
 */
const findRoute = (router: FindMyWay.Router<Route>, method: string, url: string): Found | undefined => {
  const end = url.search(/[?#]/)
  const path = end === -1 ? url : url.slice(0, end)
  try {
    decodeURIComponent(path)
    return router.find(method, url)
  } catch {
    const literal = path.replace(undecodable, "%25")
    try {
      decodeURIComponent(literal)
      return router.find(method, literal + (end === -1 ? "" : url.slice(end)))
    } catch {
      return router.find(method, path.replaceAll("%", "%25") + (end === -1 ? "" : url.slice(end)))
    }
  }
}

/** The token of `Authorization: Bearer <token>`, null without one. */
const bearerOf = (exchange: HttpRequest): string | null => {
  const header = exchange.header("authorization")
  const match = header === null ? null : /^bearer +([\x21-\x7e]+)$/i.exec(header.trim())
  return match?.[1] ?? null
}

/** Says how to authenticate, as RFC 9110 11.6.1 asks of every 401. */
const unauthorized = (
  headers: Record<string, string>,
  code: Code = "auth.unauthorized"
): Effect.Effect<never, Problem> => {
  headers["www-authenticate"] = "Bearer"
  return Effect.fail(Problem.of(code))
}

const rateHeaders = (headers: Record<string, string>, rate: RateState): void => {
  headers["ratelimit-limit"] = String(rate.limit)
  headers["ratelimit-remaining"] = String(rate.remaining)
  headers["ratelimit-reset"] = String(rate.resetSeconds)
}

const requestIdOf = (exchange: HttpRequest, ids: Ids["Service"]): Effect.Effect<string> => {
  const given = exchange.header("x-request-id")
  return given !== null && requestIdPattern.test(given) ? Effect.succeed(given) : ids.next
}

const toReply = (answer: Answer<unknown>): Reply => {
  switch (answer._tag) {
    case "Value":
      return success(answer.status, answer.value)
    case "Document":
      return { status: 200, headers: { "content-type": answer.contentType }, body: answer.body }
    case "Reply":
      return { status: answer.status, headers: { ...answer.headers }, body: answer.body }
  }
}

type Refusal = Problem | Unavailable | { readonly _tag: "BodyTooLarge" } | { readonly _tag: "RequestAborted" }

const refuse = (
  cause: Cause.Cause<Refusal>,
  headers: Record<string, string>,
  requestId: string
): Effect.Effect<Reply> => {
  const reason = cause.reasons.find((entry) => entry._tag === "Fail")
  const error = reason?._tag === "Fail" ? reason.error : undefined
  switch (error?._tag) {
    case "Problem":
      return Effect.succeed(failure(error))
    case "Unavailable":
      headers["retry-after"] = "1"
      return Effect.as(
        Effect.annotateLogs(Effect.logWarning("store unavailable"), {
          requestId,
          ...describeDefect(error.cause)
        }),
        failure(Problem.of("common.unavailable"))
      )
    case "BodyTooLarge":
      return Effect.succeed(failure(Problem.of("common.body_too_large")))
    case "RequestAborted":
      return Effect.succeed(failure(Problem.of("common.unavailable")))
    default:
      return Effect.as(
        Effect.annotateLogs(Effect.logError("request failed"), { requestId, ...describeDefect(cause) }),
        failure(Problem.of("common.internal"))
      )
  }
}
