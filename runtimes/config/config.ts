/**
 * Reads and validates every configuration variable (docs/contributing/management-api.md, Configuration).
 *
 * @module
 */
import { Config, ConfigProvider, Effect, FileSystem, Option, Path, Redacted } from "effect"
import { isIP } from "node:net"
import { whyInvalidUrl } from "../../adapters/postgres/connection/ConnectionUrl.ts"
import type { RelayPort } from "../../adapters/smtp/relay/RelayServer.ts"
import { type CallerLimits, defaultCallerLimits } from "../../core/shared/CallerLimits.ts"
import { parseEmail } from "../../core/shared/EmailAddress.ts"
import { parseMailbox } from "../../core/shared/Mailbox.ts"
import { isUuid } from "../../core/shared/Uuid.ts"
import type { SystemSenderChoice } from "../../core/users/SystemMail.ts"
import { type IpRange, parseOrigin, parseRange } from "../../core/shared/Network.ts"
import type { MachineList } from "../../core/sending/tracking/machineList.ts"
import { parseShapingFile, type ProviderChange } from "../../core/sending/shaping/Providers.ts"
import { parseMachineFile } from "../../core/sending/tracking/Machines.ts"
import { minAdminToken } from "../../core/accounts/AdminTokenCheck.ts"
import { minSecretText } from "../../adapters/crypto/SecretKey.ts"
import {
  expectedPlan,
  isSingle,
  parsePlan,
  type ProcessGroup,
  singlePlan
} from "../supervisor/ProcessPlan.ts"
import { type ObjectStorageChoice, readObjectStorage } from "./objectStorage.ts"
import type { Variable } from "./variables.ts"

/** The database or memory in which data is stored. */
export type StoreChoice =
  | { readonly _tag: "Embedded" }
  | { readonly _tag: "Memory" }
  | {
      readonly _tag: "Postgres"
      readonly url: Redacted.Redacted
      /** A URL that bypasses the connection pooler of the other URL; null if there is no pooler. */
      readonly direct: Redacted.Redacted | null
    }

/** A part of the service that a process runs. */
export type Role = "api" | "smtp" | "worker"

/** How mail of live accounts is sent: by a relay, or directly to the recipients' servers (docs/contributing/decisions.md 5). */
export type TransportChoice =
  | { readonly _tag: "Direct" }
  | { readonly _tag: "Relay"; readonly url: Redacted.Redacted }

/** The paths of the PEM files with the certificate and the key of the SMTP ports. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** All configuration values, validated. */
export interface Configuration {
  /** The origin at which the service is reached, without a trailing slash; null for the address on which it listens. */
  readonly baseUrl: string | null
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly dataDir: string
  readonly store: StoreChoice
  /** Where the content of emails is stored. */
  readonly objectStorage: ObjectStorageChoice
  /** The groups of processes. A process without a supervisor is a single group of one. */
  readonly processes: ReadonlyArray<ProcessGroup>
  readonly roles: ReadonlySet<Role>
  /** Replaces the management token that the first start generates. */
  readonly adminToken: Redacted.Redacted | null
  /** The source of the key that seals secrets; null for the key file in the data directory. */
  readonly secretKey: Redacted.Redacted | null
  /** The source of the previous key, while it is being replaced. */
  readonly previousSecretKey: Redacted.Redacted | null
  readonly smtpHost: string
  readonly smtpPorts: ReadonlyArray<RelayPort>
  readonly tls: TlsFiles | null
  readonly transport: TransportChoice
  /** Whether mail may go directly to servers in private networks. */
  readonly mxPrivate: boolean
  /** The port on which recipients' servers listen: 25 except in tests. */
  readonly mxPort: number
  /** Whether recipients' servers may be on this machine. Only for tests. */
  readonly mxLocal: boolean
  /** The port that receives delivery reports and complaints; null if none are received. */
  readonly inboundPort: number | null
  /** Name servers, as `address` or `address:port`; empty for the machine's own resolvers. */
  readonly dnsServers: ReadonlyArray<string>
  /** Whether the name servers validate with DNSSEC; `auto` tests them. */
  readonly dnsValidates: "auto" | boolean
  /** Whether daily reports of TLS connections are sent to domains that request them. */
  readonly tlsReports: boolean
  /** The reverse proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: ReadonlyArray<IpRange>
  /** The limits of callers, applied to HTTP and SMTP separately. */
  readonly limits: CallerLimits
  /** Whether webhooks may go to private addresses. */
  readonly webhookAllowPrivate: boolean
  /** The normalized address of the first operator; null if the operator enters it. */
  readonly operatorEmail: string | null
  /** The sender of the installation's mail to its users; null if it sends none. */
  readonly systemSender: SystemSenderChoice | null
  /** Whether each user must have a second factor. */
  readonly requireTwoFactors: boolean
  /** Whether the dashboard is served. */
  readonly dashboard: boolean
  readonly otlpUrl: string | null
  readonly readyFile: string | null
  /** A file whose modification time is that of the last backup; null if backups are not monitored. */
  readonly backupFile: string | null
  /** User agents and networks of programs that visit tracked links, in addition to the known ones. */
  readonly machines: MachineList
  /** Entries of the table of providers that the operator changes or adds. */
  readonly providers: ReadonlyArray<ProviderChange>
  readonly logLevel: "Trace" | "Debug" | "Info" | "Warn" | "Error" | "None"
}

/** A variable has an invalid value. The message names the variable and the expected format, on one line. */
export class ConfigurationInvalid extends Error {
  override readonly name = "ConfigurationInvalid"
}

const logLevels = ["Trace", "Debug", "Info", "Warn", "Error", "None"] as const
const allRoles: ReadonlyArray<Role> = ["api", "smtp", "worker"]
/** The minimum length of a management token of an earlier version. The start checks the current rules. */
const minEarlierToken = 16

const invalid = (name: Variable, expected: string) =>
  new ConfigurationInvalid(`${name} is invalid: expected ${expected}`)

/** The trimmed value of a variable; null if it is unset or empty. */
const text = (name: Variable): Effect.Effect<string | null> =>
  Effect.map(
    Effect.orDie(Config.option(Config.String(name))),
    (value) => Option.getOrElse(value, () => "").trim() || null
  )

/** The parsed value of a variable, or `fallback` if it is not set. `parse` returns undefined for an invalid value. */
const read = <A, B>(
  name: Variable,
  fallback: B,
  expected: string,
  parse: (value: string) => A | undefined
): Effect.Effect<A | B, ConfigurationInvalid> =>
  Effect.flatMap(text(name), (value): Effect.Effect<A | B, ConfigurationInvalid> => {
    if (value === null) return Effect.succeed(fallback)
    const parsed = parse(value)
    return parsed === undefined ? Effect.fail(invalid(name, expected)) : Effect.succeed(parsed)
  })

const parsePort = (value: string): number | undefined =>
  /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined

const parseUrl =
  (protocols: RegExp) =>
  (value: string): string | undefined =>
    protocols.test(URL.parse(value)?.protocol ?? "") ? value : undefined

const readStoreUrl = (name: Variable, value: string, expected: string) => {
  const why = whyInvalidUrl(value)
  return why === null
    ? Effect.succeed(Redacted.make(value))
    : Effect.fail(invalid(name, `${expected}; as a URL, ${why}`))
}

const readStore: Effect.Effect<StoreChoice, ConfigurationInvalid> = Effect.gen(function* () {
  const value = (yield* text("SVC_STORE")) ?? "embedded"
  const direct = yield* text("SVC_STORE_DIRECT")
  const isServer = /^postgres(ql)?:/i.test(value)
  if (!isServer && value !== "embedded" && value !== "memory") {
    return yield* Effect.fail(invalid("SVC_STORE", "embedded, memory or a postgres:// URL"))
  }
  if (direct !== null && !isServer) {
    return yield* Effect.fail(invalid("SVC_STORE_DIRECT", "no value, since SVC_STORE is no postgres:// URL"))
  }
  if (!isServer) return (value === "memory" ? { _tag: "Memory" } : { _tag: "Embedded" }) satisfies StoreChoice
  return {
    _tag: "Postgres",
    url: yield* readStoreUrl("SVC_STORE", value, "embedded, memory or a postgres:// URL"),
    direct: direct === null ? null : yield* readStoreUrl("SVC_STORE_DIRECT", direct, "a postgres:// URL")
  } satisfies StoreChoice
})

const parseBoolean = (value: string): boolean | undefined => {
  if (/^(true|1|yes|on)$/i.test(value)) return true
  return /^(false|0|no|off)$/i.test(value) ? false : undefined
}

const listOf = (value: string): ReadonlyArray<string> =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** Ports for submission over TLS (RFC 8314). The second is used if the first requires privileges that are missing. */
const implicitTlsPorts: ReadonlyArray<number> = [465, 10_465]

const relayPort = (port: number, implicitTls = implicitTlsPorts.includes(port)): RelayPort => ({
  port,
  implicitTls
})

/** Parses a port. The suffix `/tls` selects TLS from the first byte. */
const parseRelayPort = (value: string): RelayPort | undefined => {
  const [, digits = "", suffix] = /^(\d+)(\/tls)?$/.exec(value) ?? []
  const port = parsePort(digits)
  return port === undefined ? undefined : relayPort(port, suffix === undefined ? undefined : true)
}

const parsePorts = (value: string): ReadonlyArray<RelayPort> | undefined => {
  const ports = listOf(value).map(parseRelayPort)
  if (!ports.every((port) => port !== undefined)) return undefined
  // Each port 0 stands for another free port.
  const numbers = ports.flatMap(({ port }) => (port === 0 ? [] : [port]))
  return new Set(numbers).size === numbers.length ? ports : undefined
}

/** A single process, unless several can share the database and the ports. */
const readProcesses = Effect.gen(function* () {
  const plan = yield* read("SVC_PROCESSES", singlePlan, expectedPlan, parsePlan)
  if (isSingle(plan)) return plan
  if ((yield* readStore)._tag !== "Postgres")
    return yield* Effect.fail(invalid("SVC_PROCESSES", "1, since only a postgres:// SVC_STORE can be shared"))
  for (const name of ["SVC_PORT", "SVC_SMTP_PORTS", "SVC_INBOUND_PORT"] as const) {
    const ports = ((yield* text(name)) ?? "").split(/[,\s]+/)
    if (ports.some((port) => /^0+(?:\/tls)?$/.test(port)))
      return yield* Effect.fail(invalid(name, "ports other than 0, since SVC_PROCESSES shares them"))
  }
  return plan
})

const parseRoles = (value: string): ReadonlySet<Role> | undefined => {
  const names = listOf(value)
  const known = allRoles.filter((role) => names.includes(role))
  return known.length > 0 && names.every((name) => known.includes(name as Role)) ? new Set(known) : undefined
}

const isServer = (value: string): boolean => {
  const [, bracketed, port] = /^\[([^\]]+)\](?::(\d+))?$/.exec(value) ?? []
  if (bracketed !== undefined) return isIP(bracketed) === 6 && (port === undefined || !!parsePort(port))
  if (isIP(value) !== 0) return true
  const [address, portOfAddress, ...more] = value.split(":")
  return more.length === 0 && isIP(address ?? "") === 4 && !!parsePort(portOfAddress ?? "")
}

const parseServers = (value: string): ReadonlyArray<string> | undefined => {
  const servers = listOf(value)
  return servers.every(isServer) ? servers : undefined
}

const parseRanges = (value: string): ReadonlyArray<IpRange> | undefined => {
  const ranges = listOf(value).map(parseRange)
  return ranges.every((range) => range !== null) ? ranges : undefined
}

const parseCount = (value: string): number | undefined =>
  /^[1-9]\d{0,6}$/.test(value) ? Number(value) : undefined

const readCount = (name: Variable, fallback: number) =>
  read(name, fallback, "a whole number from 1 to 9,999,999", parseCount)

const mebibyte = 1024 * 1024

/** Parses a size in bytes or in MB. */
const parseSize = (value: string): number | undefined => {
  const [, digits, unit] = /^(\d{1,12})\s*(MB)?$/i.exec(value) ?? []
  const bytes = Number(digits) * (unit === undefined ? 1 : mebibyte)
  return bytes >= mebibyte && Number.isSafeInteger(bytes) ? bytes : undefined
}

const parseLevel = (value: string): Configuration["logLevel"] | undefined =>
  logLevels.find((name) => name.toLowerCase() === value.toLowerCase())

const readTransport = Effect.gen(function* () {
  const url = yield* read("SVC_SMTP_URL", null, "an smtp:// or smtps:// URL", parseUrl(/^smtps?:$/))
  const name = yield* read("SVC_MAIL_TRANSPORT", null, "smtp or direct", (value) =>
    value === "smtp" || value === "direct" ? value : undefined
  )
  if (name === "smtp" && url === null) {
    return yield* Effect.fail(invalid("SVC_SMTP_URL", "a URL, since SVC_MAIL_TRANSPORT is smtp"))
  }
  const transport: TransportChoice =
    url === null || name === "direct" ? { _tag: "Direct" } : { _tag: "Relay", url: Redacted.make(url) }
  return transport
})

const readable = Effect.fnUntraced(function* (name: Variable, path: string) {
  const { access } = yield* FileSystem.FileSystem
  yield* Effect.mapError(access(path, { readable: true }), () => invalid(name, "a file that can be read"))
})

/** The data directory. It is created if it is missing, and must be writable. */
const readDataDir = Effect.gen(function* () {
  const path = (yield* text("SVC_DATA_DIR")) ?? ".svc"
  const store = (yield* text("SVC_STORE")) ?? "embedded"
  if (store !== "embedded") return path
  const { access, makeDirectory } = yield* FileSystem.FileSystem
  const usable = Effect.andThen(
    makeDirectory(path, { recursive: true, mode: 0o700 }),
    access(path, { writable: true })
  )
  yield* Effect.mapError(usable, () => invalid("SVC_DATA_DIR", "a directory that can be made and written"))
  return path
})

const readReadyFile = Effect.gen(function* () {
  const path = yield* text("SVC_READY_FILE")
  if (path === null) return null
  const { access } = yield* FileSystem.FileSystem
  const { dirname } = yield* Path.Path
  yield* Effect.mapError(access(dirname(path), { writable: true }), () =>
    invalid("SVC_READY_FILE", "a file in a directory that can be written")
  )
  return path
})

const readShapingFile = Effect.gen(function* () {
  const path = yield* text("SVC_SHAPING_FILE")
  if (path === null) return []
  const { readFileString } = yield* FileSystem.FileSystem
  const content = yield* Effect.mapError(readFileString(path), () =>
    invalid("SVC_SHAPING_FILE", "a file that can be read")
  )
  return yield* Effect.mapError(Effect.fromResult(parseShapingFile(content)), (problem) =>
    invalid("SVC_SHAPING_FILE", `entries of the table of providers: ${problem}`)
  )
})

const readMachineFile = Effect.gen(function* () {
  const path = yield* text("SVC_MACHINE_FILE")
  if (path === null) return { userAgents: [], networks: [] }
  const { readFileString } = yield* FileSystem.FileSystem
  const content = yield* Effect.mapError(readFileString(path), () =>
    invalid("SVC_MACHINE_FILE", "a file that can be read")
  )
  return yield* Effect.mapError(Effect.fromResult(parseMachineFile(content)), (problem) =>
    invalid("SVC_MACHINE_FILE", `user agents and networks: ${problem}`)
  )
})

const readTls = Effect.gen(function* () {
  const cert = yield* text("SVC_TLS_CERT")
  const key = yield* text("SVC_TLS_KEY")
  if (cert !== null) yield* readable("SVC_TLS_CERT", cert)
  if (key !== null) yield* readable("SVC_TLS_KEY", key)
  if (cert === null && key === null) return null
  if (cert === null) return yield* Effect.fail(invalid("SVC_TLS_CERT", "a path, since SVC_TLS_KEY is set"))
  if (key === null) return yield* Effect.fail(invalid("SVC_TLS_KEY", "a path, since SVC_TLS_CERT is set"))
  return { cert, key }
})

const readAdminToken = read(
  "SVC_ADMIN_TOKEN",
  null,
  `at least ${minAdminToken} visible ASCII characters`,
  (value) =>
    value.length >= minEarlierToken && /^[\x21-\x7e]+$/.test(value)
      ? Redacted.make(value, { label: "SVC_ADMIN_TOKEN" })
      : undefined
)

const readSecretKey = (name: Variable) =>
  read(name, null, `32 bytes as base64 or hex, or a text of at least ${minSecretText} characters`, (value) =>
    value.length >= minSecretText ? Redacted.make(value, { label: name }) : undefined
  )

const readSystemSender = Effect.gen(function* () {
  const from = yield* read(
    "SVC_SYSTEM_SENDER",
    null,
    "an address, or a name with one: Example <mail@example.com>",
    (value) => parseMailbox(value) ?? undefined
  )
  const accountId = yield* read("SVC_SYSTEM_ACCOUNT", null, "the id of an account", (value) =>
    isUuid(value) ? value.toLowerCase() : undefined
  )
  if (from !== null) return { from, accountId } satisfies SystemSenderChoice
  if (accountId === null) return null
  return yield* Effect.fail(invalid("SVC_SYSTEM_SENDER", "an address, since SVC_SYSTEM_ACCOUNT is set"))
})

const defaultSmtpPorts = [587, 465, 2525].map((port) => relayPort(port))

/** An empty value selects no ports, whereas an unset variable selects the default ports. */
const readSmtpPorts = Effect.gen(function* () {
  const asSet = ConfigProvider.fromEnv({ preserveEmptyStrings: true })
  const variable = Effect.orDie(Config.option(Config.String("SVC_SMTP_PORTS")))
  const set = Option.isSome(yield* Effect.provideService(variable, ConfigProvider.ConfigProvider, asSet))
  return yield* read(
    "SVC_SMTP_PORTS",
    set ? [] : defaultSmtpPorts,
    "a list of different ports, each with or without /tls",
    parsePorts
  )
})

/** Reports are received on the same address as the relay listens on, so the port must be another one. */
const readInboundPort = Effect.gen(function* () {
  const port = yield* read("SVC_INBOUND_PORT", null, "a port from 0 to 65535", parsePort)
  const isTaken = port !== null && port !== 0 && (yield* readSmtpPorts).some((one) => one.port === port)
  return isTaken
    ? yield* Effect.fail(invalid("SVC_INBOUND_PORT", "a port that SVC_SMTP_PORTS does not have"))
    : port
})

/** Reads the configuration from the environment. Fails with `ConfigurationInvalid` for the first value that is invalid. */
export const configuration = Effect.gen(function* () {
  const httpUrl = parseUrl(/^https?:$/)
  const host = yield* read("SVC_HOST", "127.0.0.1", "a host name or address", (value) =>
    /^[\w.:-]+$/.test(value) ? value : undefined
  )
  const result: Configuration = {
    baseUrl: yield* read(
      "SVC_BASE_URL",
      null,
      "an http or https URL without path, query and user, such as https://mail.example.com: the service needs a host name of its own",
      (value) => parseOrigin(value) ?? undefined
    ),
    host,
    port: yield* read("SVC_PORT", 3000, "a port from 0 to 65535", parsePort),
    dataDir: yield* readDataDir,
    store: yield* readStore,
    objectStorage: yield* Effect.mapError(
      Effect.flatMap(text("SVC_OBJECT_STORAGE"), readObjectStorage),
      ({ message }) => invalid("SVC_OBJECT_STORAGE", message)
    ),
    processes: yield* readProcesses,
    roles: yield* read("SVC_ROLES", new Set(allRoles), "a list of api, smtp, worker", parseRoles),
    adminToken: yield* readAdminToken,
    secretKey: yield* readSecretKey("SVC_SECRET_KEY"),
    previousSecretKey: yield* readSecretKey("SVC_SECRET_KEY_PREVIOUS"),
    smtpHost: yield* read("SVC_SMTP_HOST", host, "a host name or address", (value) =>
      /^[\w.:-]+$/.test(value) ? value : undefined
    ),
    smtpPorts: yield* readSmtpPorts,
    tls: yield* readTls,
    transport: yield* readTransport,
    tlsReports: yield* read("SVC_TLS_REPORTS", true, "true or false", parseBoolean),
    mxPrivate: yield* read("SVC_MX_PRIVATE", true, "true or false", parseBoolean),
    mxPort: yield* read(
      "SVC_MX_PORT",
      25,
      "a port from 1 to 65535",
      (value) => parsePort(value) || undefined
    ),
    mxLocal: yield* read("SVC_MX_LOCAL", false, "true or false", parseBoolean),
    inboundPort: yield* readInboundPort,
    dnsServers: yield* read(
      "SVC_DNS_SERVERS",
      [],
      "a list of IP addresses, each with or without a port",
      parseServers
    ),
    dnsValidates: yield* read("SVC_DNS_VALIDATES", "auto" as const, "auto, true or false", (value) =>
      value === "auto" ? value : parseBoolean(value)
    ),
    trustedProxies: yield* read(
      "SVC_TRUSTED_PROXIES",
      [],
      "a list of IP addresses and CIDR ranges",
      parseRanges
    ),
    limits: {
      ...defaultCallerLimits,
      maxConnections: yield* readCount("SVC_MAX_CONNECTIONS", defaultCallerLimits.maxConnections),
      maxConnectionsPerNetwork: yield* readCount(
        "SVC_MAX_CONNECTIONS_PER_NETWORK",
        defaultCallerLimits.maxConnectionsPerNetwork
      ),
      maxUnknownBytes: yield* read(
        "SVC_MAX_UNKNOWN_BYTES",
        defaultCallerLimits.maxUnknownBytes,
        "a size of at least 1 MB, such as 64MB or 67108864",
        parseSize
      )
    },
    webhookAllowPrivate: yield* read("SVC_WEBHOOK_ALLOW_PRIVATE", false, "true or false", parseBoolean),
    operatorEmail: yield* read(
      "SVC_OPERATOR_EMAIL",
      null,
      "an email address",
      (value) => parseEmail(value) ?? undefined
    ),
    systemSender: yield* readSystemSender,
    requireTwoFactors: yield* read("SVC_REQUIRE_TWO_FACTORS", false, "true or false", parseBoolean),
    dashboard: yield* read("SVC_DASHBOARD", true, "on or off", parseBoolean),
    otlpUrl: yield* read("SVC_OTLP_URL", null, "an http or https URL", httpUrl),
    readyFile: yield* readReadyFile,
    backupFile: yield* text("SVC_BACKUP_FILE"),
    machines: yield* readMachineFile,
    providers: yield* readShapingFile,
    logLevel: yield* read(
      "SVC_LOG_LEVEL",
      "Info" as const,
      `one of ${logLevels.join(", ").toLowerCase()}`,
      parseLevel
    )
  }
  return result
})
