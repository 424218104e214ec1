/**
 * The mailbox providers: who operates mail servers for many domains, and what these servers accept. The table is data,
 * `providers.json`. Its entry `default` applies to all other servers, and has the values that an entry leaves out. An
 * operator's file may change and add entries, and an operator may override the rules of a lane.
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

/** The largest value of a rule. */
export const maxRule = 10_000

const count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxRule }))

/** The bounds of a timeout, milliseconds. */
export const timeoutBounds = { minimum: 100, maximum: 3_600_000 } as const

const timeout = Schema.Int.check(Schema.isBetween(timeoutBounds))

/** The rules of an entry. */
const ruleFields = {
  /** The initial and the largest concurrency limit. */
  startWidth: Schema.optionalKey(count),
  maxWidth: Schema.optionalKey(count),
  messagesPerConnection: Schema.optionalKey(count),
  messagesPerSecond: Schema.optionalKey(count),
  connectionsPerMinute: Schema.optionalKey(count),
  /** How long an idle connection is kept open. */
  idleSeconds: Schema.optionalKey(count),
  tls: Schema.optionalKey(Schema.Literals(["offered", "required", "verified"])),
  /** Whether each of the provider's sites has its own limits. */
  perSite: Schema.optionalKey(Schema.Boolean),
  /** How long to wait for the provider's servers, milliseconds, at most an hour. Omitted values are those of `default`. */
  timeouts: Schema.optionalKey(
    Schema.Struct({
      /** For the connection and the greeting together, and for EHLO and encryption together. */
      openMs: Schema.optionalKey(timeout),
      /** For MAIL, RCPT and DATA together. */
      commandMs: Schema.optionalKey(timeout),
      /** For the reply to the message. */
      answerMs: Schema.optionalKey(timeout)
    })
  )
}

/** The other fields of an entry. */
const facts = {
  name: Schema.String,
  /** The suffixes of the provider's server names: `example.net` is that name and all names below it. */
  mx: Schema.Array(Schema.String),
  /** The provider's page for senders. */
  help: Schema.NullOr(Schema.String),
  /** How the provider reports complaints: each in a message, in totals, or not at all. */
  feedback: Schema.Literals(["Arf", "Aggregate", "None"]),
  /** The source of the figures. */
  source: Schema.String,
  asOf: Schema.String
}

/** The key of the provider in routes, metrics and rules. */
const keyShape = Schema.String

/** An entry of the table. */
const ProviderEntry = Schema.Struct({ key: keyShape, ...ruleFields, ...facts })

/** A change of an entry, or an additional entry. */
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

/** A change of an entry, or an additional entry. */
export type ProviderChange = Schema.Schema.Type<typeof ProviderChangeShape>

/** A provider. */
export type Provider = Schema.Schema.Type<typeof ProviderEntry>

/** The built-in table. */
export const providers: ReadonlyArray<Provider> = Schema.decodeUnknownSync(Schema.Array(ProviderEntry))(
  providersJson
)

const isUnder = (host: string, suffix: string): boolean => host === suffix || host.endsWith(`.${suffix}`)

/** The origins of the value of a rule; `Learned` is what a server stated. */
export const ruleOrigins = ["Table", "File", "Override", "Learned"] as const

/** The value of a rule, with its origin. */
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

  /**
   * @param changes entries by key: fields that replace those of the table, or complete entries that the table does not have
   */
  constructor(changes: ReadonlyArray<ProviderChange> = []) {
    const entries = new Map(providers.map((provider) => [provider.key, provider] as const))
    for (const change of changes)
      entries.set(change.key, { ...(entries.get(change.key) ?? blank), ...change })
    this.entries = [...entries.values()]
    this.#changed = new Map(changes.map((change) => [change.key, new Set(Object.keys(change))]))
    this.#default = entries.get("default")!
  }

  /**
   * The provider to which all hosts of the best preference belong; null if there is none. The domain of a recipient never
   * decides, since domains of any name can share a provider's servers.
   *
   * @param hosts in lower case, without a trailing dot
   */
  of(hosts: ReadonlyArray<string>): Provider | null {
    if (hosts.length === 0) return null
    const isOf = ({ mx }: Provider) => hosts.every((host) => mx.some((suffix) => isUnder(host, suffix)))
    return this.entries.find(isOf) ?? null
  }

  /** The provider with a key; null if there is none. */
  withKey(key: string): Provider | null {
    return this.entries.find((provider) => provider.key === key) ?? null
  }

  /** The provider to which a lane belongs; null if there is none. */
  ofLane(lane: string): Provider | null {
    return this.withKey(laneWithoutSource(lane).split(":", 1)[0]!)
  }

  /** The rules of a provider, or for null those of all other servers, with an override applied. */
  rules(provider: Provider | null, override: LaneOverride | null = null): LaneRules {
    const given = { ...onlyRules(this.#default), ...onlyRules(provider ?? {}), ...override?.rules }
    const timeouts = { ...this.#default.timeouts, ...provider?.timeouts, ...override?.rules.timeouts }
    // The built-in entry `default` has all other rules.
    return { ...given, timeouts } as LaneRules
  }

  /** The rules with their origins, with the limits that servers stated and that still apply. */
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
        // The timeouts of the table are those that RFC 5321 requires, and are not listed.
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

/** The rules that servers stated, if they are stricter. */
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

/** The values of an entry that the operator's file adds, where the file does not state them. */
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

/** The line of an entry in the file, found by its key; 1 if it is not found. */
const lineOf = (text: string, entry: unknown): number => {
  const key = typeof entry === "object" && entry !== null && "key" in entry ? JSON.stringify(entry.key) : null
  return lineAt(text, key === null ? 0 : Math.max(0, text.indexOf(key)))
}

/** Parses an operator's file. Fails with a message that states what is wrong, and in which line. */
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
 * The name of a lane: the key of the provider, with the site if each of its sites has its own limits; for servers of no
 * provider, the site.
 */
export const laneOf = (provider: Provider | null, site: string): string =>
  provider === null ? `ip:${site}` : provider.perSite === true ? `${provider.key}:${site}` : provider.key
