/**
 * Binds endpoint definitions to handlers. The definitions in `schema/` are the published contract; a route takes its
 * method, path, guard, parameters and body shape from them, so what is served cannot differ from what is published.
 *
 * @module
 */
import { Context, type Effect, type Stream } from "effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type { Account, Company } from "../../../core/model/Account.ts"
import type { Actor } from "../../../core/model/Actor.ts"
import type { Origin } from "../../../core/shared/Network.ts"
import type { PageRequest } from "../../../core/shared/Page.ts"
import type { Problem, Unavailable } from "../../../core/shared/Problem.ts"
import {
  EndpointGuard,
  type Guard,
  IsExpensive,
  MaxBody,
  ReadsContent,
  TakesCompressed,
  TakesLong
} from "../schema/Envelope.ts"
import { type DecodeBody, isStreamed, makeDecodeBody } from "./body.ts"
import type { Caller } from "./guard.ts"
import type { ListCall } from "./lists.ts"
import { hasField, hasPages, makeDecodeParams, makeDecodeQuery } from "./parameters.ts"
import type { HandlerReply } from "./reply.ts"

/** An authenticated request with decoded parameters and body. */
export interface Call<E = unknown> {
  readonly caller: Caller
  /** The origin of the request. */
  readonly origin: Origin
  /** The account that `accountId` in the path names. */
  readonly account: AccountOf<E>
  /** The company that `companyId` in the path names. */
  readonly company: CompanyOf<E>
  /** The caller, for the audit log. */
  readonly actor: Actor
  /** In upper case. HEAD if the request asks for the headers of a GET route. */
  readonly method: string
  /** Path parameters. UUIDs are in lower case. */
  readonly params: ParamsOf<E>
  /** Query parameters; null if absent or empty. */
  readonly query: QueryOf<E>
  /** The requested page, on a paginated endpoint. */
  readonly page: PageOf<E>
  /** Returns a request header's value by its lower-case name; null if absent. */
  readonly header: (name: string) => string | null
  /**
   * Authenticates the request again, with the caller's current rights, for a streamed reply. This does not count as a use of
   * the session or token.
   */
  readonly again: Effect.Effect<Caller, Problem | Unavailable>
  readonly payload: PayloadOf<E>
  /**
   * The whole body, on a route whose body is text. Fails with common.body_too_large if the body exceeds `limit` bytes, by
   * default the route's limit, or with common.unavailable.
   */
  readonly body: (limit?: number) => Effect.Effect<Uint8Array, Problem>
  /** The body as it arrives, on a route whose body is text. Fails with common.body_too_large or common.unavailable. */
  readonly stream: () => Stream.Stream<Uint8Array, Problem>
}

type TypeOf<S> = [S] extends [never] ? {} : S extends { readonly Type: infer T } ? T : {}
type ParamsOf<E> = E extends { readonly "~Params": infer P } ? TypeOf<P> : {}
type RawQueryOf<E> = E extends { readonly "~Query": infer Q } ? TypeOf<Q> : {}

type AccountOf<E> = "accountId" extends keyof ParamsOf<E> ? Account : null
type CompanyOf<E> = "companyId" extends keyof ParamsOf<E> ? Company : null
type PageOf<E> = "limit" extends keyof RawQueryOf<E>
  ? ListCall
  : "page" extends keyof RawQueryOf<E>
    ? PageRequest
    : null
type QueryOf<E> = {
  readonly [K in Exclude<keyof RawQueryOf<E>, "page" | "pageSize">]:
    | Exclude<RawQueryOf<E>[K], undefined>
    | ({} extends Pick<RawQueryOf<E>, K> ? null : never)
}

/** A text body is not read before the handler runs. The handler reads it as it arrives. */
type PayloadOf<E> = E extends { readonly "~Payload": infer P }
  ? [P] extends [never]
    ? null
    : P extends { readonly Type: infer T }
      ? [T] extends [string]
        ? null
        : T
      : null
  : null

type ValueOf<E> = E extends { readonly "~Success": { readonly Type: { readonly value: infer V } } }
  ? V
  : never

/** Handles the calls of an endpoint. */
export type Handler<E> = (call: Call<E>) => Effect.Effect<HandlerReply<ValueOf<E>>, Problem | Unavailable>

/** One handler for each endpoint of a group. */
export type HandlersOf<Group extends GroupLike> = {
  readonly [Name in keyof Group["endpoints"]]: Handler<Group["endpoints"][Name]>
}

/** Handles calls whose body is JSON but does not match the endpoint's shape. If it returns null, the call is rejected. */
export type InvalidHandler<E> = (
  call: Omit<Call<E>, "payload"> & { readonly payload: unknown }
) => Effect.Effect<HandlerReply<ValueOf<E>> | null, Problem | Unavailable>

interface GroupLike {
  readonly endpoints: Readonly<Record<string, unknown>>
}

/** A route that can be served. */
export interface Route {
  readonly method: HttpApiEndpoint.Top["method"]
  readonly path: `/${string}`
  readonly guard: Guard
  readonly maxBody: number
  /** Null if the route has no body, or reads it as it arrives. */
  readonly decodeBody: DecodeBody | null
  readonly isStreamed: boolean
  /** Whether the route accepts a compressed body. */
  readonly takesCompressed: boolean
  /** Whether each call needs a slot of `ReadShare`. */
  readonly isExpensive: boolean
  /** Whether a successful call reads an email's content, which is recorded in the audit log. */
  readonly readsContent: boolean
  /** Whether calls have no time limit. */
  readonly takesLong: boolean
  /** Whether calls can be conditional, with the header If-Match. */
  readonly isConditional: boolean
  readonly decodeParams: ReturnType<typeof makeDecodeParams>
  readonly decodeQuery: ReturnType<typeof makeDecodeQuery>
  readonly handler: (call: RoutedCall) => Effect.Effect<HandlerReply<unknown>, Problem | Unavailable>
  /** Null if every body that does not match the shape is rejected. */
  readonly invalidHandler:
    | ((call: RoutedCall) => Effect.Effect<HandlerReply<unknown> | null, Problem | Unavailable>)
    | null
}

/** A call whose endpoint types are not known. */
export type RoutedCall = {
  readonly [K in keyof Call]: K extends "account" | "company" | "page" | "params" | "payload" | "query"
    ? unknown
    : Call[K]
}

/** Whether a successful call reads an email's content: according to its annotation or the right it requires. */
const isContentRead = ({ annotations, method }: HttpApiEndpoint.Top): boolean => {
  const guard = Context.getUnsafe(annotations, EndpointGuard as never) as Guard
  const isOfContent = guard._tag === "Management" && guard.requires === "emails:content" && method === "GET"
  return isOfContent || Context.get(annotations as Context.Context<never>, ReadsContent)
}

/** The parts of a route that come from its endpoint. They hold no state, so all services of a process share them. */
const ofEndpoints = new WeakMap<HttpApiEndpoint.Top, Omit<Route, "handler" | "invalidHandler">>()

const ofEndpoint = (endpoint: HttpApiEndpoint.Top): Omit<Route, "handler" | "invalidHandler"> => ({
  method: endpoint.method,
  path: endpoint.path as `/${string}`,
  guard: Context.getUnsafe(endpoint.annotations, EndpointGuard as never) as Guard,
  maxBody: Context.get(endpoint.annotations as Context.Context<never>, MaxBody),
  decodeBody: makeDecodeBody(endpoint),
  isStreamed: isStreamed(endpoint),
  takesCompressed: Context.get(endpoint.annotations as Context.Context<never>, TakesCompressed),
  isExpensive:
    hasPages(endpoint.query) || Context.get(endpoint.annotations as Context.Context<never>, IsExpensive),
  readsContent: isContentRead(endpoint),
  takesLong: Context.get(endpoint.annotations as Context.Context<never>, TakesLong),
  isConditional: endpoint.headers !== undefined && hasField(endpoint.headers, "if-match"),
  decodeParams: makeDecodeParams(endpoint.params),
  decodeQuery: makeDecodeQuery(endpoint.query, endpoint.path)
})

/** Makes the routes of a group. `invalid` has handlers for endpoints that answer some bodies of another shape. */
export const bind = <Group extends GroupLike>(
  group: Group,
  handlers: HandlersOf<Group>,
  invalid: { readonly [Name in keyof Group["endpoints"]]?: InvalidHandler<Group["endpoints"][Name]> } = {}
): ReadonlyArray<Route> =>
  Object.entries(group.endpoints as Record<string, HttpApiEndpoint.Top>).map(([name, endpoint]) => {
    let shared = ofEndpoints.get(endpoint)
    if (shared === undefined) ofEndpoints.set(endpoint, (shared = ofEndpoint(endpoint)))
    return {
      ...shared,
      handler: handlers[name as keyof Group["endpoints"]] as unknown as Route["handler"],
      invalidHandler: (invalid[name as keyof Group["endpoints"]] ??
        null) as unknown as Route["invalidHandler"]
    }
  })
