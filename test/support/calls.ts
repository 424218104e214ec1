/**
 * Plain calls to a server by its address.
 *
 * @module
 */
import { expect } from "vitest"

/** An answer with an envelope. */
export interface Called<Value> {
  readonly status: number
  readonly headers: Headers
  readonly value: Value
  readonly codes: ReadonlyArray<string>
}

/** Calls a route: GET, or POST when there is something to send. */
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

/** Waits until an email is delivered, at most so many milliseconds. */
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

/** Lets an account's keys call as often as they like. */
export const liftRateLimit = async (baseUrl: string, token: string, accountId: string): Promise<void> => {
  const response = await fetch(`${baseUrl}/manage/v1/accounts/${accountId}/settings`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ rateLimitPerMinute: 1_000_000 })
  })
  expect(response.status).toBe(200)
}
