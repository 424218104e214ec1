/**
 * Where a server process is reached, and how its mail leaves, as its configuration says.
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

/** A name that others can find a host by; null for an address, and for the name every machine has for itself. */
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
 * What a start says where live mail would leave under a name that the world does not know; null where the name is
 * given, and for a trial, which has no sign of mail to anybody.
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

/** Where the process is reached; the base URL is the one it was told, or, once it listens, the address it listens on. */
export const publicEndpointOf = (configuration: Configuration) => {
  let baseUrl = configuration.baseUrl
  const publicEndpoint: PublicEndpoint["Service"] = {
    baseUrl: () => baseUrl ?? urlOf(configuration.host, configuration.port),
    mailHost: mailHostOf(configuration),
    takesReports: configuration.inboundPort !== null
  }
  return {
    publicEndpoint,
    /** Says that the API is served on a port. */
    listensOn: (port: number) => {
      baseUrl ??= urlOf(configuration.host, port)
    },
    /** Null for a process that serves no API and was told of none. */
    knownBaseUrl: () => baseUrl
  }
}

/**
 * What the SMTP ports listen on: `SVC_SMTP_HOST` where it is an address, else every address, for the name is how the
 * world finds this machine and need not be one of its own.
 */
export const smtpAddressOf = ({ smtpHost }: Configuration): string | null =>
  isIP(smtpHost) !== 0 || smtpHost === "localhost" ? smtpHost : null

/** How a program on this machine or elsewhere reaches the SMTP ports. */
export const smtpHostOf = ({ smtpHost }: Configuration): string => {
  if (smtpHost === "0.0.0.0") return "127.0.0.1"
  return smtpHost === "::" ? "::1" : smtpHost
}

/** How mail of live accounts leaves. */
export const transportOf = ({
  transport
}: Configuration): Layer.Layer<MailTransport, never, PublicEndpoint | Dns> =>
  transport._tag === "Relay" ? Relay.layer({ url: transport.url }) : Direct.layer()
