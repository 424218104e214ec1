/**
 * Makes calls: sends requests, retries those that may succeed later, and reads the responses.
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
  /** The address of the service, such as `https://mail.example.com`. */
  readonly baseUrl: string
  /** An API key of the account. Keep it on a server: anyone who has it can do everything that its permissions allow. */
  readonly apiKey: string
  /**
   * How many times a call is retried after a 429 or 503, or if it got no response; 2 by default. All calls of the API can be
   * repeated safely: they are idempotent or carry an idempotency key.
   */
  readonly maxRetries?: number | undefined
  /** The longest wait before a retry. If `Retry-After` asks for more, the call fails. 60,000 by default. */
  readonly maxRetryDelayMillis?: number | undefined
  /** The timeout of one attempt; 30,000 by default. */
  readonly timeoutMillis?: number | undefined
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
}

/** Calls an operation with the arguments of its method. */
export type Caller = (operation: Operation, args: ReadonlyArray<unknown>) => Promise<unknown>

const firstDelayMillis = 500

/** Makes the caller. Throws a TypeError if the URL or the key cannot be valid. */
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

  /** How long to wait before the next attempt; null if the call must not be retried. */
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

/** Whether the value can be sent in a header. Checked here, because the error thrown by `Headers` would contain the token. */
const isToken = (value: unknown): value is string => typeof value === "string" && /^[\x21-\x7e]+$/.test(value)

const baseOf = (url: string): string => {
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new TypeError("baseUrl is not an http or https URL.")
  return url.replace(/\/+$/, "")
}

/** Each wait is about twice as long as the previous one, with jitter so that clients do not retry at the same time. */
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
        // Never send the key to the target of a redirect.
        redirect: "manual",
        ...(payload === undefined ? {} : { body: payload })
      })
  }
}

/** Whether a body has its own idempotency key. */
const hasKey = (body: unknown): boolean =>
  typeof body === "object" && body !== null && typeof Reflect.get(body, "idempotencyKey") === "string"

const pathOf = (path: string, values: ReadonlyArray<unknown>): string => {
  let index = 0
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = values[index++]
    // URL parsers would resolve these as relative segments and change the path.
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
