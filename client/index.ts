/**
 * Typed clients of the public API and of the management API. Their methods take plain values and return promises. They have no
 * dependencies except `fetch`.
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

/** Options of a client of the management API. */
export interface ManagementClientOptions extends Omit<ClientOptions, "apiKey"> {
  /** The installation's management token. Keep it on a server of the operator. */
  readonly token: string
}

/**
 * Makes a client of the management API. Its calls reject in the same way as those of `createClient`. Calls that exchange files
 * (archives, imports, raw messages) are not included.
 */
export const createManagementClient = ({ token, ...options }: ManagementClientOptions): ManagementClient =>
  clientOf({ ...options, apiKey: token }, managementOperations)

/** Options of a client that also calls the management API. */
export interface OperatorClientOptions extends ClientOptions {
  /** The installation's management token. Keep it on a server of the operator. */
  readonly managementToken: string
}

/** A client of an account that also calls the management API. */
export interface OperatorClient extends Client {
  /** The client of the management API, as returned by `createManagementClient`. */
  readonly management: ManagementClient
}

/**
 * Makes a client of an account. Its calls reject with `ApiError` if the service rejects them, with `ConnectionError` if no
 * response arrives, and with the signal's reason if the caller aborts them. With a management token, `management` calls the
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
