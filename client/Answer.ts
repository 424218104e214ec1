/**
 * Reads responses: the API's envelope, rejections of a body's shape (in the media type of RFC 9457), and bodies of any other
 * form.
 *
 * @module
 */
import { ApiError, type ConnectionError, type ErrorEntry } from "./errors.ts"

/** The outcome of an attempt: a value, or an error from the service or the connection. */
export type Answer =
  | { readonly isSuccess: true; readonly value: unknown; readonly tag: string | null }
  | { readonly isSuccess: false; readonly error: ApiError | ConnectionError }

/** Reads a response. `now`, in epoch milliseconds, is for a `Retry-After` that is a date. */
export const readAnswer = async (response: Response, now: number): Promise<Answer> => {
  const body = parse(await response.text())
  return response.ok && body?.["isSuccess"] === true
    ? { isSuccess: true, value: body["value"], tag: response.headers.get("etag") }
    : { isSuccess: false, error: errorOf(response, body, now) }
}

/** The error of a response that is not a success. */
export const readError = async (response: Response): Promise<ApiError> =>
  errorOf(response, parse(await response.text()), Date.now())

const errorOf = ({ headers, status }: Response, body: Body | null, now: number): ApiError => {
  const fieldErrors = fieldErrorsOf(body)
  const listed = entriesOf(body?.["errors"])
  const errors = listed.length > 0 ? listed : Object.values(fieldErrors).flat()
  return new ApiError({
    status,
    errors: errors.length > 0 ? errors : wholeOf(body),
    fieldErrors,
    requestId: headers.get("x-request-id"),
    retryAfterSeconds: retryAfterSeconds(headers.get("retry-after"), now)
  })
}

/** The problem of the request as a whole, which concerns no field. */
const wholeOf = (body: Body | null): ReadonlyArray<ErrorEntry> =>
  typeof body?.["statusCode"] === "number" ? entriesOf([body["message"]]) : []

type Body = Readonly<Record<string, unknown>>

const isBody = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (text: string): Body | null => {
  try {
    const value: unknown = JSON.parse(text)
    return isBody(value) ? value : null
  } catch {
    return null
  }
}

const entriesOf = (list: unknown): ReadonlyArray<ErrorEntry> =>
  Array.isArray(list) ? list.flatMap((entry: unknown) => entryOf(entry)) : []

/**
 * The code for a body with the wrong shape, whose response has no code. Elements of a batch get the same code for the same
 * mistake.
 */
const shapeCode = "validation.type"

/** An entry of the envelope, or the plain message that a response about the body's shape has. */
const entryOf = (entry: unknown): ReadonlyArray<ErrorEntry> => {
  if (typeof entry === "string") return [{ code: shapeCode, message: entry, params: null }]
  if (!isBody(entry) || typeof entry["code"] !== "string") return []
  const { details, message, params } = entry
  return [
    {
      code: entry["code"],
      message: typeof message === "string" ? message : entry["code"],
      params: isBody(params) ? (params as Readonly<Record<string, number>>) : null,
      ...(isBody(details) ? { details } : {})
    }
  ]
}

const fieldErrorsOf = (body: Body | null): Readonly<Record<string, ReadonlyArray<ErrorEntry>>> => {
  const grouped = body?.["fieldErrors"] ?? body?.["errors"]
  return isBody(grouped)
    ? Object.fromEntries(Object.entries(grouped).map(([field, list]) => [field, entriesOf(list)]))
    : {}
}

/**
 * The number of seconds that `Retry-After` asks to wait (RFC 9110 10.2.3), given as a number or a date; null if it is neither.
 */
const retryAfterSeconds = (header: string | null, now: number): number | null => {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000))
}
