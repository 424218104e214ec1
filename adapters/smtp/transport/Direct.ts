/**
 * The MailTransport port straight to the recipients' own servers.
 *
 * Encryption is taken where it is offered, without a look at the certificate: a name that nobody vouches for is no
 * worse than no encryption, and refusing it would only turn it off (RFC 7435).
 *
 * @module
 */
import { Clock, Data, Effect, Layer } from "effect"
import { Dns } from "../../../core/ports/Dns.ts"
import { MailTransport } from "../../../core/ports/MailTransport.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import type { Outcome } from "../../../core/model/Message.ts"
import { busyUntilOf, makeSmtpSender, noConversation, type Unreachable } from "./SmtpSender.ts"
import type { Peer } from "./Connection.ts"
import { Lanes } from "./Lanes.ts"
import { type Limits, limits as defaults } from "./Limits.ts"
import { makeIsLocal } from "./LocalAddresses.ts"
import { addressesOf, destinationOf } from "./MailServers.ts"

/** How the recipients' servers are reached. */
export interface Options {
  /** The port they listen on; 25 but in tests. */
  readonly port?: number
  /**
   * Whether mail may go to this machine: to a loopback address, or one of its own. For tests only: recipients' domains
   * decide by their DNS where we connect to.
   */
  readonly allowLocal?: boolean
  readonly limits?: Limits
}

/** Small at first, as for any sender nobody knows yet; large providers take some twenty connections of one host. */
const lanes = { startWidth: 3, maxWidth: 20, idleMillis: 5000, maxUses: 100 }

/** All addresses of a destination are this machine's. */
class OnlyLocal extends Data.TaggedError("OnlyLocal")<{}> {}

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** Carries each message to the servers of its recipient's domain. */
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
      const known = new Lanes(lanes)
      yield* Effect.addFinalizer(() => Effect.sync(() => known.close()))
      const carry = makeSmtpSender(limits)
      const isLocal = allowLocal ? () => false : makeIsLocal()

      const peersOf = (hosts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Peer>, Unreachable> =>
        addressesOf(dns, hosts).pipe(
          Effect.flatMap((addresses) => {
            const others = addresses.filter(({ address }) => !isLocal(address))
            return others.length === 0 ? Effect.fail(new OnlyLocal()) : Effect.succeed(others)
          }),
          Effect.map((addresses) =>
            addresses.map(({ address, host }): Peer => ({
              host,
              address,
              port,
              tls: "offered",
              verify: false,
              credentials: null,
              name: mailHost
            }))
          ),
          Effect.mapError((error): Unreachable => {
            // As a loop is: it stays so until the records change, and the person has nothing to do with it.
            if (error._tag === "OnlyLocal")
              return {
                conversation: noConversation("mx_local"),
                refusal: { class: "Refused", retryAfter: null }
              }
            const word = error._tag === "DnsMissing" ? "mx_without_address" : `dns_${error.reason}`
            return { conversation: noConversation(word), refusal: null }
          })
        )

      return MailTransport.of({
        send: Effect.fnUntraced(function* (message, pointOfNoReturn) {
          const domain = domainOf(message.recipient)
          const destination = yield* destinationOf(dns, domain, mailHost)
          switch (destination._tag) {
            case "Nowhere":
              return { _tag: "Bounced", conversation: noConversation(destination.error) } satisfies Outcome
            case "Ourselves":
              return { _tag: "Refused", conversation: noConversation("mx_loop") } satisfies Outcome
            case "Unknown":
              return { _tag: "Deferred", conversation: noConversation(destination.error) } satisfies Outcome
            case "Hosts": {
              const lane = known.of(domain, destination.key, yield* Clock.currentTimeMillis)
              const route = { lane, peers: peersOf(destination.hosts), success: "Delivered" } as const
              return yield* carry(route, message, pointOfNoReturn)
            }
          }
        }),
        busyUntil: (domain, now, ahead) => busyUntilOf(known.known(domain), now, ahead)
      })
    })
  )
