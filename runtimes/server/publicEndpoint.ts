/**
 * Derives the public endpoint and the mail transport of a server process from its configuration.
 *
 * @module
 */
import type { Layer } from "effect"
import { isIP } from "node:net"
import { hostname } from "node:os"
import { isPublic } from "../../adapters/webhooks/Addresses.ts"
import * as RoutedTransport from "../../adapters/smtp/smarthost/RoutedTransport.ts"
import * as Direct from "../../adapters/smtp/transport/Direct.ts"
import { LocalAddresses } from "../../adapters/smtp/transport/LocalAddresses.ts"
import * as Relay from "../../adapters/smtp/transport/Relay.ts"
import type { AddressGuard } from "../../core/ports/AddressGuard.ts"
import type { Dns } from "../../core/ports/Dns.ts"
import type { MailTransport } from "../../core/ports/MailTransport.ts"
import type { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { parseDomain } from "../../core/shared/EmailAddress.ts"
import type { Configuration } from "../config/config.ts"

/** A URL for the address on which a server listens. */
const urlOf = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** A host to which clients can connect: the loopback address if the server listens on every address. */
const reachableHost = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1"
  return host === "::" ? "::1" : host
}

/** A host name that others can resolve; null for an IP address and for `localhost`. */
const publicName = (host: string): string | null => {
  const name = parseDomain(host.replace(/\.$/, ""))
  return name === null || name === "localhost" ? null : name
}

/** The configured name of the mail host: `SVC_SMTP_HOST` if it is a name, else the host of `SVC_BASE_URL`; null for none. */
const givenMailHost = ({ baseUrl, smtpHost }: Configuration): string | null =>
  publicName(smtpHost) ?? (baseUrl === null ? null : publicName(new URL(baseUrl).hostname))

/** The configured name of the mail host, or else the machine's name. */
const mailHostOf = (configuration: Configuration): string =>
  givenMailHost(configuration) ?? publicName(hostname()) ?? "localhost"

/**
 * The warning of a start whose live mail would use a host name that others cannot resolve. It is null if a name is configured,
 * and for a trial installation, which sends no live mail.
 */
export const mailHostWarning = (configuration: Configuration): string | null => {
  const { baseUrl, inboundPort, store, transport } = configuration
  const isTrial =
    store._tag !== "Postgres" && transport._tag === "Direct" && inboundPort === null && baseUrl === null
  return isTrial || givenMailHost(configuration) !== null
    ? null
    : `Live mail leaves under this machine's own name, ${mailHostOf(configuration)}: set SVC_SMTP_HOST to a name that others can look up`
}

/** The warning of a start whose live mail goes to test servers; null for any other. */
export const testServersWarning = ({ mxLocal, mxPort }: Configuration): string | null =>
  mxLocal || mxPort !== 25
    ? `Live mail goes to port ${mxPort} of recipients' servers${mxLocal ? ", which may be on this machine" : ""}: SVC_MX_PORT and SVC_MX_LOCAL are for tests`
    : null

/** The endpoint of the process. Its base URL is the configured one, or else the address on which it listens. */
export const publicEndpointOf = (configuration: Configuration) => {
  let { baseUrl } = configuration
  let proxyTo: string | null = null
  const publicEndpoint: PublicEndpoint["Service"] = {
    baseUrl: () => baseUrl ?? urlOf(configuration.host, configuration.port),
    mailHost: mailHostOf(configuration),
    isMailHostUnknown: givenMailHost(configuration) === null,
    isRelayed: configuration.transport._tag === "Relay",
    takesReports: configuration.inboundPort !== null
  }
  return {
    publicEndpoint,
    /** Records the port on which the API is served. */
    listensOn: (port: number) => {
      proxyTo = urlOf(reachableHost(configuration.host), port)
      baseUrl ??= urlOf(configuration.host, port)
    },
    /** The address for a reverse proxy on this machine; null if the process serves no API. */
    proxyTo: () => proxyTo,
    /** Null if the process serves no API and no base URL is configured. */
    knownBaseUrl: () => baseUrl
  }
}

/**
 * The address on which the SMTP ports listen: `SVC_SMTP_HOST` if it is an address, or else every address, because a name need not
 * resolve to an address of this machine.
 */
export const smtpAddressOf = ({ smtpHost }: Configuration): string | null =>
  isIP(smtpHost) !== 0 || smtpHost === "localhost" ? smtpHost : null

/** The host at which clients reach the SMTP ports. */
export const smtpHostOf = ({ smtpHost }: Configuration): string => reachableHost(smtpHost)

/**
 * Which addresses of recipients' servers count as public. In tests with servers on this machine all do, so that their replies are
 * shown. If private networks are rejected, only their addresses do not.
 */
export const publicAddressesOf = ({
  mxLocal,
  mxPrivate
}: Pick<Configuration, "mxLocal" | "mxPrivate">): ((address: string) => boolean) => {
  if (!mxLocal) return isPublic
  const own = new LocalAddresses()
  return (address) => mxPrivate || isPublic(address) || own.has(address)
}

/** The transport for live accounts' mail. */
export const transportOf = (
  configuration: Configuration
): Layer.Layer<MailTransport, never, PublicEndpoint | Dns | AddressGuard> => {
  const { mxLocal, mxPort, mxPrivate, transport } = configuration
  const direct = Direct.layer({
    port: mxPort,
    allowLocal: mxLocal,
    isPublic: publicAddressesOf(configuration),
    allowPrivate: mxPrivate
  })
  const own = transport._tag === "Relay" ? Relay.layer({ url: transport.url }) : direct
  return RoutedTransport.layer({ direct, own })
}
