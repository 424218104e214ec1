/**
 * Checks the certificate of the SMTP ports, and whether mail can be sent.
 *
 * @module
 */
import { Effect, Redacted } from "effect"
import { X509Certificate, createPrivateKey } from "node:crypto"
import { readFile } from "node:fs/promises"
import { connect } from "node:net"
import { open } from "../../../adapters/smtp/transport/Connection.ts"
import { parseRelay } from "../../../adapters/smtp/transport/Relay.ts"
import { Dns } from "../../../core/ports/Dns.ts"
import type { Configuration } from "../../config/config.ts"
import { publicEndpointOf } from "../../server/publicEndpoint.ts"
import { codeOf, oneLine } from "../output.ts"
import { fail, type Finding, ok, warn } from "./Finding.ts"

const dayMillis = 86_400_000

/** With this number of days left, a certificate should already have been renewed. */
const renewalDays = 14

/** Checks the certificate of `SVC_TLS_CERT`: whether it is valid, has its key, and names the mail host, and until when. */
export const checkCertificate = async (configured: Configuration, now: number): Promise<Finding | null> => {
  const { inboundPort, roles, smtpPorts, tls } = configured
  const check = "TLS certificate"
  if (!roles.has("smtp") || (smtpPorts.length === 0 && inboundPort === null)) return null
  if (tls === null) {
    return warn(
      check,
      "not set, so the SMTP ports use a self-signed certificate",
      "Set SVC_TLS_CERT and SVC_TLS_KEY, so that SMTP clients can verify the server"
    )
  }
  const { mailHost } = publicEndpointOf(configured).publicEndpoint
  try {
    const [cert, key] = await Promise.all([readFile(tls.cert, "utf8"), readFile(tls.key, "utf8")])
    const parsed = new X509Certificate(cert)
    if (!parsed.checkPrivateKey(createPrivateKey(key))) {
      return fail(
        check,
        "SVC_TLS_KEY is not the private key of the certificate",
        "Set the private key of the certificate"
      )
    }
    const days = Math.floor((Date.parse(parsed.validTo) - now) / dayMillis)
    const until = new Date(parsed.validTo).toISOString().slice(0, 10)
    const renew = "Renew it, then send the server SIGHUP"
    if (Date.parse(parsed.validFrom) > now) return fail(check, `valid only from ${parsed.validFrom}`, renew)
    if (days < 0) return fail(check, `expired on ${until}`, renew)
    if (parsed.checkHost(mailHost) === undefined) {
      return warn(
        check,
        `it is not valid for ${mailHost}`,
        `Get a certificate for ${mailHost}, or set SVC_SMTP_HOST to the name in the certificate`
      )
    }
    const left = `valid for ${mailHost} until ${until}, ${days} days left`
    return days < renewalDays ? warn(check, left, renew) : ok(check, left)
  } catch {
    return fail(
      check,
      "SVC_TLS_CERT and SVC_TLS_KEY are not a certificate and its private key in PEM format",
      "Set the paths of the PEM files"
    )
  }
}

/** Checks the relay of `SVC_SMTP_URL`: greeting, EHLO, encryption and login. Nothing is sent. */
const checkRelay = Effect.fnUntraced(function* (url: string, mailHost: string) {
  const check = "mail relay"
  const { peer } = parseRelay(url, mailHost)
  const where = `${peer.host}:${peer.port}`
  const opened = yield* Effect.result(open(peer))
  if (opened._tag === "Success") {
    const connection = opened.success
    connection.quit()
    const tls = connection.tls()
    const login = peer.credentials === null ? "no login" : "login accepted"
    return tls === null
      ? warn(
          check,
          `${where} responds without encryption, ${login}`,
          "Use a relay that offers STARTTLS, or smtps://"
        )
      : ok(check, `${where} responds, ${tls}, ${login}`)
  }
  const { conversation, reply, stage, tlsFailed } = opened.failure
  const said = reply === null ? (conversation.error ?? "no answer") : oneLine(`${reply.code} ${reply.text}`)
  const fix =
    stage === "Auth"
      ? "Check the user and password in SVC_SMTP_URL"
      : tlsFailed
        ? "The certificate of the relay is not valid for this host name. Use the host name in the certificate, or ?verify=false"
        : "Check the host and port in SVC_SMTP_URL, and that no firewall blocks the connection"
  return fail(check, `${where} failed at ${stage}: ${said}`, fix)
})

const reachMillis = 8000

/** Null if the port answers; otherwise a word that says why it does not. */
const reach = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (why: string | null) => {
      socket.destroy()
      resolve(why)
    }
    socket.setTimeout(reachMillis, () => end("timeout"))
    socket.once("connect", () => end(null))
    socket.once("error", (error) => end(codeOf(error)))
  })

/** Checks whether port 25 of a domain's mail servers can be reached from here. */
const checkOutbound = Effect.fnUntraced(function* (probe: string) {
  const check = "port 25 outbound"
  const dns = yield* Dns
  const server = yield* Effect.result(
    Effect.gen(function* () {
      const [first] = yield* dns.mx(probe)
      const [address] = yield* dns.addresses(first?.exchange ?? probe)
      return { name: first?.exchange ?? probe, address: address ?? probe }
    })
  )
  if (server._tag === "Failure") {
    return warn(
      check,
      `not tested, because the mail servers of ${probe} could not be looked up`,
      "Check SVC_DNS_SERVERS, or pass another --probe"
    )
  }
  const { address, name } = server.success
  const why = yield* Effect.promise(() => reach(address, 25))
  return why === null
    ? ok(check, `${name} can be reached`)
    : fail(
        check,
        `${name} cannot be reached: ${why}`,
        "Ask your provider to open port 25 for this machine, or send through a relay (SVC_SMTP_URL)"
      )
})

/**
 * Checks whether mail of live accounts can be sent.
 *
 * @param probe a domain whose mail servers are tried on port 25, if mail is sent directly
 */
export const checkTransport = (configured: Configuration, probe: string) => {
  const { transport } = configured
  const { mailHost } = publicEndpointOf(configured).publicEndpoint
  return transport._tag === "Relay"
    ? checkRelay(Redacted.value(transport.url), mailHost)
    : checkOutbound(probe)
}
