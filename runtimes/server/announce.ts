/**
 * Reports that a process accepts work: with lines for the operator, and with the ready file for scripts.
 *
 * @module
 */
import { Effect, FileSystem, Redacted } from "effect"
import type { RelayPort } from "../../adapters/smtp/relay/RelayServer.ts"
import type { FirstSecrets } from "../../core/accounts/Bootstrap.ts"
import type { Configuration } from "../config/config.ts"
import { smtpHostOf } from "./publicEndpoint.ts"

/** The lines that a process prints. */
export interface Announcement {
  readonly lines: ReadonlyArray<string>
  readonly facts: ReadyFacts
}

/** The ports on which a process listens, and the secrets that it shows once. */
export interface Started {
  readonly baseUrl: string | null
  readonly proxyTo: string | null
  readonly relayPorts: ReadonlyArray<RelayPort>
  readonly reportPort: number | null
  readonly secrets: FirstSecrets | null
  readonly setupLink: string | null
}

/** The addresses and, after the first start, the secrets. */
export const announcementOf = (
  configuration: Configuration,
  { baseUrl, proxyTo, relayPorts, reportPort, secrets, setupLink }: Started
): Announcement => {
  const { adminToken } = configuration
  const behind = configuration.baseUrl === null ? "" : `, for a proxy to ${proxyTo}`
  const smtp = relayPorts.map(({ implicitTls, port }) => ({
    host: smtpHostOf(configuration),
    port,
    tls: implicitTls
  }))
  const managementToken =
    adminToken === null ? (secrets?.managementToken ?? null) : Redacted.value(adminToken)
  return {
    lines: [
      ...(reportPort === null ? [] : [`svc takes reports of mail servers on port ${reportPort}`]),
      configuration.roles.has("api") ? `svc listens on ${baseUrl}${behind}` : "svc works in the background",
      ...(smtp.length === 0 ? [] : [`svc takes mail by SMTP on ${describePorts(smtp)}`]),
      ...(secrets === null ? [] : [welcome(baseUrl, smtp, secrets, adminToken === null, setupLink)])
    ],
    facts: {
      baseUrl,
      smtp,
      managementToken,
      sandbox: secrets === null ? null : { accountId: secrets.sandboxAccountId, apiKey: secrets.sandboxKey }
    }
  }
}

/** An address of the relay, for its clients. */
interface SmtpAddress {
  readonly host: string
  readonly port: number
  /** True for implicit TLS, false for STARTTLS. */
  readonly tls: boolean
}

const describePorts = (smtp: ReadonlyArray<SmtpAddress>): string =>
  smtp.map(({ host, port, tls }) => `${host}:${port} (${tls ? "TLS" : "STARTTLS"})`).join(", ")

const welcome = (
  baseUrl: string | null,
  smtp: ReadonlyArray<SmtpAddress>,
  secrets: FirstSecrets,
  showToken: boolean,
  setupLink: string | null
): string =>
  [
    "",
    "First start. Keep these; they are not shown again.",
    `  Base URL          ${baseUrl ?? "none: this process does not serve the API"}`,
    `  SMTP ports        ${smtp.length === 0 ? "none" : describePorts(smtp)}`,
    ...(smtp.length === 0 ? [] : ["  SMTP login        user svc, password: the sandbox key"]),
    `  Sandbox account   ${secrets.sandboxAccountId}`,
    `  Sandbox key       ${secrets.sandboxKey}`,
    ...(showToken ? [`  Management token  ${secrets.managementToken}`] : []),
    ...(setupLink === null ? [] : [`  Set-up link       ${setupLink}`]),
    ...(baseUrl === null ? [] : ["", "Send an email:", "", curlLine(baseUrl, secrets.sandboxKey)]),
    ""
  ].join("\n")

const curlLine = (baseUrl: string, key: string): string =>
  `curl -sS ${baseUrl}/api/v1/sending/emails -H 'Authorization: Bearer ${key}' ` +
  `-H 'Content-Type: application/json' ` +
  `-d '{"to":"ada@example.org","subject":"Hello","html":"<p>It works.</p>"}'`

/** The content of the ready file. */
export interface ReadyFacts {
  /** Null if no API is served and `SVC_BASE_URL` is not set. */
  readonly baseUrl: string | null
  readonly smtp: ReadonlyArray<SmtpAddress>
  /** Null if only its hash is stored, because an earlier start created it. */
  readonly managementToken: string | null
  /** Null unless this is the first start. */
  readonly sandbox: { readonly accountId: string; readonly apiKey: string } | null
}

/** Writes the ready file for scripts and tests, atomically and readable only by its owner. A failure is a defect. */
export const writeReadyFile = Effect.fnUntraced(function* (path: string, facts: ReadyFacts) {
  const files = yield* FileSystem.FileSystem
  const partial = `${path}.${process.pid}`
  yield* files.writeFileString(partial, JSON.stringify(facts), { mode: 0o600 })
  yield* files.chmod(partial, 0o600)
  yield* files.rename(partial, path)
}, Effect.orDie)
