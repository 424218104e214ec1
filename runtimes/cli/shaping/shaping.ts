/**
 * `svc shaping`: shows and changes how mail is sent to other servers.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { providers } from "../../../core/sending/shaping/Providers.ts"
import { jsonFlag } from "../accounts.ts"
import { listAll, serverFlags, serverOf } from "../management.ts"
import { oneLine, print, printJson, table } from "../output.ts"

/** The keys of the table. */
const providerKeys = providers
  .filter(({ mx }) => mx.length > 0)
  .map(({ key }) => key)
  .join(", ")

const stages = ["Connect", "Ehlo", "Mail", "Rcpt", "Data", "Message"] as const

const classify = Command.make(
  "classify",
  {
    reply: Argument.String("reply").pipe(Argument.withDescription("The reply of the mail server")),
    stage: Flag.Literals("stage", stages).pipe(
      Flag.withDescription(
        "The command to which the server replied. Message is the reply after the last byte of the message"
      ),
      Flag.withDefault("Rcpt" as const)
    ),
    provider: Flag.String("provider").pipe(
      Flag.withDescription(`The key of the provider whose server replied: ${providerKeys}`),
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
    const scope = found.scope === null ? "" : ` (${found.scope})`
    const by = found.rule === "no reply" ? "because this is not a reply of a mail server" : `by ${found.rule}`
    yield* print(`${found.action}${scope}, ${by}`)
    if (found.reason !== null) yield* print(`reason: ${found.reason}`)
    if (found.remedy !== null) yield* print(`remedy: ${found.remedy}`)
    if (found.source !== null) yield* print(`source: ${found.source}`)
  })
).pipe(
  Command.withDescription("Show how a reply of a mail server is handled. Changes nothing"),
  Command.withExamples([
    { command: 'svc shaping classify "550 5.7.1 Client host blocked using zen.spamhaus.org"' },
    { command: 'svc shaping classify --stage Message "552 5.3.4 too big"' }
  ])
)

const accountFlag = Flag.String("account").pipe(
  Flag.optional,
  Flag.withDescription("Id of an account, to select only its mail"),
  Flag.withMetavar("id")
)

const laneFlags = {
  provider: Flag.String("provider").pipe(
    Flag.optional,
    Flag.withDescription(`Select the mail to a provider: ${providerKeys}`)
  ),
  site: Flag.String("site").pipe(
    Flag.optional,
    Flag.withDescription("Select the mail to a site, as shown by svc shaping notices, such as ip:192.0.2.1")
  ),
  domain: Flag.String("domain").pipe(
    Flag.optional,
    Flag.withDescription("Select the mail to a recipient domain")
  ),
  source: Flag.String("source").pipe(
    Flag.optional,
    Flag.withDescription("With a provider or a site: select only the mail from this source address")
  ),
  account: accountFlag
}

/** The lane that flags select, and the other flags. */
const laneOf = <Flags extends { readonly [Key in keyof typeof laneFlags]: Option.Option<string> }>({
  account,
  domain,
  provider,
  site,
  source,
  ...others
}: Flags) => ({
  lane: {
    provider: Option.getOrNull(provider),
    site: Option.getOrNull(site),
    domain: Option.getOrNull(domain),
    source: Option.getOrNull(source),
    accountId: Option.getOrNull(account)
  },
  others
})

const reasonFlag = Flag.String("reason").pipe(
  Flag.withDescription("Reason, which is stored in the audit log")
)
const optionalReasonFlag = reasonFlag.pipe(Flag.optional)

/** A notice, as the commands show it. */
interface ShownNotice {
  readonly id: string
  readonly lane: string
  readonly accountId: string | null
  readonly domain: string | null
  readonly action: string
  readonly until: string
  readonly held: number
  readonly words: string
}

const printNotices = (notices: ReadonlyArray<ShownNotice>) =>
  print(
    table([
      ["id", "lane", "account", "domain", "action", "until", "held", "words"],
      ...notices.map((one) => [
        one.id,
        oneLine(one.lane),
        one.accountId ?? "all",
        oneLine(one.domain ?? "all"),
        one.action,
        one.until,
        String(one.held),
        oneLine(one.words)
      ])
    ])
  )

const notices = Command.make(
  "notices",
  {
    state: Flag.Literals("state", ["Open", "Resolved"]).pipe(
      Flag.withDescription("State of the notices to list"),
      Flag.withDefault("Open" as const)
    ),
    json: jsonFlag,
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ json, state, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* listAll(server, (client, query) =>
      client.shaping.notices({ ...query, state: [state] })
    )
    if (json) return yield* printJson(found)
    yield* printNotices(found)
  })
).pipe(Command.withDescription("List the reasons why mail is held, with the replies of the servers"))

/** The origins of rules that do not come from the table. */
const ruleOrigins = {
  File: "SVC_SHAPING_FILE",
  Override: "an override",
  Learned: "what a server stated"
} as const

/** The value of a rule. For timeouts, each of them in milliseconds. */
const shownValue = (value: number | string | object): string =>
  typeof value === "object"
    ? Object.entries(value)
        .map(([name, millis]) => `${name} ${millis}`)
        .join(" ")
    : String(value)

const explain = Command.make(
  "explain",
  {
    to: Argument.String("to").pipe(Argument.withDescription("An address or a domain")),
    account: accountFlag,
    json: jsonFlag,
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ account, json, to, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* server.manage((client) =>
      client.shaping.explain({ to, ...(Option.isSome(account) ? { accountId: account.value } : {}) })
    )
    if (json) return yield* printJson(found)
    yield* print(`domain: ${oneLine(found.domain)}`)
    yield* print(`provider: ${found.provider ?? "not a known provider"}`)
    yield* print(`lane: ${oneLine(found.lane ?? "not known yet")}`)
    for (const { addresses, host, preference } of found.mx)
      yield* print(`server: ${preference} ${oneLine(host)} ${addresses.join(" ")}`)
    yield* print(`connections: ${found.shared?.width ?? "-"} of ${found.rules["maxWidth"]?.value}`)
    for (const [name, { from, value }] of Object.entries(found.rules))
      if (from !== "Table") yield* print(`rule: ${name} ${shownValue(value)}, from ${ruleOrigins[from]}`)
    yield* print(`encryption: ${found.tls?.kind ?? "not known yet"}`)
    for (const { address, heldUntil, pool, sent, state, warmUp } of found.sources) {
      const day = warmUp === null ? "" : `, day ${warmUp.day}, ${sent} of ${warmUp.cap} today`
      const held = heldUntil === null ? "" : `, held until ${heldUntil}`
      yield* print(`source: ${address} of ${oneLine(pool)}, ${state}${day}${held}`)
    }
    for (const { action, at, words } of found.lastReplies)
      yield* print(`reply: ${at} ${action} ${oneLine(words)}`)
    yield* print(`next: ${found.next ?? "now"}`)
    if (found.notices.length === 0) return yield* print("Nothing is held.")
    yield* printNotices(found.notices)
  })
).pipe(Command.withDescription("Show where mail to an address or a domain is sent, and what holds it"))

/** A time in a list; "-" if there is none. */
const orNone = (text: string | null): string => text ?? "-"

const lanes = Command.make(
  "lanes",
  {
    provider: Flag.String("provider").pipe(
      Flag.optional,
      Flag.withDescription(`List only the lanes of a provider: ${providerKeys}`)
    ),
    paused: Flag.Boolean("paused").pipe(
      Flag.withDescription("List only lanes to which no mail is sent"),
      Flag.withDefault(false)
    ),
    json: jsonFlag,
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ json, paused, provider, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* listAll(server, (client, query) =>
      client.shaping.lanes({
        ...query,
        ...(Option.isSome(provider) ? { provider: [provider.value] } : {}),
        ...(paused ? { paused: ["true" as const] } : {})
      })
    )
    if (json) return yield* printJson(found)
    yield* print(
      table([
        ["lane", "limit", "leased", "nodes", "a minute", "paused until", "held", "since"],
        ...found.map((lane) => [
          oneLine(lane.id),
          String(lane.width),
          String(lane.inUse),
          String(lane.leases.length),
          lane.rate === null ? "-" : String(Math.round(lane.rate)),
          orNone(lane.pausedUntil),
          String(lane.held),
          orNone(lane.oldest)
        ])
      ])
    )
  })
).pipe(
  Command.withDescription("List the lanes with their limits and the connections that processes have leased")
)

const providerList = Command.make(
  "providers",
  { json: jsonFlag, ...serverFlags },
  Effect.fnUntraced(function* ({ json, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* listAll(server, (client, query) => client.shaping.providers(query))
    if (json) return yield* printJson(found)
    const shown = ["maxWidth", "messagesPerConnection", "messagesPerSecond", "tls"]
    yield* print(
      table([
        ["key", "name", ...shown, "lanes", "sent/min", "deferred/min", "held", "paused"],
        ...found.map(
          ({ deferredPerMinute, deliveredPerMinute, held, key, lanes: count, name, paused, rules }) => [
            key,
            oneLine(name),
            ...shown.map((rule) => `${rules[rule]?.value}${rules[rule]?.from === "Table" ? "" : "*"}`),
            String(count),
            String(deliveredPerMinute),
            String(deferredPerMinute),
            String(held),
            paused ? "yes" : "no"
          ]
        )
      ])
    )
    yield* print("* from SVC_SHAPING_FILE or an override")
  })
).pipe(Command.withDescription("List the providers with the rules of their lanes"))

const target = Argument.String("target").pipe(
  Argument.withDescription("The key of a provider, or a site such as ip:192.0.2.1")
)

const ruleFlag = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.optional, Flag.withDescription(description))

/** The flags that were given. */
const chosen = <Value>(flags: Readonly<Record<string, Option.Option<Value>>>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  )

const override = Command.make(
  "override",
  {
    target,
    startWidth: ruleFlag("start-width", "Initial number of connections"),
    maxWidth: ruleFlag("max-width", "Maximum number of connections"),
    messagesPerConnection: ruleFlag("messages-per-connection", "Maximum number of messages per connection"),
    messagesPerSecond: ruleFlag("messages-per-second", "Maximum number of messages per second"),
    connectionsPerMinute: ruleFlag("connections-per-minute", "Maximum number of new connections per minute"),
    idleSeconds: ruleFlag("idle-seconds", "Seconds after which an idle connection is closed"),
    tls: Flag.Literals("tls", ["offered", "required", "verified"]).pipe(
      Flag.optional,
      Flag.withDescription("Required encryption of connections")
    ),
    openMs: ruleFlag(
      "open-ms",
      "Timeout in milliseconds for connecting and the greeting, and for EHLO and TLS"
    ),
    commandMs: ruleFlag("command-ms", "Timeout in milliseconds for MAIL, RCPT and DATA together"),
    answerMs: ruleFlag("answer-ms", "Timeout in milliseconds for the reply to the message"),
    until: Flag.String("until").pipe(
      Flag.optional,
      Flag.withDescription("Time at which the override ends. Default: never")
    ),
    remove: Flag.Boolean("remove").pipe(Flag.withDescription("Remove the override"), Flag.withDefault(false)),
    reason: optionalReasonFlag,
    json: jsonFlag,
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ json, reason, remove, target: name, until, ...given }) {
    const { answerMs, commandMs, connectionsPerMinute, idleSeconds, ...others } = given
    const { maxWidth, messagesPerConnection, messagesPerSecond, openMs, startWidth, tls, ...flags } = others
    const server = yield* serverOf(flags)
    if (remove) {
      yield* server.manage((client) => client.shaping.removeOverride(name))
      return yield* print("Removed. The rules of the table apply again.")
    }
    const timeouts = chosen({ openMs, commandMs, answerMs })
    const rules = {
      ...chosen({ startWidth, maxWidth, messagesPerConnection, messagesPerSecond }),
      ...chosen({ connectionsPerMinute, idleSeconds }),
      ...chosen({ tls }),
      ...(Object.keys(timeouts).length === 0 ? {} : { timeouts })
    }
    const found = yield* server.manage((client) =>
      client.shaping.override(name, {
        ...rules,
        until: Option.getOrNull(until),
        reason: Option.getOrElse(reason, () => "")
      })
    )
    if (json) return yield* printJson(found)
    yield* print(`Set until ${found.until ?? "it is removed"}. All processes apply it within five seconds.`)
  })
).pipe(Command.withDescription("Override rules of the table for a provider or a site"))

const suspend = Command.make(
  "suspend",
  {
    ...laneFlags,
    until: Flag.String("until").pipe(
      Flag.optional,
      Flag.withDescription(
        "Time at which the suspension ends, such as 2026-01-31T12:00:00Z. Maximum and default: 5 days from now"
      )
    ),
    reason: reasonFlag,
    json: jsonFlag,
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ json, reason, until, ...given }) {
    const { lane, others } = laneOf(given)
    const server = yield* serverOf(others)
    const found = yield* server.manage((client) =>
      client.shaping.suspend({ ...lane, reason, until: Option.getOrNull(until) })
    )
    if (json) return yield* printJson(found)
    yield* printNotices([found])
  })
).pipe(Command.withDescription("Hold the mail to a provider, a site or a recipient domain"))

const resume = Command.make(
  "resume",
  {
    ...laneFlags,
    notice: Flag.String("notice").pipe(
      Flag.optional,
      Flag.withDescription("Id of a notice, as shown by svc shaping notices. Replaces the other flags")
    ),
    reason: optionalReasonFlag,
    json: jsonFlag,
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ json, notice, reason, ...given }) {
    const { lane, others } = laneOf(given)
    const server = yield* serverOf(others)
    const held = Option.isSome(notice) ? { noticeId: notice.value } : lane
    const found = yield* server.manage((client) =>
      client.shaping.resume({ ...held, reason: Option.getOrNull(reason) })
    )
    if (json) return yield* printJson(found)
    yield* print(`Recipients whose mail is released, slowly at first: ${found.resumed}`)
  })
).pipe(Command.withDescription("Send held mail, slowly at first"))

const flush = Command.make(
  "flush",
  { ...laneFlags, reason: optionalReasonFlag, json: jsonFlag, ...serverFlags },
  Effect.fnUntraced(function* ({ json, reason, ...given }) {
    const { lane, others } = laneOf(given)
    const server = yield* serverOf(others)
    const found = yield* server.manage((client) =>
      client.shaping.flush({ ...lane, reason: Option.getOrNull(reason) })
    )
    if (json) return yield* printJson(found)
    yield* print(`Recipients whose mail is released: ${found.released}`)
  })
).pipe(Command.withDescription("Send held mail without a slow start"))

const bounce = Command.make(
  "bounce",
  {
    ...laneFlags,
    reason: reasonFlag,
    confirm: Flag.Int("confirm").pipe(
      Flag.withDescription("Number of recipients whose emails end. Without this flag, they are only counted"),
      Flag.withDefault(0)
    ),
    olderThan: Flag.String("older-than").pipe(
      Flag.optional,
      Flag.withDescription("Select only mail held since before this time, such as 2026-01-31T12:00:00Z")
    ),
    json: jsonFlag,
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ confirm, json, olderThan, reason, ...given }) {
    const { lane, others } = laneOf(given)
    const server = yield* serverOf(others)
    const found = yield* server.manage((client) =>
      client.shaping.bounce({ ...lane, reason, confirm, olderThan: Option.getOrNull(olderThan) })
    )
    if (json) return yield* printJson(found)
    yield* print(`Recipients whose mail was given up: ${found.ended}`)
  })
).pipe(Command.withDescription("Give up held mail. No address is suppressed"))

/** `svc shaping`. */
export const shaping = Command.make("shaping").pipe(
  Command.withDescription("Control how mail is sent to other mail servers"),
  Command.withSubcommands([
    explain,
    notices,
    lanes,
    providerList,
    suspend,
    resume,
    flush,
    bounce,
    override,
    classify
  ])
)
