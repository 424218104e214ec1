/**
 * Every configuration value, once (management-api, Configuration).
 *
 * @module
 */
import { Config, Effect, Option, type Redacted } from "effect"

/** Where data is kept. */
export type StoreChoice =
  | { readonly _tag: "Embedded" }
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Postgres"; readonly url: string }

/** The parts of the service a process runs. */
export type Role = "api" | "smtp" | "worker"

export interface Configuration {
  readonly baseUrl: string | null
  readonly host: string
  readonly port: number
  readonly dataDir: string
  readonly store: StoreChoice
  readonly roles: ReadonlySet<Role>
  readonly adminToken: Redacted.Redacted | null
  readonly smtpPorts: ReadonlyArray<number>
  readonly readyFile: string | null
  readonly logLevel: "Trace" | "Debug" | "Info" | "Warn" | "Error" | "None"
}

/** A value that does not parse: names the variable and what it takes, in one line. */
export class ConfigurationInvalid extends Error {
  override readonly name = "ConfigurationInvalid"
}

const logLevels = ["Trace", "Debug", "Info", "Warn", "Error", "None"] as const
const roles = ["api", "smtp", "worker"] as const
const minAdminToken = 16

const invalid = (name: string, expected: string) =>
  new ConfigurationInvalid(`${name} is invalid: expected ${expected}`)

const text = (name: string) => Effect.map(Config.option(Config.String(name)), Option.getOrNull)

const parsePort = (value: string): number | null =>
  /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : null

const parseStore = (value: string): StoreChoice | null => {
  if (value === "embedded") return { _tag: "Embedded" }
  if (value === "memory") return { _tag: "Memory" }
  return /^postgres(ql)?:\/\/./.test(value) && URL.canParse(value) ? { _tag: "Postgres", url: value } : null
}

const listOf = (value: string): ReadonlyArray<string> =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** Reads the configuration of the environment. */
export const configuration = Effect.gen(function* () {
  const read = <A>(
    name: string,
    fallback: string,
    parse: (value: string) => A | null,
    expected: string
  ): Effect.Effect<A, ConfigurationInvalid> =>
    Effect.flatMap(Effect.orDie(text(name)), (value) => {
      const parsed = parse(value ?? fallback)
      return parsed === null ? Effect.fail(invalid(name, expected)) : Effect.succeed(parsed)
    })

  const adminToken = yield* Effect.orDie(Config.option(Config.Redacted("SVC_ADMIN_TOKEN")))
  const baseUrl = yield* Effect.orDie(text("SVC_BASE_URL"))
  if (baseUrl !== null && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
    return yield* Effect.fail(invalid("SVC_BASE_URL", "an http or https URL"))
  }
  const token = Option.getOrNull(adminToken)
  const length = (yield* Effect.orDie(text("SVC_ADMIN_TOKEN")))?.length
  if (length !== undefined && length < minAdminToken) {
    return yield* Effect.fail(invalid("SVC_ADMIN_TOKEN", `at least ${minAdminToken} characters`))
  }
  const ports = (value: string) => {
    const parsed = listOf(value).map(parsePort)
    return parsed.includes(null) ? null : (parsed as ReadonlyArray<number>)
  }
  const roleSet = (value: string) => {
    const names = listOf(value)
    const known = names.every((name) => (roles as ReadonlyArray<string>).includes(name))
    return known && names.length > 0 ? new Set(names as ReadonlyArray<Role>) : null
  }
  const level = (value: string) =>
    logLevels.find((name) => name.toLowerCase() === value.trim().toLowerCase()) ?? null

  return {
    baseUrl: baseUrl?.replace(/\/+$/, "") ?? null,
    host: yield* read("SVC_HOST", "127.0.0.1", (value) => value.trim() || null, "a host name or address"),
    port: yield* read("SVC_PORT", "3000", (value) => parsePort(value.trim()), "a port from 0 to 65535"),
    dataDir: yield* read("SVC_DATA_DIR", ".svc", (value) => value.trim() || null, "a directory"),
    store: yield* read("SVC_STORE", "embedded", parseStore, "embedded, memory or a postgres:// URL"),
    roles: yield* read("SVC_ROLES", "api,smtp,worker", roleSet, "a list of api, smtp, worker"),
    adminToken: token,
    smtpPorts: yield* read("SVC_SMTP_PORTS", "587,465,2525", ports, "a list of ports"),
    readyFile: yield* Effect.orDie(text("SVC_READY_FILE")),
    logLevel: yield* read("SVC_LOG_LEVEL", "info", level, `one of ${logLevels.join(", ").toLowerCase()}`)
  } satisfies Configuration
})
