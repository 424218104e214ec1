/**
 * Calls the management API with the session cookie. All reads and changes of the dashboard go through this module.
 *
 * @module
 */
import { ApiError, errorOf } from "./errors.ts"
import { gateOf, passGate } from "./gates.ts"
import type { Language } from "../texts/texts.ts"
import type { Routes } from "./routes.ts"

/** A route: a method, and a path below `/manage/v1`. */
export type Route = keyof Routes

/** A route that reads. */
export type ReadRoute = Extract<Route, `GET ${string}`>

/** What a route returns on success. */
export type ValueOf<R extends Route> = Routes[R]["value"]

/** The query of a route. */
export type QueryOf<R extends Route> = NonNullable<Routes[R]["query"]>

type Given<Name extends string, Type> = [Type] extends [undefined]
  ? { readonly [K in Name]?: undefined }
  : undefined extends Type
    ? { readonly [K in Name]?: Type }
    : {} extends Type
      ? { readonly [K in Name]?: Type }
      : { readonly [K in Name]: Type }

/** The parameters, query and body of a call. */
export type InputOf<R extends Route> = Given<"params", Routes[R]["params"]> &
  Given<"query", Routes[R]["query"]> &
  Given<"body", Routes[R]["body"]>

/** Options of a call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** The ETag of the version that was read, so that the change fails instead of overwriting another user's change. */
  readonly ifMatch?: string | undefined
  /** Whether a dialog asks the user to sign in again or to confirm, if the call requires it; true by default. */
  readonly asks?: boolean | undefined
  /** How long the call may take, in milliseconds. */
  readonly millis?: number | undefined
}

/** A value with its ETag, to be passed as `ifMatch`. */
export interface Tagged<Value> {
  readonly value: Value
  readonly etag: string | null
}

/** The path below which the management API is served. */
const base = "/manage/v1"

/** The default timeout of a call, in milliseconds. */
const callMillis = 30_000

type Values = Readonly<Record<string, unknown>>

/** The URL of a route, also used for links that download a file. */
export const urlOf = (path: string, params: Values = {}, query: Values = {}): string => {
  const named = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === null || value === "" ? [] : [[name, String(value)]]
    )
  ).toString()
  return base + named + (search === "" ? "" : `?${search}`)
}

const offline = (): ApiError =>
  new ApiError({ status: 0, code: "offline", message: "The service cannot be reached." })

/** Sends a request and reads the response. */
const exchange = async (
  method: string,
  url: string,
  body: BodyInit | undefined,
  contentType: string | undefined,
  { ifMatch, millis = callMillis, signal }: CallOptions
): Promise<{ readonly response: Response; readonly text: string; readonly parsed: unknown }> => {
  const timeout = AbortSignal.timeout(millis)
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      method,
      credentials: "same-origin",
      redirect: "error",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: {
        accept: "application/json, */*;q=0.5",
        // A form on another site cannot set this header (CSRF protection).
        "x-svc-request": "1",
        ...(contentType === undefined ? {} : { "content-type": contentType }),
        ...(ifMatch === undefined ? {} : { "if-match": ifMatch })
      },
      ...(body === undefined ? {} : { body })
    })
    text = await response.text()
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw offline()
  }
  let parsed: unknown = null
  try {
    parsed = JSON.parse(text)
  } catch {
    // A body that is not JSON is a document, or does not come from the API but from a proxy, for example.
  }
  return { response, text, parsed }
}

/** The error that a failed response is thrown as, with its messages in the language of the page and the words of its screens. */
const refusal = async (...answer: Parameters<typeof errorOf>): Promise<ApiError> => {
  const error = errorOf(...answer)
  const messages = await import("../texts/said/said.ts")
    .then(({ messagesIn }) => messagesIn(document.documentElement.lang as Language, error))
    .catch(() => null)
  return messages === null ? error : new ApiError({ ...error, ...messages })
}

/** One attempt of a call. */
const attempt = async <Value>(
  ...[method, url, body, contentType, options]: Parameters<typeof exchange>
): Promise<Tagged<Value>> => {
  const { parsed, response } = await exchange(method, url, body, contentType, options)
  if (response.ok && typeof parsed === "object" && parsed !== null && "value" in parsed)
    return { value: parsed.value as Value, etag: response.headers.get("etag") }
  throw await refusal(response.status, parsed, response.headers)
}

const throughGates = async <A>(make: () => Promise<A>, asks: boolean): Promise<A> => {
  try {
    return await make()
  } catch (error) {
    const gate = error instanceof ApiError && asks ? gateOf(error) : null
    if (gate === null || !(await passGate(gate, error as ApiError))) throw error
    return throughGates(make, asks)
  }
}

/** Calls a route and returns the value with its tag. Rejects with an `ApiError`, or with the reason of the signal. */
export const callTagged = <R extends Route>(
  route: R,
  input: InputOf<R>,
  options: CallOptions = {}
): Promise<Tagged<ValueOf<R>>> => {
  const { body, params, query } = input as {
    readonly body?: unknown
    readonly params?: Values
    readonly query?: Values
  }
  const [method = "", path = ""] = route.split(" ")
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const contentType = payload === undefined ? undefined : "application/json"
  return throughGates(
    () => attempt<ValueOf<R>>(method, urlOf(path, params, query), payload, contentType, options),
    options.asks ?? true
  )
}

/** Calls a route and returns the value. Rejects with an `ApiError`, or with the reason of the signal. */
export const call = async <R extends Route>(
  route: R,
  input: InputOf<R>,
  options?: CallOptions
): Promise<ValueOf<R>> => (await callTagged(route, input, options)).value

/** Opens an event stream that lasts until the signal aborts it. Rejects as `call` does. */
export const connect = (
  url: string,
  { lastId, signal }: { readonly lastId: string; readonly signal: AbortSignal }
): Promise<ReadableStream<Uint8Array>> =>
  throughGates(async () => {
    const headers: Record<string, string> = { accept: "text/event-stream" }
    if (lastId !== "") headers["last-event-id"] = lastId
    let response: Response
    try {
      response = await fetch(url, { credentials: "same-origin", redirect: "error", headers, signal })
    } catch (error) {
      if (signal.aborted) throw error
      throw offline()
    }
    if (response.ok && response.body !== null) return response.body
    const body: unknown = await response.json().catch(() => null)
    throw await refusal(response.status, body, response.headers)
  }, true)

/** Reads one page of a document, and where the next page begins. Rejects as `call` does. */
const readPage = (
  url: string,
  options: CallOptions
): Promise<{ readonly text: string; readonly next: string | null }> =>
  throughGates(async () => {
    const { parsed, response, text } = await exchange("GET", url, undefined, undefined, options)
    if (!response.ok) throw await refusal(response.status, parsed, response.headers)
    const [, next] = /^<\?after=([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "") ?? []
    return { text, next: next === undefined ? null : decodeURIComponent(next) }
  }, options.asks ?? true)

/** Reads a document, such as the raw message of an email. Rejects as `call` does. */
export const readText = async (url: string, options: CallOptions = {}): Promise<string> =>
  (await readPage(url, options)).text

/** Reads a document of several pages by following each page's link to the next. */
export const readPages = async (
  path: string,
  params: Values,
  query: Values = {},
  read: ReadonlyArray<string> = []
): Promise<ReadonlyArray<string>> => {
  const { next, text } = await readPage(urlOf(path, params, query), {})
  const pages = [...read, text]
  return next === null ? pages : readPages(path, params, { ...query, after: next }, pages)
}

/** Sends a file to a route that accepts one, such as an import. */
export const upload = async <Value>(
  url: string,
  file: Blob,
  contentType: string,
  options: CallOptions = {}
): Promise<Value> =>
  (await throughGates(() => attempt<Value>("POST", url, file, contentType, options), options.asks ?? true))
    .value
