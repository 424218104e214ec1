/**
 * The management API of a running server, as commands call it.
 *
 * @module
 */
import { Config, Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { readFile } from "node:fs/promises"
import { CommandFailed, oneLine } from "./output.ts"

/** Which server, and who calls: the flags of every command that works on data. */
export const serverFlags = {
  url: Flag.String("url").pipe(
    Flag.withDescription(
      "Base URL of the running server; else SVC_BASE_URL, the ready file's, or http://SVC_HOST:SVC_PORT"
    ),
    Flag.optional
  ),
  token: Flag.String("token").pipe(
    Flag.withDescription(
      "Management token; else SVC_ADMIN_TOKEN or the ready file's (SVC_READY_FILE), which others on the machine cannot see"
    ),
    Flag.optional
  )
}

/** What {@link serverFlags} give. */
export interface ServerChoice {
  readonly url: Option.Option<string>
  readonly token: Option.Option<string>
}

/** A server, called. */
export interface Server {
  readonly baseUrl: string
  /** Calls a route with JSON, and reads the value of its answer. The path begins with a slash. */
  readonly call: <A>(
    method: string,
    path: string,
    value: Schema.Decoder<A>,
    sent?: { readonly json?: unknown; readonly token?: string }
  ) => Effect.Effect<A, CommandFailed>
  /** Calls a management route whose body or answer is NDJSON; answers its text and a header. */
  readonly exchange: (
    method: string,
    path: string,
    body?: string
  ) => Effect.Effect<
    { readonly text: string; readonly header: (name: string) => string | null },
    CommandFailed
  >
}

/** How long an answer is waited for, milliseconds: longer than the server takes to give up itself. */
const answerMillis = 60_000

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
  const text = yield* Effect.promise(() => readFile(path, "utf8").catch(() => null))
  return text === null
    ? null
    : Option.getOrNull(Schema.decodeUnknownOption(Schema.fromJsonString(ReadyFile))(text))
})

const Refusal = Schema.Struct({
  errors: Schema.Array(Schema.Struct({ code: Schema.String, message: Schema.String })),
  fieldErrors: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
})
const ShapeRefusal = Schema.Struct({ message: Schema.String })
const refusals = Schema.decodeUnknownOption(Schema.fromJsonString(Refusal))
const shapeRefusals = Schema.decodeUnknownOption(Schema.fromJsonString(ShapeRefusal))

/** Why a call was refused, on one line. */
const whyRefused = (status: number, text: string): string => {
  const refusal = Option.getOrNull(refusals(text))
  if (refusal !== null && refusal.errors.length > 0) {
    const fields = Object.keys(refusal.fieldErrors ?? {})
    const why = refusal.errors.map(({ code, message }) => `${message} (${code})`).join(" ")
    return fields.length === 0 ? why : `${fields.join(", ")}: ${why}`
  }
  const shape = Option.getOrNull(shapeRefusals(text))
  return shape === null ? `The server answered ${status}` : shape.message
}

/** The server the flags, the environment or the ready file name. Fails where no token is found. */
export const serverOf = Effect.fnUntraced(function* (choice: ServerChoice) {
  const ready = yield* readReadyFile
  const host = (yield* variable("SVC_HOST")) ?? "127.0.0.1"
  const port = (yield* variable("SVC_PORT")) ?? "3000"
  const given = Option.getOrNull(choice.url) ?? (yield* variable("SVC_BASE_URL")) ?? ready?.baseUrl
  const baseUrl = (given ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`).replace(
    /(?<!\/)\/+$/,
    ""
  )
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
    return yield* CommandFailed.of(`${oneLine(baseUrl)} is no http or https URL`)
  }
  const token =
    Option.getOrNull(choice.token) ?? (yield* variable("SVC_ADMIN_TOKEN")) ?? ready?.managementToken ?? null
  if (token === null) {
    return yield* CommandFailed.of(
      "No management token: set SVC_ADMIN_TOKEN or SVC_READY_FILE, or pass --token"
    )
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    return yield* CommandFailed.of("The management token holds characters that no token has")
  }

  const send = (method: string, path: string, contentType: string, body: string | null, bearer: string) =>
    Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(baseUrl + path, {
          method,
          headers: {
            authorization: `Bearer ${bearer}`,
            ...(body === null ? {} : { "content-type": contentType })
          },
          redirect: "error",
          signal: AbortSignal.any([signal, AbortSignal.timeout(answerMillis)]),
          ...(body === null ? {} : { body })
        })
        return { status: response.status, headers: response.headers, text: await response.text() }
      },
      catch: () =>
        new CommandFailed({
          message: `No answer from ${baseUrl}: is the server running? Pass --url or set SVC_BASE_URL if it is elsewhere`
        })
    }).pipe(
      Effect.flatMap((answer) => {
        if (answer.status < 400) return Effect.succeed(answer)
        const why =
          answer.status === 401
            ? "The server does not take this token"
            : whyRefused(answer.status, answer.text)
        return CommandFailed.of(oneLine(why))
      })
    )

  const server: Server = {
    baseUrl,
    call: (method, path, value, sent = {}) => {
      const body = sent.json === undefined ? null : JSON.stringify(sent.json)
      const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ value })))
      return Effect.flatMap(send(method, path, "application/json", body, sent.token ?? token), ({ text }) =>
        Option.match(decode(text), {
          onNone: () =>
            CommandFailed.of(`What answers at ${baseUrl} is not this service, or another version of it`),
          onSome: (answer) => Effect.succeed(answer.value)
        })
      )
    },
    exchange: (method, path, body) =>
      Effect.map(send(method, path, "application/x-ndjson", body ?? null, token), ({ headers, text }) => ({
        text,
        header: (name) => headers.get(name)
      }))
  }
  return server
})

const pageSize = 200

/** Everything a list answers, page by page. */
export const listAll = Effect.fnUntraced(function* <A>(
  server: Server,
  path: string,
  item: Schema.Decoder<A>
) {
  const page = Schema.Struct({ items: Schema.Array(item), totalCount: Schema.Number })
  const all: Array<A> = []
  for (let number = 1; ; number++) {
    const { items } = yield* server.call("GET", `${path}?page=${number}&pageSize=${pageSize}`, page)
    all.push(...items)
    if (items.length < pageSize) return all
  }
})

/** A company, as the management API shows it. */
export const CompanyShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  live: Schema.Struct({ accountId: Schema.String }),
  sandbox: Schema.Struct({ accountId: Schema.String })
})

/** The path of an account's routes. */
export const accountPath = (accountId: string): string =>
  `/manage/v1/accounts/${encodeURIComponent(accountId)}`
