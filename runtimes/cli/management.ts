/**
 * Clients of a running server's APIs, for commands, and the flags that select the server.
 *
 * @module
 */
import { Config, Effect, FileSystem, Option, Schema, type Scope } from "effect"
import { Flag } from "effect/cli"
import {
  ApiError,
  type Client,
  createClient,
  createManagementClient,
  type Management,
  readError,
  withField
} from "../../client/index.ts"
import { loginAt, soleLogin } from "./login/logins.ts"
import { CommandFailed, oneLine } from "./output.ts"

type ManagementClient = Management.ManagementClient

/** The flags of every command that calls the server: the server's URL and the management token. */
export const serverFlags = {
  url: Flag.String("url").pipe(
    Flag.withDescription(
      "Base URL of the running server. Default: SVC_BASE_URL, the URL in the ready file, or http://SVC_HOST:SVC_PORT"
    ),
    Flag.optional
  ),
  token: Flag.String("token").pipe(
    Flag.withDescription(
      "Management token. Default: SVC_ADMIN_TOKEN, the token in the ready file (SVC_READY_FILE), or the token of svc login. Unlike a flag, other users of the machine cannot see these"
    ),
    Flag.optional
  )
}

/** The values of {@link serverFlags}. */
export interface ServerChoice {
  readonly url: Option.Option<string>
  readonly token: Option.Option<string>
}

/** A running server, with the clients of its APIs. */
export interface Server {
  readonly baseUrl: string
  /** Calls the management API: `server.manage((client) => client.companies.list())`. */
  readonly manage: <A>(call: (client: ManagementClient) => Promise<A>) => Effect.Effect<A, CommandFailed>
  /** Calls the public API with an account's key. */
  readonly api: <A>(key: string, call: (client: Client) => Promise<A>) => Effect.Effect<A, CommandFailed>
  /** Opens the stream of a management route. It lasts until it ends or the fiber is interrupted. */
  readonly open: (
    path: string,
    headers: Readonly<Record<string, string>>
  ) => Effect.Effect<Response, CommandFailed, Scope.Scope>
  /** Calls a management route whose body or response is NDJSON. Returns the text and the headers. */
  readonly exchange: (
    method: string,
    path: string,
    body?: string
  ) => Effect.Effect<
    { readonly text: string; readonly header: (name: string) => string | null },
    CommandFailed
  >
}

/** How long to wait for a response, in milliseconds: longer than the server's own limit. */
const responseTimeout = 60_000

const variable = (name: string): Effect.Effect<string | null> =>
  Effect.map(
    Effect.orDie(Config.option(Config.String(name))),
    (value) => Option.getOrElse(value, () => "").trim() || null
  )

const ReadyFile = Schema.Struct({
  baseUrl: Schema.NullOr(Schema.String),
  managementToken: Schema.NullOr(Schema.String)
})

const readReadyFile = Effect.gen(function* () {
  const path = yield* variable("SVC_READY_FILE")
  if (path === null) return null
  const { readFileString } = yield* FileSystem.FileSystem
  const text = yield* Effect.orElseSucceed(readFileString(path), () => null)
  return text === null
    ? null
    : Option.getOrNull(Schema.decodeUnknownOption(Schema.fromJsonString(ReadyFile))(text))
})

/** Why a call failed, on one line. */
const describeFailure = (baseUrl: string, error: unknown): string => {
  if (!(error instanceof ApiError)) {
    return `No answer from ${baseUrl}: is the server running? Pass --url or set SVC_BASE_URL if it is elsewhere`
  }
  if (error.status === 401) return "The server does not accept this token"
  if (error.status < 400) {
    return `The server at ${baseUrl} is not this service, or is another version of it`
  }
  const fields = Object.keys(error.fieldErrors)
  const why = error.errors.map(({ code, message }) => `${message} (${code})`).join(" ")
  if (why === "") return `The server answered ${error.status}`
  return withField(fields.length === 0 ? null : fields.join(", "), why)
}

/** The base URL from the flags, the environment, the ready file, or the only login. */
export const baseUrlOf = Effect.fnUntraced(function* (choice: Pick<ServerChoice, "url">) {
  const ready = yield* readReadyFile
  const host = (yield* variable("SVC_HOST")) ?? "127.0.0.1"
  const port = (yield* variable("SVC_PORT")) ?? "3000"
  const given =
    Option.getOrNull(choice.url) ?? (yield* variable("SVC_BASE_URL")) ?? ready?.baseUrl ?? (yield* soleLogin)
  const baseUrl = (given ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`).replace(
    /(?<!\/)\/+$/,
    ""
  )
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
    return yield* CommandFailed.of(`${oneLine(baseUrl)} is not an http or https URL`)
  }
  return baseUrl
})

/** The server from the flags, the environment, the ready file or a login. Fails if there is no token. */
export const serverOf = Effect.fnUntraced(function* (choice: ServerChoice) {
  const baseUrl = yield* baseUrlOf(choice)
  const token =
    Option.getOrNull(choice.token) ??
    (yield* variable("SVC_ADMIN_TOKEN")) ??
    (yield* readReadyFile)?.managementToken ??
    (yield* loginAt(baseUrl))
  if (token === null) {
    return yield* CommandFailed.of(
      "No management token: set SVC_ADMIN_TOKEN or SVC_READY_FILE, pass --token, or sign in with svc login"
    )
  }
  return yield* serverAt(baseUrl, token)
})

/** The server at a base URL, called with a token. Routes that anyone may call ignore the token. */
export const serverAt = Effect.fnUntraced(function* (baseUrl: string, token: string) {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    return yield* CommandFailed.of("The management token contains invalid characters")
  }

  const attempt = <A>(call: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, CommandFailed> =>
    Effect.tryPromise({
      try: call,
      catch: (error) => new CommandFailed({ message: oneLine(describeFailure(baseUrl, error)) })
    })
  // A command reports a failure at once, and its caller decides whether to repeat it.
  const options = { baseUrl, maxRetries: 0, timeoutMillis: responseTimeout }
  const management = createManagementClient({ ...options, token })
  const server: Server = {
    baseUrl,
    manage: (call) => attempt(() => call(management)),
    api: (key, call) => attempt(() => call(createClient({ ...options, apiKey: key }))),
    open: Effect.fnUntraced(function* (path, headers) {
      const aborting = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      )
      return yield* Effect.tryPromise({
        try: async () => {
          const response = await fetch(baseUrl + path, {
            headers: { authorization: `Bearer ${token}`, ...headers },
            redirect: "error",
            signal: aborting.signal
          })
          if (!response.ok) throw await readError(response)
          return response
        },
        catch: (error) =>
          new CommandFailed({
            message: oneLine(describeFailure(baseUrl, error)),
            isFinal: error instanceof ApiError && error.status < 500 && error.status !== 429
          })
      })
    }),
    exchange: (method, path, body) =>
      attempt(async (signal) => {
        const response = await fetch(baseUrl + path, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { "content-type": "application/x-ndjson" })
          },
          redirect: "error",
          signal: AbortSignal.any([signal, AbortSignal.timeout(responseTimeout)]),
          ...(body === undefined ? {} : { body })
        })
        if (!response.ok) throw await readError(response)
        return { text: await response.text(), header: (name: string) => response.headers.get(name) }
      })
  }
  return server
})

const pageSize = 200

interface Page<A> {
  readonly items: ReadonlyArray<A>
}

/** All entries of a list, read page by page. */
export const listAll = Effect.fnUntraced(function* <A>(
  server: Server,
  list: (
    client: ManagementClient,
    query: { readonly page: number; readonly pageSize: number }
  ) => Promise<Page<A>>
) {
  const all: Array<A> = []
  for (let page = 1; ; page++) {
    const { items } = yield* server.manage((client) => list(client, { page, pageSize }))
    all.push(...items)
    if (items.length < pageSize) return all
  }
})

/** All companies, newest first. */
export const listCompanies = (server: Server) =>
  listAll(server, (client, query) => client.companies.list(query))

/** The path of an account's routes. */
export const accountPath = (accountId: string): string =>
  `/manage/v1/accounts/${encodeURIComponent(accountId)}`
