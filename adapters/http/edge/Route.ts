/**
 * Binds definitions to handlers. The definitions (`api/`) are the published contract; a route here takes its method,
 * path, guard and body shape from them, so what is served cannot differ from what is published. HttpApi's own builder
 * is not used for serving: it answers refusals in its own form and costs about half of the throughput.
 *
 * @module
 */
import { Context, type Effect, type Stream } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Store } from "../../../core/model/Store.ts"
import type { Problem, Unavailable } from "../../../core/shared/Problem.ts"
import { CheckedShape, EndpointGuard, type Guard, MaxBody } from "../schema/Envelope.ts"
import type { Reply } from "./HttpRequest.ts"
import { type CheckShape, makeShape } from "./Shape.ts"

/** Who calls: for key routes the account and key. */
export interface Caller {
  readonly accountId: string
  readonly keyId: string
  /** The store that calls, where the route is one of stores. */
  readonly store?: Store
}

/** A call that passed its guard and whose body has the route's shape. */
export interface Call<Payload> {
  readonly caller: Caller
  /** Upper case; HEAD where a route of GET is asked for its headers. */
  readonly method: string
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | Array<string> | undefined>>
  readonly header: (name: string) => string | null
  readonly payload: Payload
  /** The body as it arrives, of a route whose body is a text; common.body_too_large, common.unavailable. */
  readonly stream: () => Stream.Stream<Uint8Array, Problem>
}

/** What a handler answers: the HTTP status and the envelope's value, a document of another kind, or a whole reply. */
export type Answer<Value> =
  | { readonly _tag: "Value"; readonly status: number; readonly value: Value }
  | { readonly _tag: "Document"; readonly contentType: string; readonly body: string | Uint8Array }
  | ({ readonly _tag: "Reply" } & Reply)

/** 200 with a value. */
export const ok = <Value>(value: Value): Answer<Value> => ({ _tag: "Value", status: 200, value })

/** 201 with a value. */
export const created = <Value>(value: Value): Answer<Value> => ({ _tag: "Value", status: 201, value })

/** 202 with a value: what it names is done in the background. */
export const accepted = <Value>(value: Value): Answer<Value> => ({ _tag: "Value", status: 202, value })

/** 200 with a body that has no envelope. */
export const document = (contentType: string, body: string | Uint8Array): Answer<never> => ({
  _tag: "Document",
  contentType,
  body
})

/** A body that is a text is not read by the app: its handler takes it as it arrives. */
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

/** A function that answers a call. */
export type Handler<Payload, Value> = (
  call: Call<Payload>
) => Effect.Effect<Answer<Value>, Problem | Unavailable>

/** One handler for each endpoint of a group. */
export type HandlersOf<Group extends GroupLike> = {
  readonly [Name in keyof Group["endpoints"]]: Handler<
    PayloadOf<Group["endpoints"][Name]>,
    ValueOf<Group["endpoints"][Name]>
  >
}

interface GroupLike {
  readonly endpoints: Readonly<Record<string, unknown>>
}

/** A route that can be served. */
export interface Route {
  readonly method: string
  readonly path: `/${string}`
  readonly guard: Guard
  readonly maxBody: number
  /** Null where the route takes no body, or a text. */
  readonly shape: CheckShape<unknown> | null
  /** Whether the body is a form and not JSON. */
  readonly form: boolean
  /** Whether the body is a text, which the handler takes as it arrives. */
  readonly streamed: boolean
  readonly handler: Handler<unknown, unknown>
}

/** The routes of a group. */
export const bind = <Group extends GroupLike>(
  group: Group,
  handlers: HandlersOf<Group>
): ReadonlyArray<Route> =>
  Object.entries(group.endpoints as Record<string, HttpApiEndpoint.Top>).map(([name, endpoint]) => ({
    method: endpoint.method,
    path: endpoint.path as `/${string}`,
    guard: Context.getUnsafe(endpoint.annotations, EndpointGuard as never) as Guard,
    maxBody: Context.get(endpoint.annotations as Context.Context<never>, MaxBody),
    shape: shapeOf(endpoint),
    form: [...endpoint.payload.values()].some(({ encoding }) => encoding._tag === "FormUrlEncoded"),
    streamed: [...endpoint.payload.values()].some(({ encoding }) => encoding._tag === "Text"),
    handler: handlers[name as keyof Group["endpoints"]] as Handler<unknown, unknown>
  }))

const shapeOf = (endpoint: HttpApiEndpoint.Top): CheckShape<unknown> | null => {
  const checked = Context.get(endpoint.annotations as Context.Context<never>, CheckedShape)
  if (checked !== null) return makeShape(checked)
  const [payload] = [...endpoint.payload.values()]
  if (payload === undefined || payload.encoding._tag === "Text") return null
  return makeShape(payload.schemas[0] as never)
}
