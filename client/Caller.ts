/**
 * Makes calls: sends them, waits and tries again where that may help, and reads what is answered.
 *
 * @module
 */
import { type Answer, readAnswer } from "./Answer.ts"
import { type ApiError, ConnectionError } from "./errors.ts"
import type {
  ConditionalCallOptions,
  IdempotentCallOptions,
  Operation,
  TokenCallOptions
} from "./Operation.ts"

/** How to reach the service. */
export interface ClientOptions {
  /** Where the service is, such as `https://mail.example.com`. */
  readonly baseUrl: string
  /** An API key of the account. It belongs on a server: its holder may do all that its permissions allow. */
  readonly apiKey: string
  /**
   * How often a call is tried again that was answered with 429 or 503, or got no answer; 2 unless given. All calls of
   * the API can be repeated: they write what they say, or carry an idempotency key.
   */
  readonly maxRetries?: number | undefined
  /** The longest wait before another attempt; where `Retry-After` asks for more, the call fails. 60,000 unless given. */
  readonly maxRetryDelayMillis?: number | undefined
  /** How long one attempt may take; 30,000 unless given. */
  readonly timeoutMillis?: number | undefined
  /** Sends the requests; the global `fetch` unless given. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
}

/** Makes one call of an operation with the arguments of its method. */
export type Caller = (operation: Operation, args: ReadonlyArray<unknown>) => Promise<unknown>

const firstDelayMillis = 500

/** Makes what calls; throws a TypeError for options that can reach no service. */
export const makeCaller = (options: ClientOptions): Caller => {
  const { apiKey, maxRetries = 2, maxRetryDelayMillis = 60_000, timeoutMillis = 30_000 } = options
  const send = options.fetch ?? ((request: Request) => fetch(request))
  const base = baseOf(options.baseUrl)
  if (!isToken(apiKey)) throw new TypeError("apiKey is not an API key.")

  const attempt = async (
    make: (signal: AbortSignal) => Request,
    signal: AbortSignal | undefined
  ): Promise<Answer> => {
    signal?.throwIfAborted()
    const timeout = AbortSignal.timeout(timeoutMillis)
    const request = make(signal === undefined ? timeout : AbortSignal.any([signal, timeout]))
    try {
      return await readAnswer(await send(request), Date.now())
    } catch (cause) {
      signal?.throwIfAborted()
      return { isSuccess: false, error: new ConnectionError("The service did not answer.", { cause }) }
    }
  }

  /** How long to wait before the next attempt; null where there is to be none. */
  const waitAfter = (error: ApiError | ConnectionError, retry: number): number | null => {
    const backOff = Math.min(maxRetryDelayMillis, backOffMillis(retry))
    if (retry >= maxRetries) return null
    if (error instanceof ConnectionError) return backOff
    if (error.status !== 429 && error.status !== 503) return null
    if (error.retryAfterSeconds === null) return backOff
    const asked = error.retryAfterSeconds * 1000
    return asked > maxRetryDelayMillis ? null : asked
  }

  return async (operation, args) => {
    const { make, onTag, signal } = requestOf(base, apiKey, operation, args)
    const attempts = async (retry: number): Promise<unknown> => {
      const answer = await attempt(make, signal)
      if (answer.isSuccess) {
        if (answer.tag !== null) onTag?.(answer.tag)
        return answer.value
      }
      const wait = waitAfter(answer.error, retry)
      if (wait === null) throw answer.error
      await pause(wait, signal)
      return attempts(retry + 1)
    }
    return attempts(0)
  }
}

/** Whether a header can carry it; the header's own refusal would name it. */
const isToken = (value: unknown): value is string => typeof value === "string" && /^[\x21-\x7e]+$/.test(value)

const baseOf = (url: string): string => {
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new TypeError("baseUrl is not an http or https URL.")
  return url.replace(/\/+$/, "")
}

/** Each wait is about double the last, and none is just as long as another client's. */
const backOffMillis = (retry: number): number => firstDelayMillis * 2 ** retry * (0.5 + Math.random() / 2)

const pause = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, millis)
    if (signal?.aborted === true) end()
    else signal?.addEventListener("abort", end, { once: true })
  })

const requestOf = (base: string, apiKey: string, operation: Operation, args: ReadonlyArray<unknown>) => {
  const { body, key, method, params, path, query, token: isByToken } = operation
  const rest = args.slice(params)
  const value = body ? rest.shift() : undefined
  const payload = JSON.stringify(value)
  const search = query ? searchOf(rest.shift()) : ""
  const { idempotencyKey, ifMatch, onTag, signal, token } = (rest[0] ?? {}) as Partial<
    ConditionalCallOptions & IdempotentCallOptions & TokenCallOptions
  >
  const secret = isByToken ? token : apiKey
  if (!isToken(secret)) throw new TypeError("token is not a token.")
  const url = base + pathOf(path, args.slice(0, params)) + search
  const headers: Record<string, string> = { authorization: `Bearer ${secret}`, accept: "application/json" }
  if (payload !== undefined) headers["content-type"] = "application/json"
  if (key && !hasKey(value)) headers["idempotency-key"] = idempotencyKey ?? crypto.randomUUID()
  if (ifMatch !== undefined) headers["if-match"] = ifMatch
  return {
    onTag,
    signal,
    make: (either: AbortSignal) =>
      new Request(url, {
        method,
        headers,
        signal: either,
        // Another place has not been asked to be trusted with the key.
        redirect: "manual",
        ...(payload === undefined ? {} : { body: payload })
      })
  }
}

/** Whether a body carries an idempotency key of its own. */
const hasKey = (body: unknown): boolean =>
  typeof body === "object" && body !== null && typeof Reflect.get(body, "idempotencyKey") === "string"

const pathOf = (path: string, values: ReadonlyArray<unknown>): string => {
  let index = 0
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = values[index++]
    // A URL's reader takes these for the way to another path.
    if (typeof value !== "string" || value === "" || value === "." || value === "..")
      throw new TypeError(`${name} is not a reference.`)
    return encodeURIComponent(value)
  })
}

const searchOf = (query: unknown): string => {
  const values = Object.entries((query ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]]
  )
  return values.length === 0 ? "" : `?${new URLSearchParams(values).toString()}`
}
