/**
 * The typed clients of the public API and of the management API: methods that take plain values and return promises.
 * They need `fetch` and nothing else.
 *
 * @module
 */
import { type ClientOptions, makeCaller } from "./Caller.ts"
import { type Client, operations } from "./generated.ts"
import { type ManagementClient, operations as managementOperations } from "./management.ts"
import type { Operation, Operations } from "./Operation.ts"

export { readError } from "./Answer.ts"
export type { ClientOptions } from "./Caller.ts"
export { ApiError, ConnectionError, type ErrorCode, type ErrorEntry, withField } from "./errors.ts"
export type * from "./generated.ts"
export type * as Management from "./management.ts"
export type {
  CallOptions,
  ConditionalCallOptions,
  IdempotentCallOptions,
  TokenCallOptions
} from "./Operation.ts"

const clientOf = <Calls>(options: ClientOptions, described: Operations<Calls>): Calls => {
  const call = makeCaller(options)
  const method =
    (operation: Operation) =>
    (...args: ReadonlyArray<unknown>) =>
      call(operation, args)
  const groups = Object.entries<Readonly<Record<string, Operation>>>(described).map(([group, members]) => [
    group,
    Object.fromEntries(Object.entries(members).map(([name, operation]) => [name, method(operation)]))
  ])
  return Object.fromEntries(groups) as Calls
}

/** How to reach the management API. */
export interface ManagementClientOptions extends Omit<ClientOptions, "apiKey"> {
  /** The management token of the installation. It belongs on a server of the operator. */
  readonly token: string
}

/**
 * A client of the management API. Its calls reject as those of `createClient`. Calls that exchange files (archives,
 * imports, raw messages) are not among them.
 */
export const createManagementClient = ({ token, ...options }: ManagementClientOptions): ManagementClient =>
  clientOf({ ...options, apiKey: token }, managementOperations)

/** Options of a client that calls the management API too. */
export interface OperatorClientOptions extends ClientOptions {
  /** The management token of the installation. It belongs on a server of the operator. */
  readonly managementToken: string
}

/** A client of an account that calls the management API too. */
export interface OperatorClient extends Client {
  /** The client of the management API, as `createManagementClient` makes it. */
  readonly management: ManagementClient
}

/**
 * A client of an account. Its calls reject with `ApiError` when they are refused, with `ConnectionError` when no answer
 * arrives, and with the signal's reason when the caller ends them. With a management token, `management` calls the
 * management API.
 *
 * @example
 *   const svc = createClient({ baseUrl: "https://mail.example.com", apiKey })
 *   const { id } = await svc.sending.submit({ to: "ada@example.org", subject: "Hello", text: "It works." })
 */
export const createClient: {
  (options: OperatorClientOptions): OperatorClient
  (options: ClientOptions): Client
} = ({ managementToken, ...options }: ClientOptions & { readonly managementToken?: string }) => {
  const client = clientOf(options, operations)
  const management =
    managementToken === undefined
      ? {}
      : { management: createManagementClient({ ...options, token: managementToken }) }
  return { ...client, ...management } as OperatorClient
}
