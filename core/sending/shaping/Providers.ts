/**
 * The providers: who operates mail servers for many domains, and what their servers accept. The table is data,
 * `providers.json`; its entry `default` is for all other servers, and has what an entry leaves out. An operator's file may
 * change entries and add some, and an operator may override the rules of a lane.
 *
 * @module
 */
import { Context, Result, Schema } from "effect"
import {
  type LaneOverride,
  laneRuleNames,
  type LaneRules,
  type LaneTimeouts,
  type StatedLimits
} from "../../model/Lane.ts"
import { laneWithoutSource } from "../../model/Source.ts"
import providersJson from "./providers.json" with { type: "json" }

/** The most that a rule may be. */
export const maxRule = 10_000

const count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxRule }))

/** The least and the most that a timeout may be, milliseconds. */
export const timeoutBounds = { minimum: 100, maximum: 3_600_000 } as const

const timeout = Schema.Int.check(Schema.isBetween(timeoutBounds))

/** The rules of an entry. */
const ruleFields = {
  /** The concurrency limit at first, and the highest. */
  startWidth: Schema.optionalKey(count),
  maxWidth: Schema.optionalKey(count),
  messagesPerConnection: Schema.optionalKey(count),
  messagesPerSecond: Schema.optionalKey(count),
  connectionsPerMinute: Schema.optionalKey(count),
  /** How long an open connection is kept without use. */
  idleSeconds: Schema.optionalKey(count),
  tls: Schema.optionalKey(Schema.Literals(["offered", "required", "verified"])),
  /** Whether each of its sites has limits of its own. */
  perSite: Schema.optionalKey(Schema.Boolean),
  /** How long its servers are waited for, milliseconds, an hour at most; what is left out is as for all others. */
  timeouts: Schema.optionalKey(
    Schema.Struct({
      /** For connecting and the greeting together, and for EHLO and encryption together. */
      openMs: Schema.optionalKey(timeout),
      /** For MAIL, RCPT and DATA together. */
      commandMs: Schema.optionalKey(timeout),
      /** For the reply to the message. */
      answerMs: Schema.optionalKey(timeout)
    })
  )
}

/** What else an entry has. */
const facts = {
  name: Schema.String,
  /** The ends of its servers' names: `example.net` is that name and all names under it. */
  mx: Schema.Array(Schema.String),
  /** Its page for senders. */
  help: Schema.NullOr(Schema.String),
  /** How it reports complaints: each in a message, in sums, or not at all. */
  feedback: Schema.Literals(["Arf", "Aggregate", "None"]),
  /** Where the figures were found. */
  source: Schema.String,
  asOf: Schema.String
}

/** Names the provider in routes, metrics and rules. */
const keyShape = Schema.String

/** An entry of the table. */
const ProviderEntry = Schema.Struct({ key: keyShape, ...ruleFields, ...facts })

/** A change of an entry, or one more. */
const ProviderChangeShape = Schema.Struct({
  key: keyShape,
  ...ruleFields,
  name: Schema.optionalKey(facts.name),
  mx: Schema.optionalKey(facts.mx),
  help: Schema.optionalKey(facts.help),
  feedback: Schema.optionalKey(facts.feedback),
  source: Schema.optionalKey(facts.source),
  asOf: Schema.optionalKey(facts.asOf)
})

/** A change of an entry, or one more. */
export type ProviderChange = Schema.Schema.Type<typeof ProviderChangeShape>

/** A provider. */
export type Provider = Schema.Schema.Type<typeof ProviderEntry>

/** The table. */
export const providers: ReadonlyArray<Provider> = Schema.decodeUnknownSync(Schema.Array(ProviderEntry))(
  providersJson
)

const isUnder = (host: string, suffix: string): boolean => host === suffix || host.endsWith(`.${suffix}`)

/** Where the value of a rule is from; `Learned` is what a server stated. */
export const ruleOrigins = ["Table", "File", "Override", "Learned"] as const

/** The value of a rule, and where it is from. */
export interface RuleValue {
  readonly value: number | string | LaneTimeouts
  readonly from: (typeof ruleOrigins)[number]
}

/** The table with an operator's changes. */
export class ProviderTable {
  readonly entries: ReadonlyArray<Provider>
  /** The fields that the operator's file sets, by key. */
  readonly #changed: ReadonlyMap<string, ReadonlySet<string>>
  readonly #default: Provider

  /** @param changes entries by key: fields that replace those of the table, or whole entries that it has not */
  constructor(changes: ReadonlyArray<ProviderChange> = []) {
    const entries = new Map(providers.map((provider) => [provider.key, provider] as const))
    for (const change of changes)
      entries.set(change.key, { ...(entries.get(change.key) ?? blank), ...change })
    this.entries = [...entries.values()]
    this.#changed = new Map(changes.map((change) => [change.key, new Set(Object.keys(change))]))
    this.#default = entries.get("default")!
  }

  /**
   * The provider whose servers these are: every host of the best preference is its own. Null for none. The domain of a
   * recipient never decides, since domains of any name share a provider's servers.
   *
   * @param hosts in lower case, without a dot at the end
   */
  of(hosts: ReadonlyArray<string>): Provider | null {
    if (hosts.length === 0) return null
    const isOf = ({ mx }: Provider) => hosts.every((host) => mx.some((suffix) => isUnder(host, suffix)))
    return this.entries.find(isOf) ?? null
  }

  /** The provider with a key; null for none. */
  withKey(key: string): Provider | null {
    return this.entries.find((provider) => provider.key === key) ?? null
  }

  /** The provider that a lane belongs to; null for none. */
  ofLane(lane: string): Provider | null {
    return this.withKey(laneWithoutSource(lane).split(":", 1)[0]!)
  }

  /** The rules of a provider, or of the servers of none (null), under an override. */
  rules(provider: Provider | null, override: LaneOverride | null = null): LaneRules {
    const given = { ...onlyRules(this.#default), ...onlyRules(provider ?? {}), ...override?.rules }
    const timeouts = { ...this.#default.timeouts, ...provider?.timeouts, ...override?.rules.timeouts }
    // The built-in entry `default` has all others.
    return { ...given, timeouts } as LaneRules
  }

  /** The same rules with where each is from, below what servers stated that still counts. */
  shownRules(
    provider: Provider | null,
    override: LaneOverride | null,
    stated: StatedLimits = {}
  ): Readonly<Record<string, RuleValue>> {
    const values = this.rules(provider, override)
    const learned = statedRules(values, stated)
    const isOfFile = (name: string) => {
      const own = provider !== null && name in provider ? provider.key : "default"
      return this.#changed.get(own)?.has(name) === true
    }
    const originOf = (name: string): RuleValue["from"] =>
      override !== null && name in override.rules ? "Override" : isOfFile(name) ? "File" : "Table"
    return Object.fromEntries(
      laneRuleNames
        // Those of the table are as long as RFC 5321 asks for, and are not listed.
        .filter((name) => name !== "timeouts" || Object.keys(values.timeouts).length > 0)
        .map((name): readonly [string, RuleValue] => [
          name,
          learned[name] === undefined
            ? { value: values[name], from: originOf(name) }
            : { value: learned[name], from: "Learned" }
        ])
    )
  }
}

/** The rules that servers stated, where they are stricter. */
const statedRules = (
  { maxWidth, messagesPerConnection, tls }: LaneRules,
  { connections, encryptedUntil, messages }: StatedLimits
): Partial<LaneRules> => ({
  ...(connections !== undefined && connections.most < maxWidth ? { maxWidth: connections.most } : {}),
  ...(messages !== undefined && messages.most < messagesPerConnection
    ? { messagesPerConnection: messages.most }
    : {}),
  ...(encryptedUntil !== undefined && tls === "offered" ? { tls: "required" } : {})
})

const onlyRules = (provider: Partial<LaneRules>): Partial<LaneRules> =>
  Object.fromEntries(
    laneRuleNames.flatMap((name) => (provider[name] === undefined ? [] : [[name, provider[name]]]))
  )

/** What an entry is that the file adds, where it does not say. */
const blank: Provider = {
  key: "",
  name: "",
  mx: [],
  help: null,
  feedback: "None",
  source: "SVC_SHAPING_FILE",
  asOf: ""
}

const decodeChange = Schema.decodeUnknownResult(ProviderChangeShape, { onExcessProperty: "error" })

const lineAt = (text: string, position: number): number => text.slice(0, position).split("\n").length

/** The line of an entry, by its key; 1 where it is not found. */
const lineOf = (text: string, entry: unknown): number => {
  const key = typeof entry === "object" && entry !== null && "key" in entry ? JSON.stringify(entry.key) : null
  return lineAt(text, key === null ? 0 : Math.max(0, text.indexOf(key)))
}

/** Parses an operator's file; fails with what is wrong, and in which line. */
export const parseShapingFile = (text: string): Result.Result<ReadonlyArray<ProviderChange>, string> => {
  let entries: unknown
  try {
    entries = JSON.parse(text)
  } catch (error) {
    const position = /position (\d+)/.exec(String(error))?.[1]
    return Result.fail(
      position === undefined ? "no JSON" : `no JSON in line ${lineAt(text, Number(position))}`
    )
  }
  if (!Array.isArray(entries)) return Result.fail("line 1: a list of providers")
  const changes: Array<ProviderChange> = []
  for (const entry of entries as ReadonlyArray<unknown>) {
    const decoded = decodeChange(entry)
    if (Result.isFailure(decoded))
      return Result.fail(`line ${lineOf(text, entry)}: ${decoded.failure.message.replaceAll("\n", " ")}`)
    const { key, mx } = decoded.success
    if (!/^[a-z0-9-]{1,40}$/.test(key)) return Result.fail(`line ${lineOf(text, entry)}: key ${key}`)
    if (!providers.some((one) => one.key === key) && (mx ?? []).length === 0)
      return Result.fail(`line ${lineOf(text, entry)}: ${key} has no mx`)
    changes.push(decoded.success)
  }
  const table = new ProviderTable(changes)
  for (const { key, startWidth = 0 } of changes) {
    const { maxWidth } = table.rules(table.withKey(key))
    if (startWidth > maxWidth)
      return Result.fail(
        `line ${lineOf(text, { key })}: startWidth ${startWidth} is above maxWidth ${maxWidth}`
      )
  }
  return Result.succeed(changes)
}

/** The table of this installation. */
export const KnownProviders = Context.Reference<ProviderTable>("svc/sending/KnownProviders", {
  defaultValue: () => new ProviderTable()
})

/**
 * The name of a lane: the key of the provider, with the site where each of its sites has limits of its own; the site for
 * servers of no provider.
 */
export const laneOf = (provider: Provider | null, site: string): string =>
  provider === null ? `ip:${site}` : provider.perSite === true ? `${provider.key}:${site}` : provider.key
