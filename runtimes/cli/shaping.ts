/**
 * `svc shaping`: how mail is sent to the servers of others.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { jsonFlag } from "./accounts.ts"
import { serverFlags, serverOf } from "./management.ts"
import { print, printJson } from "./output.ts"

const stages = ["Connect", "Ehlo", "Mail", "Rcpt", "Data", "Message"] as const

const classify = Command.make(
  "classify",
  {
    reply: Argument.String("reply").pipe(Argument.withDescription("What the mail server replied")),
    stage: Flag.Literals("stage", stages).pipe(
      Flag.withDescription("What it replied to; Message is the reply after the message's last byte"),
      Flag.withDefault("Rcpt" as const)
    ),
    provider: Flag.String("provider").pipe(
      Flag.withDescription("The key of the provider whose server replied, such as google"),
      Flag.optional
    ),
    json: jsonFlag,
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ json, provider, reply, stage, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* server.manage((client) =>
      client.shaping.classify({ reply, stage, provider: Option.getOrNull(provider) })
    )
    if (json) return yield* printJson(found)
    yield* print(`${found.action}${found.scope === null ? "" : ` (${found.scope})`}, by ${found.rule}`)
    if (found.reason !== null) yield* print(`reason: ${found.reason}`)
    if (found.remedy !== null) yield* print(`remedy: ${found.remedy}`)
    if (found.source !== null) yield* print(`source: ${found.source}`)
  })
).pipe(
  Command.withDescription("Tell what a mail server's reply leads to; changes nothing"),
  Command.withExamples([
    { command: 'svc shaping classify "550 5.7.1 Client host blocked using zen.spamhaus.org"' },
    { command: 'svc shaping classify --stage Message "552 5.3.4 too big"' }
  ])
)

/** `svc shaping`. */
export const shaping = Command.make("shaping").pipe(
  Command.withDescription("How mail is sent to the servers of others"),
  Command.withSubcommands([classify])
)
