/**
 * The MailTransport port that sends directly to the recipients' mail servers.
 *
 * Encryption is used where it is offered, without checking the certificate: a certificate that is not valid is no worse
 * than no encryption, and rejecting it would only turn encryption off (RFC 7435).
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { Dns } from "../../../core/ports/Dns.ts"
import { MailTransport } from "../../../core/ports/MailTransport.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import type { Outcome } from "../../../core/model/Message.ts"
import type { Peer } from "./Connection.ts"
import { Lanes } from "./Lanes.ts"
import { type Limits, limits as defaults } from "./Limits.ts"
import { LocalAddresses } from "./LocalAddresses.ts"
import { addressesOf, destinationOf } from "./MailServers.ts"
import { makeSmtpSender } from "./SmtpSender.ts"
import { noConversation } from "./TransactionResult.ts"

/** How recipients' servers are reached. */
export interface Options {
  /** The port they listen on; 25 except in tests. */
  readonly port?: number
  /**
   * Whether mail may go to this machine: to a loopback address, or one of its own. For tests only: the DNS of
   * recipients' domains decides where the transport connects to.
   */
  readonly allowLocal?: boolean
  readonly limits?: Limits
}

/** Small at first, as for any new sender; large providers accept some twenty connections from one host. */
const laneOptions = { startLimit: 3, maxLimit: 20, idleMillis: 5000, maxUses: 100 }

const domainOfAddress = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** Sends each message to the servers of its recipient's domain. */
export const layer = ({ allowLocal = false, limits = defaults, port = 25 }: Options = {}): Layer.Layer<
  MailTransport,
  never,
  PublicEndpoint | Dns
> =>
  Layer.effect(
    MailTransport,
    Effect.gen(function* () {
      const { mailHost } = yield* PublicEndpoint
      const dns = yield* Dns
      const lanes = new Lanes(laneOptions)
      yield* Effect.addFinalizer(() => Effect.sync(() => lanes.close()))
      const send = makeSmtpSender(limits)
      const local = allowLocal ? null : new LocalAddresses()

      /** The servers of hosts; fails with the outcome of a message that can be sent to none of them. */
      const peersOf = Effect.fnUntraced(
        function* (hosts: ReadonlyArray<string>) {
          const found = yield* addressesOf(dns, hosts)
          const addresses = found.filter(({ address }) => local?.has(address) !== true)
          if (addresses.length === 0)
            // Refused, as for a mail loop: a retry cannot help until the records change, and the address is valid.
            return yield* Effect.fail<Outcome>({
              _tag: "Refused",
              conversation: noConversation("mx_local")
            })
          return addresses.map(({ address, host }): Peer => ({
            host,
            address,
            port,
            tls: "offered",
            verify: false,
            credentials: null,
            name: mailHost
          }))
        },
        Effect.mapError((error): Outcome => {
          switch (error._tag) {
            case "DnsMissing":
              return { _tag: "Deferred", conversation: noConversation("mx_without_address") }
            case "DnsUnavailable":
              return { _tag: "Deferred", conversation: noConversation(`dns_${error.reason}`) }
            default:
              return error
          }
        })
      )

      return MailTransport.of({
        send: Effect.fnUntraced(function* (message, pointOfNoReturn) {
          const domain = domainOfAddress(message.recipient)
          const destination = yield* destinationOf(dns, domain, mailHost)
          switch (destination._tag) {
            case "Nowhere":
              return { _tag: "Bounced", conversation: noConversation(destination.error) } satisfies Outcome
            case "Ourselves":
              return { _tag: "Refused", conversation: noConversation("mx_loop") } satisfies Outcome
            case "Unknown":
              return { _tag: "Deferred", conversation: noConversation(destination.error) } satisfies Outcome
            case "Hosts": {
              const lane = lanes.laneTo(domain, destination.key, yield* Clock.currentTimeMillis)
              const route = { lane, peers: peersOf(destination.hosts), success: "Delivered" } as const
              return yield* lane.place(send(route, message, pointOfNoReturn))
            }
          }
        }),
        busyUntil: (domain, now, ahead) => lanes.lastLaneOf(domain)?.busyUntil(now, ahead) ?? null
      })
    })
  )
