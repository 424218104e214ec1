/**
 * Serves routes with Effect's HttpRouter: finds the route, checks in the order of docs/contributing/decisions.md 2
 * (401, 403, 429, then the body), calls the handler, and replies. Nothing a client sends makes it fail.
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

/** Replies to one request; never fails. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope | ServerServices
>

/** How long authentication and the handler may each take, in milliseconds; beyond it the reply is 503. */
const replyMillis = 20_000

/** The longest time of a timer, in milliseconds, for handlers that take as long as they do. */
const maxTimer = 2 ** 31 - 1

/** The body of a call whose route has none, or whose payload is its body. */
const noBody: Pick<RoutedCall, "body" | "stream"> = {
  body: () => Effect.succeed(new Uint8Array()),
  stream: () => Stream.empty
}

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
      // A client that disconnects does not interrupt its request: what is being committed is committed.
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
  // The router fails only where it finds no route.
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

/** Where the body of a request is held, until its reply is made. */
const holdOf = (
  context: RequestContext,
  route: Route,
  { accountId }: Caller,
  { network, trust }: Origin
): Hold => {
  if (accountId !== "") return Context.get(context, HeldBodies).hold(accountId)
  if (route.guard._tag !== "Open") return Context.get(context, HeldBodies).hold(route.guard._tag)
  // No limit of a network applies to a trusted proxy itself: each of its bodies is on its own.
  const holder = trust === "Proxy" ? `${network} ${++bodiesOfProxies}` : network
  return Context.get(context, UnknownBodies).hold(holder)
}

/** The problem of a body that a handler reads. */
const bodyProblem =
  (headers: Record<string, string>) =>
  (error: BodyTooLarge | BodyTooSlow | BodiesBusy | RequestAborted): Problem => {
    const { _tag } = error
    if (_tag === "BodiesBusy") headers["retry-after"] = busySeconds
    // What still arrives is not another request.
    if (_tag === "BodyTooSlow") headers["connection"] = "close"
    return _tag === "BodyTooLarge"
      ? Problem.of("common.body_too_large", null, { max: error.limit })
      : Problem.of("common.unavailable")
  }

/** The codes of what a caller was denied. */
const denials: ReadonlySet<string> = new Set([
  "users.right_missing",
  "users.access_required",
  "tokens.right_exceeds"
])

/** The right that a caller was denied, which the problem names or the route requires; null for other problems. */
const deniedRight = (problem: Problem | Unavailable, required: string): string | null => {
  if (!(problem instanceof Problem)) return null
  const { code, details } = problem.issues[0]
  return denials.has(code) ? String(details?.["right"] ?? required) : null
}

/** What was found; null for common.not_found. */
const found = <A>(look: Effect.Effect<A, Problem | Unavailable>): Effect.Effect<A | null, Unavailable> =>
  Effect.catchTag(look, "Problem", () => Effect.succeed(null))

/** Authenticates and decodes a request of a route, and returns the reply of its handler. */
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
        /** Records what a caller was denied: what the route requires, or what its body needs beyond that. */
        const denying = <A>(permitted: Effect.Effect<A, Problem | Unavailable>, target: Target | null) =>
          Effect.tapError(permitted, (problem) => {
            const right = guard._tag === "Management" ? deniedRight(problem, guard.requires) : null
            return right === null
              ? Effect.void
              : failAfter(replyMillis, audit.refused(actor, right, placeOf(target ?? installation)))
          })
        if (guard._tag !== "Open") origins.setKnown(request)
        // What a token of the installation may not do needs no look at what the path names.
        if (guard._tag === "Management" && caller.manager?._tag === "InstallationToken") {
          yield* denying(permit(caller.manager, guard.requires, installation), installation)
        }
        // Everything that needs no body comes before it: clients need not send one in vain.
        const params = yield* Effect.fromResult(route.decodeParams(rawParams))
        // Both are ids, where a path has them.
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
          // Before the content leaves: what cannot be recorded is not shown.
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
        // The client determines how long a body takes.
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

/** Turns the replies and errors of a route into responses, with the headers of every response. */
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
              // A handler that sets the session's cookie has the last word.
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

/** Whether a body is as it is (RFC 9110, 8.4). */
const isPlain = (encoding: string | null): boolean => /^(?:identity)?$/i.test(encoding?.trim() ?? "")

const decoder = new TextDecoder()

/** The beginning of a body, with room for characters of several bytes. */
const beginningOf = (bytes: Uint8Array): string => decoder.decode(bytes.subarray(0, 2 * maxLoggedBody))

const requestIdOf = ({ headers }: Request, ids: Ids["Service"]): Effect.Effect<string> => {
  const given = headers["x-request-id"]
  return given !== undefined && requestIdPattern.test(given) ? Effect.succeed(given) : ids.next
}

/** Whether callers of the API look for a route: not those that links and other systems have. */
const isShown = ({ path }: Route): boolean => /^\/(api|manage|ingest|flows|openapi)\b/.test(path)

/** Makes a function that returns the methods a URL has routes for, as the header Allow lists them; GET includes HEAD. */
const makeMethodsOf = (routes: ReadonlyArray<Route>) => {
  const methods = [...new Set(routes.map(({ method }) => method))]
  // Made at the first request that needs it: building it takes as long as the router of the calls.
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
      // A slash at the end is no empty id of a longer path.
      if (match === undefined || Object.values(match.params).includes("")) return []
      return method === "GET" ? ["GET", "HEAD"] : [method]
    })
}

/** The path of a URL, without its query, in which a secret can be. */
const pathOf = (url: string): string => url.replace(/[?#].*$/s, "")

/** Names the route where what its path names was not found: the caller knows the ids, which the answer does not repeat. */
const nameRoute = (error: RequestError, path: string | undefined): RequestError => {
  if (!(error instanceof Problem) || path === undefined) return error
  const [first, ...others] = error.issues
  const route = path.replaceAll(/:(\w+)/g, "{$1}")
  return first.code === "common.not_found" && first.details === undefined
    ? new Problem({ issues: [{ ...first, details: { route } }, ...others] })
    : error
}

/** A `%` that begins no escape. */
const bareEscape = /%(?![0-9a-f]{2})/gi

/**
 * The URL with a path that the router reads as it is meant: `;` and `#`, where the router would end the path and find
 * another resource, are part of it, and of a path that cannot be decoded the escapes are taken literally. Its route
 * rejects such a reference after it has authenticated the caller.
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
