/**
 * Serves routes with Effect's HttpRouter: finds the route, checks in the order of docs/contributing/decisions.md 2
 * (401, 403, 429, then the body), calls the handler, and replies. Nothing a client sends makes it fail.
 *
 * @module
 */
import { Clock, Context, Effect, Result, type Scope, Stream } from "effect"
import { FindMyWay, HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { Accounts } from "../../../core/accounts/Accounts.ts"
import type { Account } from "../../../core/model/Account.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { isTracing } from "../../../core/shared/Tracing.ts"
import { BodyReader, DecodedBodies, HeldBodies } from "./BodyReader.ts"
import { failAfter } from "./Deadline.ts"
import { type Authenticate, authenticateBy, bearerToken, type Caller, guardsLayer } from "./guard.ts"
import { failureReply, type Reply, type RequestError, toReply, toResponse } from "./reply.ts"
import type { Route } from "./Route.ts"
import { inRequestSpan, makeCountRequest } from "./trace.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Replies to one request; never fails. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope | BodyReader
>

/** How long authentication and the handler may each take, in milliseconds; beyond it the reply is 503. */
const replyMillis = 20_000

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/

const routerConfig = {
  // Longer than any URL a server accepts: the route rejects what is too long, with its own code.
  maxParamLength: 65_536,
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false
}

/** Makes the app of some routes. A route's literal path wins over a parameter, method by method. */
export const makeApp = Effect.fnUntraced(function* (routes: ReadonlyArray<Route>) {
  const respond = yield* makeRespond
  const call = yield* makeCall
  const authenticate = yield* Effect.provide(authenticateBy, guardsLayer)
  const router = yield* Effect.provideService(HttpRouter.make, HttpRouter.RouterConfig, routerConfig)
  yield* router.addAll(
    routes.map((route) => {
      const callRoute = call(route, authenticate(route.guard))
      const respondTo = respond(route.path)
      const handler = Effect.contextWith((context: RequestContext) =>
        respondTo(Context.get(context, HttpServerRequest.HttpServerRequest), (headers) =>
          callRoute(context, headers)
        )
      )
      // A client that disconnects does not interrupt its request: what is being committed is committed.
      return HttpRouter.route(route.method, route.path, handler, { uninterruptible: true })
    })
  ) as Effect.Effect<void>
  const routed = router.asHttpEffect()
  const methodsOf = makeMethodsOf(routes)
  const respondUnrouted = respond(undefined)
  const unrouted = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    respondUnrouted(request, (headers) => {
      const methods = methodsOf(request.url)
      if (methods.length === 0) return Effect.fail(Problem.of("common.not_found"))
      headers["allow"] = methods.join(", ")
      return Effect.fail(Problem.of("common.method_not_allowed"))
    })
  )
  // The router fails only where it finds no route.
  const app = Effect.catch(routed, () => unrouted)
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const url = routableUrl(request.url)
    return url === request.url
      ? app
      : Effect.provideService(app, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  }) as App
})

type RequestContext = Context.Context<HttpRouter.Provided | BodyReader>

/** Passes a request to the handler of its route, and returns the reply. */
const makeAnswer = Effect.map(
  Accounts,
  ({ get: requireAccount }) =>
    (route: Route, context: RequestContext, caller: Caller, payload: unknown) =>
      Effect.suspend(() => {
        const request = Context.get(context, HttpServerRequest.HttpServerRequest)
        const reader = Context.get(context, BodyReader)
        const decodedParams = route.decodeParams(Context.get(context, HttpRouter.RouteContext).params)
        if (Result.isFailure(decodedParams)) return Effect.fail(decodedParams.failure)
        const params = decodedParams.success
        const handle = (account: Account | null) => {
          const decoded = route.decodeQuery(Context.get(context, HttpServerRequest.ParsedSearchParams))
          if (Result.isFailure(decoded)) return Effect.fail(decoded.failure)
          return route.handler({
            caller,
            account,
            method: request.method,
            params,
            query: decoded.success.query,
            page: decoded.success.page,
            header: (name) => request.headers[name] ?? null,
            payload,
            stream: () =>
              Stream.mapError(reader.stream(request, route.maxBody), ({ _tag }) =>
                Problem.of(_tag === "BodyTooLarge" ? "common.body_too_large" : "common.unavailable")
              )
          })
        }
        const { accountId } = params
        const handled =
          accountId === undefined ? handle(null) : Effect.flatMap(requireAccount(accountId), handle)
        // The client determines how long a streamed body takes.
        return Effect.map(route.isStreamed ? handled : failAfter(replyMillis, handled), toReply)
      })
)

/** Authenticates and decodes a request of a route, and returns the reply of its handler. */
const makeCall = Effect.map(
  makeAnswer,
  (answer) => (route: Route, authenticate: Authenticate) =>
    Effect.fnUntraced(function* (context: RequestContext, headers: Record<string, string>) {
      const request = Context.get(context, HttpServerRequest.HttpServerRequest)
      const { params: rawParams } = Context.get(context, HttpRouter.RouteContext)
      const reader = Context.get(context, BodyReader)
      const token = bearerToken(request)
      const caller = yield* failAfter(replyMillis, authenticate({ token, params: rawParams, headers }))
      const { decodeBody } = route
      if (decodeBody === null) return yield* answer(route, context, caller, null)
      const holder = caller.accountId || route.guard._tag
      const hold = Context.get(context, HeldBodies).hold(holder)
      const room = Context.get(context, DecodedBodies).hold(holder)
      const read = Effect.flatMap(reader.read(request, route.maxBody, hold), (bytes) =>
        decodeBody(bytes, room)
      )
      const answered = Effect.flatMap(read, (payload) => answer(route, context, caller, payload))
      const release = Effect.sync(() => {
        hold.release()
        room.release()
      })
      return yield* Effect.ensuring(answered, release)
    })
)

/** Turns the replies and errors of a route into responses, with the headers of every response. */
const makeRespond = Effect.gen(function* () {
  const ids = yield* Ids
  const tracing = yield* isTracing
  return (path: string | undefined) => {
    const countRequest = makeCountRequest(path)
    return (
      request: Request,
      call: (headers: Record<string, string>) => Effect.Effect<Reply, RequestError>
    ): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
      Clock.clockWith((clock) => {
        const started = clock.monotonicTimeNanosUnsafe()
        const headers: Record<string, string> = {}
        const responded = Effect.flatMap(requestIdOf(request, ids), (requestId) =>
          Effect.flatMap(
            Effect.catchCause(call(headers), (cause) => failureReply(cause, headers, requestId)),
            (reply) => {
              Object.assign(reply.headers, headers)
              reply.headers["x-request-id"] = requestId
              reply.headers["cache-control"] ??= "no-store"
              reply.headers["x-content-type-options"] = "nosniff"
              return Effect.as(countRequest(request.method, reply.status, started), toResponse(reply))
            }
          )
        )
        return tracing ? inRequestSpan(request, path, responded) : responded
      })
  }
})

const requestIdOf = ({ headers }: Request, ids: Ids["Service"]): Effect.Effect<string> => {
  const given = headers["x-request-id"]
  return given !== undefined && requestIdPattern.test(given) ? Effect.succeed(given) : ids.next
}

/** Makes a function that returns the methods a URL has routes for, as the header Allow lists them; GET includes HEAD. */
const makeMethodsOf = (routes: ReadonlyArray<Route>) => {
  const router = FindMyWay.make<Route>(routerConfig)
  for (const route of routes) router.on(route.method, route.path, route)
  const methods = [...new Set(routes.map(({ method }) => method))]
  return (url: string): ReadonlyArray<string> =>
    methods.flatMap((method) => {
      if (router.find(method, url) === undefined) return []
      return method === "GET" ? ["GET", "HEAD"] : [method]
    })
}

/** A `%` that begins no escape. */
const bareEscape = /%(?![0-9a-f]{2})/gi

/**
 * The URL with a path that can be decoded: of one that cannot, the escapes are taken literally. Its route rejects such
 * a reference after it has authenticated the caller.
 */
const routableUrl = (url: string): string => {
  if (!url.includes("%")) return url
  const end = url.search(/[?#]/)
  const path = end === -1 ? url : url.slice(0, end)
  const query = end === -1 ? "" : url.slice(end)
  if (canDecode(path)) return url
  const literal = path.replace(bareEscape, "%25")
  return (canDecode(literal) ? literal : path.replaceAll("%", "%25")) + query
}

const canDecode = (path: string): boolean => {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
