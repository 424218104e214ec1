/**
 * The error with which a call of the API fails.
 *
 * @module
 */

/** A call was rejected, or received no response. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  /** The HTTP status; 0 if there was no response. */
  readonly status: number
  /** The stable error code; `offline` if there was no response, `unreadable` if the response is not one of the API's. */
  readonly code: string
  /** Further fields for programs, such as the `right` that the caller lacks. */
  readonly details: Readonly<Record<string, unknown>>
  /** Messages by the field of the request that they concern. */
  readonly fields: Readonly<Record<string, string>>
  readonly requestId: string | null
  /** The number of seconds after which the call may succeed; null if the response does not say. */
  readonly retryAfterSeconds: number | null

  constructor(parts: {
    readonly status: number
    readonly code: string
    readonly message: string
    readonly details?: Readonly<Record<string, unknown>>
    readonly fields?: Readonly<Record<string, string>>
    readonly requestId?: string | null
    readonly retryAfterSeconds?: number | null
  }) {
    super(parts.message)
    this.status = parts.status
    this.code = parts.code
    this.details = parts.details ?? {}
    this.fields = parts.fields ?? {}
    this.requestId = parts.requestId ?? null
    this.retryAfterSeconds = parts.retryAfterSeconds ?? null
  }

  /** Whether the same call may succeed later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

type Body = Readonly<Record<string, unknown>>

const isBody = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The first message of a list of errors, which are objects or plain strings. */
const messageOf = (list: unknown): string | null => {
  const [first] = Array.isArray(list) ? (list as ReadonlyArray<unknown>) : []
  if (typeof first === "string") return first
  return isBody(first) && typeof first["message"] === "string" ? first["message"] : null
}

/** The error for a response that is not a success. */
export const errorOf = (status: number, body: unknown, headers: Headers): ApiError => {
  const known: Body = isBody(body) ? body : {}
  const grouped = known["fieldErrors"] ?? known["errors"]
  const fields = Object.fromEntries(
    Object.entries(isBody(grouped) ? grouped : {}).flatMap(([field, list]) => {
      const message = messageOf(list)
      return message === null ? [] : [[field, message]]
    })
  )
  const listed: ReadonlyArray<unknown> = Array.isArray(known["errors"]) ? known["errors"] : []
  const [first] = listed
  const entry: Body = isBody(first) ? first : {}
  const isRefusedShape = typeof known["statusCode"] === "number"
  const code = entry["code"] ?? (isRefusedShape ? "validation.type" : "unreadable")
  const message = entry["message"] ?? Object.values(fields)[0] ?? known["message"]
  return new ApiError({
    status,
    code: String(code),
    message: typeof message === "string" ? message : `The service answered with status ${status}.`,
    details: isBody(entry["details"]) ? entry["details"] : {},
    fields,
    requestId: headers.get("x-request-id"),
    retryAfterSeconds: Number(headers.get("retry-after")) || null
  })
}
