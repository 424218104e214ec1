/**
 * Serves routes with Effect's HttpRouter. It finds the route, makes the checks in the order of docs/contributing/decisions.md 2
 * (401, 403, 429, then the body), calls the handler, and replies. No request can make it fail.
 *
 * @module
 */
import { Clock, Context, Effect, type Scope, Stream } from "effect"
import { FindMyWay, HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { Accounts } from "../../../core/accounts/Accounts.ts"
import { Requests } from "../../../core/accounts/Requests.ts"
import { loggedBody, maxLoggedBody } from "../../../core/accounts/RequestRules.ts"
import { AuditTrail } from "../../../core/accounts/AuditTrail.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { ExpectedTag } from "../../../core/kernel/Precondition.ts"
import { ReadShare } from "../../../core/kernel/ReadShare.ts"
import { CallWarnings, Warnings } from "../../../core/kernel/Warnings.ts"
import type { Origin } from "../../../core/shared/Network.ts"
import { Problem, type Unavailable } from "../../../core/shared/Problem.ts"
import { isTracing } from "../../../core/shared/Tracing.ts"
import { isPercentEncoded } from "../../../core/shared/Validate.ts"
import type { Target } from "../../../core/users/Caller.ts"
import { callerOfSession } from "../../../core/users/Sessions.ts"
import {
  type BodiesBusy,
  BodyReader,
  type BodyTooLarge,
  type BodyTooSlow,
  DecodedBodies,
  HeldBodies,
  type RequestAborted,
  ServerClosing,
  type ServerServices,
  UnknownBodies
} from "./BodyReader.ts"
import { jsonOf } from "./body.ts"
import type { Hold } from "./BytesInFlight.ts"
import { failAfter } from "./Deadline.ts"
import {
  type Authenticate,
  authenticateBy,
  actorOf,
  bearerToken,
  type Caller,
  countKeyed,
  guardsLayer,
  type Trail
} from "./guard.ts"
import { busySeconds, failureReply, type Reply, type RequestError, toReply, toResponse } from "./reply.ts"
import { makeNearestRoute } from "./nearestRoute.ts"
import { Origins } from "./Origin.ts"
import { installation, permit, placeOf, requireConfirmation, targetOf, targetOfCompany } from "./permit.ts"
import { parseIfMatch } from "./precondition.ts"
import type { Route, RoutedCall } from "./Route.ts"
import { inRequestSpan, makeCountRequest, methodName } from "./trace.ts"
import { logWarnings, warningsHeader } from "./warnings.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Replies to one request. Never fails. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope | ServerServices
>

/** How long authentication and the handler may each take, in milliseconds. Beyond that the reply is 503. */
const replyMillis = 20_000

/** The longest duration of a timer, in milliseconds, for handlers without a time limit. */
const maxTimer = 2 ** 31 - 1

/** The body of a call whose route has no body, or whose body is decoded as its payload. */
const noBody: Pick<RoutedCall, "body" | "stream"> = {
  body: () => Effect.succeed(new Uint8Array()),
  stream: () => Stream.empty
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/

const routerConfig = {
  // Longer than any URL a server accepts. The route rejects a reference that is too long, with its own code.
  maxParamLength: 65_536,
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false
}

/** Makes the app of some routes. A literal path wins over one with a parameter, for each method separately. */
export const makeApp = Effect.fnUntraced(function* (routes: ReadonlyArray<Route>) {
  const respond = yield* makeRespond
  const call = yield* makeCall
  const authenticate = yield* Effect.provide(authenticateBy, guardsLayer)
  const count = yield* countKeyed
  const router = yield* Effect.provideService(HttpRouter.make, HttpRouter.RouterConfig, routerConfig)
  yield* router.addAll(
    routes.map((route) => {
      const callRoute = call(route, authenticate(route.guard))
      const respondTo = respond(route.path)
      const handler = Effect.contextWith((context: RequestContext) =>
        respondTo(Context.get(context, HttpServerRequest.HttpServerRequest), (headers, trail) =>
          callRoute(context, headers, trail)
        )
      )
      // A client that disconnects does not interrupt its request, so a commit in progress completes.
      return HttpRouter.route(route.method, route.path, handler, { uninterruptible: true })
    })
  ) as Effect.Effect<void>
  const routed = router.asHttpEffect()
  const methodsOf = makeMethodsOf(routes)
  const nearestRoute = makeNearestRoute(routes.filter(isShown).map(({ path }) => path))
  const respondUnrouted = respond(undefined)
  const unrouted = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    respondUnrouted(request, (headers, trail) => {
      const refused = Effect.suspend(() => {
        const path = pathOf(request.url)
        const methods = methodsOf(request.url)
        if (methods.length === 0) {
          const like = nearestRoute(path)
          const details = { path, ...(like === null ? {} : { nearest: like }) }
          return Effect.fail(Problem.of("common.not_found", null, null, details))
        }
        const known = methods.join(", ")
        headers["allow"] = known
        return Effect.fail(Problem.of("common.method_not_allowed", null, null, { path, known }))
      })
      return Effect.andThen(
        Effect.ignore(failAfter(replyMillis, count(bearerToken(request), headers, trail))),
        refused
      )
    })
  )
  // The router fails only if no route matches.
  const app = Effect.catch(routed, () => unrouted)
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const url = routableUrl(request.url)
    return url === request.url
      ? app
      : Effect.provideService(app, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  }) as App
})

type RequestContext = Context.Context<HttpRouter.Provided | ServerServices>

let bodiesOfProxies = 0

/** Starts holding the body of a request. The body is held until the reply is made. */
const holdOf = (
  context: RequestContext,
  route: Route,
  { accountId }: Caller,
  { network, trust }: Origin
): Hold => {
  if (accountId !== "") return Context.get(context, HeldBodies).hold(accountId)
  if (route.guard._tag !== "Open") return Context.get(context, HeldBodies).hold(route.guard._tag)
  // A trusted proxy has no limit per network, so each body that it sends itself has a holder of its own.
  const holder = trust === "Proxy" ? `${network} ${++bodiesOfProxies}` : network
  return Context.get(context, UnknownBodies).hold(holder)
}

/** The problem of a body that a handler failed to read. */
const bodyProblem =
  (headers: Record<string, string>) =>
  (error: BodyTooLarge | BodyTooSlow | BodiesBusy | RequestAborted): Problem => {
    const { _tag } = error
    if (_tag === "BodiesBusy") headers["retry-after"] = busySeconds
    // Bytes that still arrive belong to the body, not to another request.
    if (_tag === "BodyTooSlow") headers["connection"] = "close"
    return _tag === "BodyTooLarge"
      ? Problem.of("common.body_too_large", null, { max: error.limit })
      : Problem.of("common.unavailable")
  }

/** The codes of calls that were denied. */
const denials: ReadonlySet<string> = new Set([
  "users.right_missing",
  "users.access_required",
  "tokens.right_exceeds"
])

/** The right that a caller was denied: the one in the problem, or else the route's. Null for other problems. */
const deniedRight = (problem: Problem | Unavailable, required: string): string | null => {
  if (!(problem instanceof Problem)) return null
  const { code, details } = problem.issues[0]
  return denials.has(code) ? String(details?.["right"] ?? required) : null
}

/** Returns the result of a lookup; null instead of common.not_found. */
const found = <A>(look: Effect.Effect<A, Problem | Unavailable>): Effect.Effect<A | null, Unavailable> =>
  Effect.catchTag(look, "Problem", () => Effect.succeed(null))

/** Authenticates and decodes a request of a route, and returns its handler's reply. */
const makeCall = Effect.map(
  Effect.all([Accounts, AuditTrail, ReadShare]),
  ([accounts, audit, reads]) =>
    (route: Route, authenticate: Authenticate) =>
      Effect.fnUntraced(function* (context: RequestContext, headers: Record<string, string>, trail: Trail) {
        const request = Context.get(context, HttpServerRequest.HttpServerRequest)
        const { params: rawParams } = Context.get(context, HttpRouter.RouteContext)
        const reader = Context.get(context, BodyReader)
        const token = bearerToken(request)
        const origins = Context.get(context, Origins)
        const origin = origins.of(request)
        const { method } = request
        const header = (name: string) => request.headers[name] ?? null
        const credentials = { token, origin, params: rawParams, method, header, headers, trail }
        const caller = yield* failAfter(replyMillis, authenticate(credentials))
        const again = failAfter(
          replyMillis,
          Effect.suspend(() =>
            authenticate({ ...credentials, headers: {}, trail: { key: null, body: null }, isRepeated: true })
          )
        )
        const { guard } = route
        const actor = actorOf(caller, origin, request.headers["user-agent"])
        /** Records the denial of a right: the right that the route requires, or another that its body needs. */
        const denying = <A>(permitted: Effect.Effect<A, Problem | Unavailable>, target: Target | null) =>
          Effect.tapError(permitted, (problem) => {
            const right = guard._tag === "Management" ? deniedRight(problem, guard.requires) : null
            return right === null
              ? Effect.void
              : failAfter(replyMillis, audit.refused(actor, right, placeOf(target ?? installation)))
          })
        if (guard._tag !== "Open") origins.setKnown(request)
        // The rights of an installation token do not depend on what the path names, so they are checked without a lookup.
        if (guard._tag === "Management" && caller.manager?._tag === "InstallationToken") {
          yield* denying(permit(caller.manager, guard.requires, installation), installation)
        }
        // All checks that do not need the body come before it is read, so that clients do not send one in vain.
        const params = yield* Effect.fromResult(route.decodeParams(rawParams))
        // Both parameters are ids, in every path that has them.
        const { accountId, companyId } = params as {
          readonly accountId?: string
          readonly companyId?: string
        }
        const account =
          accountId === undefined ? null : yield* failAfter(replyMillis, found(accounts.get(accountId)))
        const company =
          companyId === undefined ? null : yield* failAfter(replyMillis, found(accounts.company(companyId)))
        const named =
          account !== null ? targetOf(account) : company !== null ? targetOfCompany(company) : null
        const target = accountId !== undefined || companyId !== undefined ? named : installation
        if (guard._tag === "Management" && caller.manager !== undefined) {
          yield* denying(permit(caller.manager, guard.requires, target), target)
        }
        const signedIn =
          caller.manager ?? (caller.session === undefined ? undefined : callerOfSession(caller.session))
        if (signedIn !== undefined && "confirmation" in guard && guard.confirmation === "Always") {
          yield* requireConfirmation(signedIn)
        }
        const expected = route.isConditional ? yield* parseIfMatch(header("if-match")) : null
        const { page, query } = yield* Effect.fromResult(
          route.decodeQuery(Context.get(context, HttpServerRequest.ParsedSearchParams), params)
        )
        const call = {
          caller,
          origin,
          account,
          company,
          actor,
          method,
          params,
          query,
          page,
          header,
          again
        }
        const { decodeBody } = route
        const handle = (whole: RoutedCall) => {
          const called =
            expected === null
              ? route.handler(whole)
              : Effect.provideService(route.handler(whole), ExpectedTag, expected)
          // Recorded before the content is sent: if it cannot be recorded, the content is not shown.
          const handled =
            route.readsContent && account !== null
              ? Effect.tap(called, () => audit.contentRead(actor, account.id, String(params["id"] ?? "")))
              : called
          const watched = denying(handled, target)
          const placed = route.isExpensive ? reads.run(accountId ?? caller.accountId, watched) : watched
          return route.isStreamed ? placed : failAfter(route.takesLong ? maxTimer : replyMillis, placed)
        }
        if (decodeBody === null && !route.isStreamed) {
          const reply = toReply(yield* handle({ ...call, payload: null, ...noBody }))
          if (reply.stream === undefined) return reply
          return { ...reply, stream: Stream.interruptWhen(reply.stream, Context.get(context, ServerClosing)) }
        }
        if (!route.takesCompressed && !isPlain(header("content-encoding"))) {
          return yield* Problem.of("common.encoding_unsupported", null, null, { expected: "none" })
        }
        const hold = holdOf(context, route, caller, origin)
        const room = Context.get(context, DecodedBodies).hold(caller.accountId || route.guard._tag)
        const read = (limit: number) => reader.read(request, limit, hold)
        // No time limit here: the client determines how long a body takes.
        const answered =
          decodeBody === null
            ? handle({
                ...call,
                payload: null,
                body: (limit = route.maxBody) => Effect.mapError(read(limit), bodyProblem(headers)),
                stream: () => Stream.mapError(reader.stream(request, route.maxBody), bodyProblem(headers))
              })
            : Effect.flatMap(read(route.maxBody), (bytes) => {
                if (trail.key?.mode === "Sandbox") trail.body = beginningOf(bytes)
                return Effect.matchEffect(decodeBody(bytes, room), {
                  onSuccess: (payload) => handle({ ...call, payload, ...noBody }),
                  onFailure: (error) => {
                    const payload = jsonOf(error)
                    if (route.invalidHandler === null || payload === undefined) return Effect.fail(error)
                    return Effect.flatMap(
                      failAfter(replyMillis, route.invalidHandler({ ...call, payload, ...noBody })),
                      (reply) => (reply === null ? Effect.fail(error) : Effect.succeed(reply))
                    )
                  }
                })
              })
        const release = Effect.sync(() => {
          hold.release()
          room.release()
        })
        return toReply(yield* Effect.ensuring(answered, release))
      })
)

/** Turns the replies and errors of a route into responses, and sets the headers that every response has. */
const makeRespond = Effect.gen(function* () {
  const ids = yield* Ids
  const requests = yield* Requests
  const tracing = yield* isTracing
  return (path: string | undefined) => {
    const countRequest = makeCountRequest(path)
    return (
      request: Request,
      call: (headers: Record<string, string>, trail: Trail) => Effect.Effect<Reply, RequestError>
    ): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
      Clock.clockWith((clock) => {
        const started = clock.monotonicTimeNanosUnsafe()
        const headers: Record<string, string> = {}
        const warnings = new Warnings()
        const trail: Trail = { key: null, body: null }
        const named = Effect.mapError(call(headers, trail), (error) => nameRoute(error, path))
        const answered = Effect.provideService(named, CallWarnings, warnings)
        const responded = Effect.flatMap(requestIdOf(request, ids), (requestId) =>
          Effect.flatMap(
            Effect.catchCause(answered, (cause) => failureReply(cause, headers, requestId, path)),
            (reply) => {
              // A cookie that the handler sets replaces the renewed one.
              if ((reply.cookies?.length ?? 0) > 0) delete headers["set-cookie"]
              Object.assign(reply.headers, headers)
              reply.headers["x-request-id"] = requestId
              reply.headers["cache-control"] ??= "no-store"
              reply.headers["x-content-type-options"] = "nosniff"
              if (trail.key !== null) {
                const { key } = trail
                const isShown = key.mode === "Sandbox"
                const duration = clock.monotonicTimeNanosUnsafe() - started
                const durationMillis = Math.round(Number(duration) / 1e6)
                requests.add({
                  accountId: key.accountId,
                  keyId: key.keyId,
                  requestId,
                  method: methodName(request.method),
                  route: path ?? null,
                  status: reply.status,
                  code: reply.code ?? null,
                  durationMillis,
                  warnings: [...new Set(warnings.list.map(({ code }) => code))],
                  requestBody: isShown && trail.body !== null ? loggedBody(trail.body) : null,
                  responseBody: isShown && typeof reply.body === "string" ? loggedBody(reply.body) : null,
                  at: clock.currentTimeMillisUnsafe() - durationMillis
                })
              }
              const count = countRequest(request.method, reply.status, started)
              if (warnings.list.length === 0) return Effect.as(count, toResponse(reply))
              reply.headers["x-svc-warnings"] = warningsHeader(warnings)
              const log = logWarnings(warnings, { requestId, route: path ?? "unknown", status: reply.status })
              return Effect.as(Effect.andThen(count, log), toResponse(reply))
            }
          )
        )
        return tracing ? inRequestSpan(request, path, responded) : responded
      })
  }
})

/** Whether a body has no content encoding (RFC 9110, 8.4). */
const isPlain = (encoding: string | null): boolean => /^(?:identity)?$/i.test(encoding?.trim() ?? "")

const decoder = new TextDecoder()

/** The beginning of a body. Characters may have several bytes. */
const beginningOf = (bytes: Uint8Array): string => decoder.decode(bytes.subarray(0, 2 * maxLoggedBody))

const requestIdOf = ({ headers }: Request, ids: Ids["Service"]): Effect.Effect<string> => {
  const given = headers["x-request-id"]
  return given !== undefined && requestIdPattern.test(given) ? Effect.succeed(given) : ids.next
}

/** Whether a route is one that callers of the API may look for, as opposed to the routes of links and other systems. */
const isShown = ({ path }: Route): boolean => /^\/(api|manage|ingest|flows|openapi)\b/.test(path)

/** Makes a function that returns the methods of a URL's routes, in the form of the header Allow. GET includes HEAD. */
const makeMethodsOf = (routes: ReadonlyArray<Route>) => {
  const methods = [...new Set(routes.map(({ method }) => method))]
  // Made at the first request that needs it, because building it takes as long as building the main router.
  let router: FindMyWay.Router<Route> | null = null
  const makeRouter = () => {
    const made = FindMyWay.make<Route>(routerConfig)
    for (const route of routes) made.on(route.method, route.path, route)
    return made
  }
  return (url: string): ReadonlyArray<string> =>
    methods.flatMap((method) => {
      router ??= makeRouter()
      const match = router.find(method, url)
      // A trailing slash is not an empty id of a longer path.
      if (match === undefined || Object.values(match.params).includes("")) return []
      return method === "GET" ? ["GET", "HEAD"] : [method]
    })
}

/** The path of a URL without its query, which can contain a secret. */
const pathOf = (url: string): string => url.replace(/[?#].*$/s, "")

/** Adds the route's template to common.not_found. The caller knows the ids in the path, so the reply does not repeat them. */
const nameRoute = (error: RequestError, path: string | undefined): RequestError => {
  if (!(error instanceof Problem) || path === undefined) return error
  const [first, ...others] = error.issues
  const route = path.replaceAll(/:(\w+)/g, "{$1}")
  return first.code === "common.not_found" && first.details === undefined
    ? new Problem({ issues: [{ ...first, details: { route } }, ...others] })
    : error
}

/** A `%` that does not begin an escape. */
const bareEscape = /%(?![0-9a-f]{2})/gi

/**
 * Returns the URL with a path that the router reads as intended. `;` and `#`, at which the router would end the path and
 * find another resource, become part of it. In a path that cannot be decoded, invalid escapes are taken literally. The
 * route rejects such a reference after it has authenticated the caller.
 */
const routableUrl = (url: string): string => {
  if (!/[%;#]/.test(url)) return url
  const end = url.indexOf("?")
  const given = end === -1 ? url : url.slice(0, end)
  const query = end === -1 ? "" : url.slice(end)
  const path = given.replace(/[;#]/g, encodeURIComponent)
  if (isPercentEncoded(path)) return path + query
  const literal = path.replace(bareEscape, "%25")
  return (isPercentEncoded(literal) ? literal : path.replaceAll("%", "%25")) + query
}
