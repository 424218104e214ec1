/**
 * Derives a process's base URL, mail host and mail transport from its configuration.
 *
 * @module
 */
import type { Layer } from "effect"
import { isIP } from "node:net"
import { hostname } from "node:os"
import * as Direct from "../../adapters/smtp/transport/Direct.ts"
import * as Relay from "../../adapters/smtp/transport/Relay.ts"
import type { Dns } from "../../core/ports/Dns.ts"
import type { MailTransport } from "../../core/ports/MailTransport.ts"
import type { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { parseDomain } from "../../core/shared/EmailAddress.ts"
import type { Configuration } from "../config/config.ts"

/** A URL of the address a server listens on. */
const urlOf = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** A name that others can resolve; null for an address and for localhost. */
const publicName = (host: string): string | null => {
  const name = parseDomain(host.replace(/\.$/, ""))
  return name === null || name === "localhost" ? null : name
}

/** `SVC_SMTP_HOST` where it is a name, else the host of `SVC_BASE_URL`, else the machine's name. */
const mailHostOf = ({ baseUrl, smtpHost }: Configuration): string =>
  publicName(smtpHost) ??
  (baseUrl === null ? null : publicName(new URL(baseUrl).hostname)) ??
  publicName(hostname()) ??
  "localhost"

/**
 * The warning of a start whose live mail would be sent under a name that others may not resolve; null where the name is
 * configured, and for a trial, whose configuration has no sign of live mail.
 */
export const mailHostWarning = (configuration: Configuration): string | null => {
  const { baseUrl, inboundPort, smtpHost, store, transport } = configuration
  const isTrial =
    store._tag !== "Postgres" && transport._tag === "Direct" && inboundPort === null && baseUrl === null
  const given = publicName(smtpHost) ?? (baseUrl === null ? null : publicName(new URL(baseUrl).hostname))
  return isTrial || given !== null
    ? null
    : `Live mail leaves under this machine's own name, ${mailHostOf(configuration)}: set SVC_SMTP_HOST to a name that others can look up`
}

/** The public endpoint; the base URL is the configured one, or, once the process listens, the address it listens on. */
export const publicEndpointOf = (configuration: Configuration) => {
  let baseUrl = configuration.baseUrl
  const publicEndpoint: PublicEndpoint["Service"] = {
    baseUrl: () => baseUrl ?? urlOf(configuration.host, configuration.port),
    mailHost: mailHostOf(configuration),
    takesReports: configuration.inboundPort !== null
  }
  return {
    publicEndpoint,
    /** Sets the port that the API is served on. */
    listensOn: (port: number) => {
      baseUrl ??= urlOf(configuration.host, port)
    },
    /** Null for a process that serves no API and has none configured. */
    knownBaseUrl: () => baseUrl
  }
}

/**
 * The address the SMTP ports listen on: `SVC_SMTP_HOST` where it is an address, else every address, since others may
 * resolve the name to an address that is not this machine's own.
 */
export const smtpAddressOf = ({ smtpHost }: Configuration): string | null =>
  isIP(smtpHost) !== 0 || smtpHost === "localhost" ? smtpHost : null

/** The host by which programs reach the SMTP ports. */
export const smtpHostOf = ({ smtpHost }: Configuration): string => {
  if (smtpHost === "0.0.0.0") return "127.0.0.1"
  return smtpHost === "::" ? "::1" : smtpHost
}

/** The transport of live accounts' mail. */
export const transportOf = ({
  transport
}: Configuration): Layer.Layer<MailTransport, never, PublicEndpoint | Dns> =>
  transport._tag === "Relay" ? Relay.layer({ url: transport.url }) : Direct.layer()
