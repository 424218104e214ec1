/**
 * `svc listen`: receives the notifications of an account over its stream, and posts them with signatures to a local address.
 *
 * @module
 */
import { Clock, Effect, Option, Queue, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as LocalCrypto from "../../../adapters/crypto/Crypto.ts"
import { Crypto } from "../../../core/ports/Crypto.ts"
import { formatSecret, keyOfSecret, secretBytes, signedHeaders } from "../../../core/webhooks/Signature.ts"
import { accountFlag } from "../keys.ts"
import { accountPath, listCompanies, type Server, serverFlags, serverOf } from "../management.ts"
import { codeOf, CommandFailed, note, oneLine, print, UsageFailed } from "../output.ts"
import { EventStreamParser, type ServerSentEvent } from "./EventStreamParser.ts"

/** How long the response of the local address may take, in milliseconds. It is the same as for a webhook. */
const answerMillis = 10_000
/** If nothing arrives for this long, the stream is lost, in milliseconds: three heartbeats. */
const silenceMillis = 45_000
/** The first pause before connecting again, in milliseconds. It doubles up to the longest. */
const firstPause = 1_000
const longestPause = 30_000
/** How many notifications are posted at a time, and how many may wait. */
const concurrency = 4
const maxWaiting = 1_000

const Change = Schema.fromJsonString(
  Schema.Struct({ item: Schema.Struct({ type: Schema.String, body: Schema.String }) })
)
const Body = Schema.fromJsonString(Schema.Struct({ id: Schema.String }))

/** A notification in the stream. */
interface Notification {
  readonly id: string
  readonly type: string
  readonly body: string
}

/** The notification in an event; null if it is not one. */
const notificationOf = ({ data, event }: ServerSentEvent): Notification | null => {
  if (event !== "notifications") return null
  const change = Option.getOrNull(Schema.decodeUnknownOption(Change)(data))
  const body = change === null ? null : Option.getOrNull(Schema.decodeUnknownOption(Body)(change.item.body))
  return body === null ? null : { id: body.id, ...change!.item }
}

/** The account: the given one, or else the sandbox of the only company. */
const accountOf = Effect.fnUntraced(function* (server: Server, given: Option.Option<string>) {
  if (Option.isSome(given)) return given.value
  const [only, ...others] = yield* listCompanies(server)
  if (only === undefined) return yield* CommandFailed.of("There is no account yet")
  if (others.length === 0) return only.sandbox.accountId
  return yield* CommandFailed.of("There are several companies: pass --account, see svc accounts list")
})

const parseTarget = (text: string): Effect.Effect<string, UsageFailed> => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol)
    ? Effect.succeed(url.href)
    : UsageFailed.of("--forward-to must be an http or https URL, such as http://localhost:4000/hook")
}

/** Makes a function that posts notifications and prints a line for each. */
const makeForward = Effect.fnUntraced(function* (target: string, secret: Redacted.Redacted) {
  const crypto = yield* Crypto
  const key = keyOfSecret(Redacted.value(secret))
  const post = async (headers: Readonly<Record<string, string>>, body: string): Promise<string> => {
    try {
      const response = await fetch(target, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(answerMillis)
      })
      await response.body?.cancel()
      return String(response.status)
    } catch (error) {
      const isLate = error instanceof DOMException && error.name === "TimeoutError"
      const cause = error instanceof Error ? error.cause : undefined
      return isLate ? "no answer (timeout)" : `no answer (${codeOf(cause ?? error)})`
    }
  }
  return Effect.fnUntraced(function* ({ body, id, type }: Notification) {
    const at = yield* Clock.currentTimeMillis
    const result = yield* Effect.promise(() => post(signedHeaders(crypto, [key], id, at, body), body))
    const millis = (yield* Clock.currentTimeMillis) - at
    yield* print(`${oneLine(type)} ${oneLine(id)} -> ${result} in ${millis} ms`)
  })
})

/** Reads a stream until it ends, or nothing arrives for too long. */
const readStream = Effect.fnUntraced(function* (
  response: Response,
  parser: EventStreamParser,
  take: (event: ServerSentEvent) => Effect.Effect<void>
) {
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => response.body!.pipeThrough(new TextDecoderStream()).getReader()),
    (open) => Effect.promise(() => open.cancel().catch(() => undefined))
  )
  const read = Effect.tryPromise({
    try: () => reader.read(),
    catch: () => new CommandFailed({ message: "The connection was lost" })
  })
  for (;;) {
    const part = Option.getOrNull(yield* Effect.timeoutOption(read, silenceMillis))
    if (part === null || part.done) return
    yield* Effect.forEach(parser.take(part.value), take, { discard: true })
  }
})

/** `svc listen`. */
export const listen = Command.make(
  "listen",
  {
    ...serverFlags,
    forwardTo: Flag.String("forward-to").pipe(
      Flag.withDescription("URL to which notifications are posted, such as http://localhost:4000/hook"),
      Flag.withMetavar("url")
    ),
    account: accountFlag.pipe(
      Flag.withDescription("Id of the account. Default: the sandbox, if there is only one company"),
      Flag.optional
    )
  },
  Effect.fnUntraced(
    function* (given) {
      const target = yield* parseTarget(given.forwardTo)
      const server = yield* serverOf(given)
      const account = yield* accountOf(server, given.account)
      const secret = formatSecret((yield* Crypto).randomBytes(secretBytes))
      const forward = yield* makeForward(target, Redacted.make(secret))
      const waiting = yield* Queue.bounded<Notification>(maxWaiting)
      const poster = Effect.forever(Effect.flatMap(Queue.take(waiting), forward))
      yield* Effect.forEach(Array.from({ length: concurrency }), () => Effect.forkScoped(poster), {
        discard: true
      })
      const parser = new EventStreamParser()
      let pause = firstPause
      let isFirst = true

      const take = Effect.fnUntraced(function* (event: ServerSentEvent) {
        if (event.event === "reset") {
          yield* note("Some notifications were missed. They are no longer available for streams.")
        }
        const notification = notificationOf(event)
        if (notification !== null) yield* Queue.offer(waiting, notification)
      })

      const connect = Effect.scoped(
        Effect.gen(function* () {
          const lastId: Readonly<Record<string, string>> =
            parser.lastId === "" ? {} : { "last-event-id": parser.lastId }
          const response = yield* server.open(`${accountPath(account)}/stream?topics=notifications`, lastId)
          pause = firstPause
          if (isFirst) {
            yield* print(`Secret: ${secret}`)
            yield* print(`Notifications are posted to ${target}`)
          } else yield* note("Reconnected.")
          isFirst = false
          yield* readStream(response, parser, take)
        })
      )

      for (;;) {
        yield* Effect.catch(connect, (failure) =>
          isFirst || failure.isFinal === true ? Effect.fail(failure) : Effect.void
        )
        yield* note(`The stream ended. Reconnecting in ${pause / 1_000} s.`)
        yield* Effect.sleep(pause)
        pause = Math.min(longestPause, pause * 2)
      }
    },
    Effect.scoped,
    Effect.provide(LocalCrypto.layer)
  )
).pipe(
  Command.withDescription(
    "Receive the notifications of an account, like a webhook for all events, and post them to a URL on this machine until " +
      "the command is stopped. The notifications are signed with a secret that is created and printed at the start. After " +
      "a lost connection, the notifications of up to 5 minutes are posted later."
  ),
  Command.withShortDescription("Forward notifications to a URL on this machine"),
  Command.withExamples([
    { command: "svc listen --forward-to http://localhost:4000/hook" },
    { command: "svc listen --forward-to http://localhost:4000/hook --account 019a..." }
  ])
)
