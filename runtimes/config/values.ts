/**
 * Lists the effective values of the configuration for operators. Secrets are never shown.
 *
 * @module
 */
import type { ConfiguredValue } from "../../core/kernel/ProcessInfo.ts"
import type { Configuration } from "./config.ts"
import { type Variable, variables } from "./variables.ts"

/** Variables whose whole value is a secret. */
const secrets: ReadonlySet<Variable> = new Set<Variable>([
  "SVC_ADMIN_TOKEN",
  "SVC_SECRET_KEY",
  "SVC_SECRET_KEY_PREVIOUS"
])

/** Variables whose value may be a URL with a user, a password or keys. */
const urls: ReadonlySet<Variable> = new Set<Variable>([
  "SVC_STORE",
  "SVC_STORE_DIRECT",
  "SVC_SMTP_URL",
  "SVC_OTLP_URL",
  "SVC_OBJECT_STORAGE"
])

/** A URL without user, password, query and fragment. Other strings are not changed, unless they could contain a secret. */
export const withoutCredentials = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return /[@?#]/.test(text) ? "set" : text
  const host = url.host === "" ? "" : url.host
  return `${url.protocol}//${host}${url.pathname === "/" ? "" : url.pathname}`
}

/** The effective values of variables that are not set; null for none. */
const defaultsOf = (configuration: Configuration): Readonly<Partial<Record<Variable, string>>> => ({
  SVC_DASHBOARD: configuration.dashboard ? "on" : "off",
  SVC_DATA_DIR: configuration.dataDir,
  SVC_DNS_VALIDATES: String(configuration.dnsValidates),
  SVC_HOST: configuration.host,
  SVC_LOG_LEVEL: configuration.logLevel.toLowerCase(),
  SVC_MAIL_TRANSPORT: configuration.transport._tag === "Direct" ? "direct" : "smtp",
  SVC_MAX_CONNECTIONS: String(configuration.limits.maxConnections),
  SVC_MAX_CONNECTIONS_PER_NETWORK: String(configuration.limits.maxConnectionsPerNetwork),
  SVC_MAX_UNKNOWN_BYTES: String(configuration.limits.maxUnknownBytes),
  SVC_TLS_REPORTS: String(configuration.tlsReports),
  SVC_MX_LOCAL: String(configuration.mxLocal),
  SVC_MX_PORT: String(configuration.mxPort),
  SVC_MX_PRIVATE: String(configuration.mxPrivate),
  SVC_PORT: String(configuration.port),
  SVC_REQUIRE_TWO_FACTORS: String(configuration.requireTwoFactors),
  SVC_ROLES: [...configuration.roles].join(","),
  SVC_SMTP_HOST: configuration.smtpHost,
  SVC_SMTP_PORTS: configuration.smtpPorts
    .map(({ implicitTls, port }) => (implicitTls ? `${port}/tls` : String(port)))
    .join(","),
  SVC_STORE: configuration.store._tag.toLowerCase(),
  SVC_WEBHOOK_ALLOW_PRIVATE: String(configuration.webhookAllowPrivate)
})

/**
 * Every variable with its effective value.
 *
 * @param environment the variables that are set. An empty value counts as not set, except for SVC_SMTP_PORTS
 */
export const configuredValues = (
  configuration: Configuration,
  environment: Readonly<Record<string, string | undefined>>
): ReadonlyArray<ConfiguredValue> => {
  const defaults = defaultsOf(configuration)
  return variables.map((name) => {
    const given = environment[name]?.trim()
    const isSet = given !== undefined && (given !== "" || name === "SVC_SMTP_PORTS")
    const isSecret = secrets.has(name)
    const shown = given === undefined || !urls.has(name) ? given : withoutCredentials(given)
    return {
      name,
      value: isSet ? (isSecret ? "set" : (shown ?? null)) : (defaults[name] ?? null),
      source: isSet ? "Environment" : "Default",
      isSecret
    }
  })
}
