/**
 * Plain calls to a server by its URL.
 *
 * @module
 */
import { expect } from "vitest"

/** A response with an envelope. */
export interface Called<Value> {
  readonly status: number
  readonly headers: Headers
  readonly value: Value
  readonly codes: ReadonlyArray<string>
}

/** Calls a route: POST with a body, otherwise GET. */
export const api = async <Value = unknown>(
  baseUrl: string,
  token: string,
  path: string,
  sent?: unknown,
  headers: Readonly<Record<string, string>> = {}
): Promise<Called<Value>> => {
  const response = await fetch(baseUrl + path, {
    method: sent === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) })
  })
  const answer = (await response.json()) as { value: Value; errors?: ReadonlyArray<{ code: string }> }
  return {
    status: response.status,
    headers: response.headers,
    value: answer.value,
    codes: (Array.isArray(answer.errors) ? answer.errors : []).map((error) => error.code)
  }
}

/** Waits until an email is delivered; fails after `timeout` milliseconds. */
export const delivered = async (
  baseUrl: string,
  key: string,
  id: string,
  timeout = 25_000
): Promise<void> => {
  const look = async () => {
    const { codes, status, value } = await api<{ status: string } | null>(
      baseUrl,
      key,
      `/api/v1/sending/emails/${id}`
    )
    return [status, codes, value?.status]
  }
  await expect.poll(look, { timeout }).toEqual([200, [], "Delivered"])
}

/** Changes an account's settings. */
export const changeSettings = async (
  baseUrl: string,
  token: string,
  accountId: string,
  settings: object
): Promise<void> => {
  const response = await fetch(`${baseUrl}/manage/v1/accounts/${accountId}/settings`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(settings)
  })
  expect(response.status).toBe(200)
}

/** Sets an account's rate limit so high that no test reaches it. */
export const liftRateLimit = (baseUrl: string, token: string, accountId: string): Promise<void> =>
  changeSettings(baseUrl, token, accountId, { rateLimitPerMinute: 1_000_000 })
