/**
 * The typed client of the public API: functions that take and give plain values, and promises. It needs `fetch` and
 * nothing else.
 *
 * @module
 */
import { type ClientOptions, makeCaller } from "./Caller.ts"
import { type Client, operations } from "./generated.ts"
import type { Operation } from "./Operation.ts"

export type { ClientOptions } from "./Caller.ts"
export { ApiError, ConnectionError, type ErrorCode, type ErrorEntry } from "./errors.ts"
export type * from "./generated.ts"
export type { CallOptions, IdempotentCallOptions, TokenCallOptions } from "./Operation.ts"

/**
 * A client of an account. Its calls reject with `ApiError` when they are refused, with `ConnectionError` when no answer
 * arrives, and with the signal's reason when the caller ends them.
 *
 * @example
 *   const svc = createClient({ baseUrl: "https://mail.example.com", apiKey })
 *   const { id } = await svc.sending.submit({ to: "ada@example.org", subject: "Hello", text: "It works." })
 */
export const createClient = (options: ClientOptions): Client => {
  const call = makeCaller(options)
  const method =
    (operation: Operation) =>
    (...args: ReadonlyArray<unknown>) =>
      call(operation, args)
  const groups = Object.entries<Readonly<Record<string, Operation>>>(operations).map(([group, members]) => [
    group,
    Object.fromEntries(Object.entries(members).map(([name, operation]) => [name, method(operation)]))
  ])
  return Object.fromEntries(groups) as Client
}
