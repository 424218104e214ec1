/**
 * The providers: who operates mail servers for many domains, and what their servers accept. The table is data,
 * `providers.json`; its entry `default` is for all other servers, and has what an entry leaves out.
 *
 * @module
 */
import { Schema } from "effect"
import providersJson from "./providers.json" with { type: "json" }

const count = Schema.Int.check(Schema.isGreaterThan(0))

/** An entry of the table. */
const ProviderEntry = Schema.Struct({
  /** Names the provider in routes, metrics and rules. */
  key: Schema.String,
  name: Schema.String,
  /** The ends of its servers' names: `example.net` is that name and all names under it. */
  mx: Schema.Array(Schema.String),
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
  /** Its page for senders. */
  help: Schema.NullOr(Schema.String),
  /** How it reports complaints: each in a message, in sums, or not at all. */
  feedback: Schema.Literals(["Arf", "Aggregate", "None"]),
  /** Where the figures were found. */
  source: Schema.String,
  asOf: Schema.String
})

/** A provider. */
export type Provider = Schema.Schema.Type<typeof ProviderEntry>

/** The table. */
export const providers: ReadonlyArray<Provider> = Schema.decodeUnknownSync(Schema.Array(ProviderEntry))(
  providersJson
)

const isUnder = (host: string, suffix: string): boolean => host === suffix || host.endsWith(`.${suffix}`)

/**
 * The provider whose servers these are: every host of the best preference is its own. Null for none. The domain of a
 * recipient never decides, since domains of any name share a provider's servers.
 *
 * @param hosts in lower case, without a dot at the end
 */
export const providerOf = (hosts: ReadonlyArray<string>): Provider | null =>
  hosts.length === 0
    ? null
    : (providers.find(({ mx }) => hosts.every((host) => mx.some((suffix) => isUnder(host, suffix)))) ?? null)

/** The provider with a key; null for none. */
export const providerWithKey = (key: string): Provider | null =>
  providers.find((provider) => provider.key === key) ?? null

/** A provider's figure; that of the entry `default` where it has none, or for a server of no provider. */
export const valueOf = (
  provider: Provider | null,
  field: "startWidth" | "maxWidth" | "messagesPerConnection" | "idleSeconds"
): number => provider?.[field] ?? defaults[field]!

const defaults = providerWithKey("default")!

/**
 * The name of a lane: the key of the provider, with the site where each of its sites has limits of its own; the site for
 * servers of no provider.
 */
export const laneOf = (provider: Provider | null, site: string): string =>
  provider === null ? `ip:${site}` : provider.perSite === true ? `${provider.key}:${site}` : provider.key

/** The provider that a lane belongs to; null for none. */
export const providerOfLane = (lane: string): Provider | null => providerWithKey(lane.split(":", 1)[0]!)
