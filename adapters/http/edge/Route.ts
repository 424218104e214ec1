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
  /** Where the request comes from. */
  readonly origin: Origin
  /** The account that the path names by `accountId`. */
  readonly account: AccountOf<E>
  /** The company that the path names by `companyId`. */
  readonly company: CompanyOf<E>
  /** Who calls, for the audit log. */
  readonly actor: Actor
  /** Upper case; HEAD for a request of a GET route's headers only. */
  readonly method: string
  /** Path parameters; UUIDs in lower case. */
  readonly params: ParamsOf<E>
  /** Query parameters; null where absent or empty. */
  readonly query: QueryOf<E>
  /** The requested page, on an endpoint with pages. */
  readonly page: PageOf<E>
  /** A request header's value by its lower-case name; null when absent. */
  readonly header: (name: string) => string | null
  /**
   * Authenticates the request again, for a reply that lasts: as the caller is now. It is no use of the session or token.
   */
  readonly again: Effect.Effect<Caller, Problem | Unavailable>
  readonly payload: PayloadOf<E>
  /**
   * The whole body, on a route whose body is text; common.body_too_large beyond `limit` bytes, the route's own unless
   * given, common.unavailable.
   */
  readonly body: (limit?: number) => Effect.Effect<Uint8Array, Problem>
  /** The body as it arrives, on a route whose body is text; common.body_too_large, common.unavailable. */
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

/** A body that is text is not read before the handler, which reads it as it arrives. */
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

/** Handles calls whose body is JSON and not of the endpoint's shape; with null they stay rejected. */
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
  /** Null where the route has no body, or reads it as it arrives. */
  readonly decodeBody: DecodeBody | null
  readonly isStreamed: boolean
  /** Whether it takes a body that is compressed. */
  readonly takesCompressed: boolean
  /** Whether its calls need a place of `ReadShare`. */
  readonly isExpensive: boolean
  /** Whether a success is a read of an email's content, which is recorded. */
  readonly readsContent: boolean
  /** Whether its calls may take as long as they do. */
  readonly takesLong: boolean
  /** Whether its changes may be conditional, by the header If-Match. */
  readonly isConditional: boolean
  readonly decodeParams: ReturnType<typeof makeDecodeParams>
  readonly decodeQuery: ReturnType<typeof makeDecodeQuery>
  readonly handler: (call: RoutedCall) => Effect.Effect<HandlerReply<unknown>, Problem | Unavailable>
  /** Null where a body that is not of the shape is always refused. */
  readonly invalidHandler:
    | ((call: RoutedCall) => Effect.Effect<HandlerReply<unknown> | null, Problem | Unavailable>)
    | null
}

/** A call whose endpoint's types are not known. */
export type RoutedCall = {
  readonly [K in keyof Call]: K extends "account" | "company" | "page" | "params" | "payload" | "query"
    ? unknown
    : Call[K]
}

/** Whether a success is a read of an email's content: by its annotation, or by the right it requires. */
const isContentRead = ({ annotations, method }: HttpApiEndpoint.Top): boolean => {
  const guard = Context.getUnsafe(annotations, EndpointGuard as never) as Guard
  const isOfContent = guard._tag === "Management" && guard.requires === "emails:content" && method === "GET"
  return isOfContent || Context.get(annotations as Context.Context<never>, ReadsContent)
}

/** What routes have of their endpoints. It keeps nothing of a service, so all services of a process share it. */
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

/** The routes of a group; `invalid` has the endpoints that answer some bodies that are not of their shape. */
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
