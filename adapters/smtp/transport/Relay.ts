/**
 * Implements the MailTransport port by sending all mail to one relay: a server that accepts and forwards mail to any recipient.
 *
 * @module
 */
import { Clock, Effect, Layer, Redacted } from "effect"
import { isIP } from "node:net"
import { MailTransport, refusalOf } from "../../../core/ports/MailTransport.ts"
import { LaneShares } from "../../../core/kernel/LaneShares.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import { termsOfLevel } from "../../../core/kernel/TransportSecurity.ts"
import type { Peer } from "./Connection.ts"
import { Lane } from "./Lane.ts"
import { type Limits, limits as defaults } from "./Limits.ts"
import { type Route, sendBySmtp } from "./SmtpSender.ts"

/** The relay. */
export interface Options {
  /**
   * `smtp://[user:password@]host[:port]` (port 587) or `smtps://...` (port 465). `?pool=10` limits the connections (1 to 100).
   * `?verify=false` accepts any certificate.
   */
  readonly url: Redacted.Redacted
  readonly limits?: Limits
}

/** The name of the relay's lane. */
const relayLane = "relay"

const defaultPool = 10
const maxPool = 100
const maxUses = 100
const idleMillis = 30_000

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

/** Decodes percent-encoding. Returns a string that is not valid percent-encoding unchanged. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Parses a relay's URL. `name` is the name of this host in EHLO. */
export const parseRelay = (url: string, name: string): { readonly peer: Peer; readonly pool: number } => {
  const { hostname, password, port, protocol, searchParams, username } = new URL(url)
  const implicit = protocol === "smtps:"
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  const credentials = username === "" ? null : { user: decoded(username), pass: decoded(password) }
  // A password is sent only over an encrypted connection, to a server whose certificate is valid for its name. A connection
  // within the machine needs neither.
  const guarded = credentials !== null && !isLoopback(host)
  const verify = (guarded || implicit) && !isLoopback(host) && searchParams.get("verify") !== "false"
  const pool = Number(searchParams.get("pool") ?? defaultPool)
  return {
    peer: {
      host,
      address: host,
      port: port === "" ? (implicit ? 465 : 587) : Number(port),
      tls: implicit ? "implicit" : guarded ? "required" : "offered",
      verify,
      credentials,
      name,
      showsReplies: true
    },
    pool: Number.isInteger(pool) ? Math.min(Math.max(pool, 1), maxPool) : defaultPool
  }
}

/** Sends all mail to one relay, over connections that are kept. */
export const layer = ({
  limits = defaults,
  url
}: Options): Layer.Layer<MailTransport, never, PublicEndpoint> =>
  Layer.effect(
    MailTransport,
    Effect.gen(function* () {
      const { mailHost, takesReports } = yield* PublicEndpoint
      const { peer, pool } = parseRelay(Redacted.value(url), mailHost)
      const clock = yield* Clock.Clock
      const { share } = yield* LaneShares
      const lane = new Lane(
        { startLimit: pool, maxLimit: pool, idleMillis, maxUses, waitsForSlot: true },
        { name: relayLane, share, clock: () => clock.currentTimeMillisUnsafe() }
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => lane.close()))
      const route: Route = {
        lane,
        peers: [peer],
        slots: null,
        success: takesReports ? "Accepted" : "Sent",
        name: relayLane,
        provider: null,
        isRelay: true
      }
      // A connection within the machine needs no encryption.
      const encrypted: Route =
        peer.tls !== "offered" || isLoopback(peer.host)
          ? route
          : {
              ...route,
              peers: [
                {
                  ...peer,
                  tls: "required",
                  security: { terms: termsOfLevel("required"), key: "required", observe: () => undefined }
                }
              ]
            }
      return MailTransport.of({
        // Transactions are not parked, because the operator limits the connections to the relay, including those that wait.
        send: (message, pointOfNoReturn, _onParked, admit) =>
          Effect.suspend(() => {
            const held = refusalOf(admit?.(relayLane))
            if (held !== null) return Effect.succeed(held)
            return lane.place(message, pointOfNoReturn, (_giveBack, permission) =>
              sendBySmtp(message.requireTls === true ? encrypted : route, message, {
                limits,
                pointOfNoReturn: permission,
                park: () => null
              })
            )
          }),
        busyUntil: (_domain, now, ahead, accountId, _relay, _source, mailClass) =>
          lane.busyUntil(now, ahead, accountId, mailClass)
      })
    })
  )
