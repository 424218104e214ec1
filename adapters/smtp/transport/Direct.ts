/**
 * Implements the MailTransport port by sending directly to the recipients' mail servers.
 *
 * Encryption is used if it is offered, without checking the certificate. An invalid certificate is no worse than no encryption,
 * and rejecting it would only turn encryption off (RFC 7435). If the domain's policy, the account or the lane requires more,
 * {@link TransportSecurity} decides before the connection is opened.
 *
 * @module
 */
import { Clock, Effect, Layer, Metric } from "effect"
import { Dns } from "../../../core/ports/Dns.ts"
import { MailTransport } from "../../../core/ports/MailTransport.ts"
import { LaneShares, type SiteNames } from "../../../core/kernel/LaneShares.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import { type DomainTerms, termsOfLevel, TransportSecurity } from "../../../core/kernel/TransportSecurity.ts"
import type { Outcome } from "../../../core/model/Message.ts"
import { familyOf, laneFrom, type SendingSource } from "../../../core/model/Source.ts"
import type { TlsLevel } from "../../../core/model/TlsTerms.ts"
import type { Peer, PeerSecurity } from "./Connection.ts"
import type { LaneRules } from "../../../core/model/Lane.ts"
import { KnownProviders, laneOf, type Provider } from "../../../core/sending/shaping/Providers.ts"
import { Sites } from "../../../core/sending/shaping/Sites.ts"
import { Counter } from "../../../core/shared/Counter.ts"
import { AddressSlots, siteOf } from "./AddressSlots.ts"
import { fullWait, type LaneOptions } from "./Lane.ts"
import { Lanes } from "./Lanes.ts"
import { type Limits, limits as defaults, limitsOf, shortened } from "./Limits.ts"
import { LocalAddresses } from "./LocalAddresses.ts"
import { addressesOf, destinationOf, keptDns } from "./MailServers.ts"
import { Parking } from "./Parking.ts"
import { domainOfAddress, type Route, sendBySmtp } from "./SmtpSender.ts"
import { noConversation } from "./TransactionResult.ts"

/** How recipients' servers are reached. */
export interface Options {
  /** The port on which they listen: 25 except in tests. */
  readonly port?: number
  /**
   * Whether mail may go to this machine: to a loopback address, or one of its own. For tests only, because the DNS records of
   * recipients' domains determine the hosts to which the transport connects.
   */
  readonly allowLocal?: boolean
  /**
   * Whether an address is public. By default all are. If a server's address is not public, attempts show only the codes of its
   * replies. Otherwise a company could read from servers in a private network, just by naming a recipient.
   */
  readonly isPublic?: (address: string) => boolean
  /** Whether mail may go to servers whose addresses are not public. By default it may. */
  readonly allowPrivate?: boolean
  readonly limits?: Limits
  /** The encryption that every destination must have. The default is `offered`. */
  readonly tls?: TlsLevel
  /** Certificates that are trusted instead of the platform's, in PEM. For tests. */
  readonly ca?: string
}

/** The maximum number of an account's messages in progress on lanes that are not proven to accept mail. */
export const maxUnproven = 50
/** The maximum number of an account's messages whose servers are being looked up. */
const maxLookUps = 50
/** How often places are measured, in milliseconds. */
const measureMillis = 5_000
/** If more messages than this are in progress, 80 % of the process's maximum, the shorter time limits apply to all servers. */
const patientInProcess = 400

/** For a lane whose servers accepted no message within a day: the concurrency limit, and the messages per second. */
const unprovenLimit = 2
const unprovenPerSecond = 5

const laneOptions = (provider: Provider | null, rules: LaneRules): LaneOptions => ({
  startLimit: rules.startWidth,
  ...(provider === null ? { unprovenLimit } : {}),
  maxLimit: rules.maxWidth,
  idleMillis: 1000 * rules.idleSeconds,
  maxUses: rules.messagesPerConnection,
  messagesPerSecond: rules.messagesPerSecond,
  unprovenPerSecond,
  connectionsPerMinute: rules.connectionsPerMinute
})

/** The encryption that a message requires. */
interface Asked {
  readonly accountId: string
  readonly level: TlsLevel
  readonly ignoresPolicy: boolean
}

const levels: ReadonlyArray<TlsLevel> = ["offered", "required", "verified"]

const stricter = (one: TlsLevel, other: TlsLevel): TlsLevel =>
  levels.indexOf(one) < levels.indexOf(other) ? other : one

/** The servers to which a source can connect: those of the same address family. */
const peersFrom = ({ address, name }: SendingSource, peers: ReadonlyArray<Peer>): ReadonlyArray<Peer> =>
  peers.flatMap((peer) =>
    familyOf(peer.address) === familyOf(address)
      ? [{ ...peer, localAddress: address, name: name ?? peer.name }]
      : []
  )

const failed = (error: string): Effect.Effect<never, Outcome> =>
  Effect.fail({ _tag: "Deferred", conversation: noConversation(error) })

const places = Metric.gauge("svc_shaping_places", {
  description: "Places that this process has taken of each bound; of accounts those of the one that has most"
})

/** Sends each message to the mail servers of its recipient's domain. */
export const layer = ({
  allowLocal = false,
  allowPrivate = true,
  ca,
  isPublic = () => true,
  limits = defaults,
  port = 25,
  tls = "offered"
}: Options = {}): Layer.Layer<MailTransport, never, PublicEndpoint | Dns> =>
  Layer.effect(
    MailTransport,
    Effect.gen(function* () {
      const { mailHost } = yield* PublicEndpoint
      const dns = yield* keptDns(yield* Dns)
      const security = yield* TransportSecurity
      const clock = yield* Clock.Clock
      const { memory, share } = yield* LaneShares
      const table = yield* KnownProviders
      const lanes = new Lanes({ share, clock: () => clock.currentTimeMillisUnsafe() })
      yield* Effect.addFinalizer(() => Effect.sync(() => lanes.close()))
      const sites: SiteNames = memory?.sites ?? new Sites()
      const slots = new AddressSlots(share, () => clock.currentTimeMillisUnsafe())
      const parking = new Parking()
      const lookUps = new Counter()
      const unproven = new Counter()
      const inProgress = new Counter()
      const queues = new AccountQueues()
      const local = allowLocal ? null : new LocalAddresses()
      const measure = Effect.forEach(
        [
          ["process", () => inProgress.total],
          ["account", () => inProgress.highest],
          ["lane", () => lanes.connections],
          ["address", () => slots.total]
        ] as const,
        ([bound, count]) =>
          Effect.suspend(() => Metric.update(Metric.withAttributes(places, { bound }), count())),
        { discard: true }
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(measure, Effect.sleep(measureMillis))))

      /** Determines where a domain's mail is sent. Fails with the outcome of a message that cannot be sent. */
      const resolve = Effect.fnUntraced(function* (
        domain: string,
        { accountId, ignoresPolicy, level: asked }: Asked
      ) {
        const destination = yield* destinationOf(dns, domain, mailHost)
        switch (destination._tag) {
          case "Nowhere":
            return yield* Effect.fail<Outcome>({
              _tag: "Bounced",
              conversation: noConversation(destination.error)
            })
          case "Ourselves":
            return yield* Effect.fail<Outcome>({ _tag: "Refused", conversation: noConversation("mx_loop") })
          case "Unknown":
            return yield* failed(destination.error)
          case "Hosts": {
            const found = yield* Effect.catchTags(addressesOf(dns, destination.hosts), {
              DnsMissing: () => failed("mx_without_address"),
              DnsUnavailable: ({ reason }) => failed(`dns_${reason}`)
            })
            const remote = found.filter(({ address }) => local?.has(address) !== true)
            const usable = remote.filter(({ address }) => allowPrivate || isPublic(address))
            if (usable.length === 0)
              // Refused, as for a mail loop. A retry cannot help until the records change, but the address is valid.
              return yield* Effect.fail<Outcome>({
                _tag: "Refused",
                conversation: noConversation(remote.length === 0 ? "mx_local" : "mx_private")
              })
            const best = usable.filter(({ host }) => destination.best.has(host))
            const provider = table.of([...destination.best])
            const now = yield* Clock.currentTimeMillis
            const addresses = (best.length > 0 ? best : usable).map(({ address }) => address)
            const site = sites.nameOf(siteOf(addresses), now)
            const name = laneOf(provider, site)
            const rules = table.rules(provider, memory?.overrideOf(name, now) ?? null)
            const learned = memory?.isEncrypted(name, now) === true ? "required" : "offered"
            const hosts = [...new Set(usable.map(({ host }) => host))]
            const level = stricter(asked, stricter(rules.tls, learned))
            const terms: DomainTerms = ignoresPolicy
              ? { _tag: "Hosts", of: () => termsOfLevel(level) }
              : yield* security.terms({ accountId, domain, hosts, level })
            if (terms._tag === "Busy")
              return yield* Effect.fail<Outcome>({
                _tag: "Busy",
                at: (yield* Clock.currentTimeMillis) + terms.waitMillis
              })
            const allowed = usable.filter(({ host }) => terms.of(host).refusal === null)
            // Neither to another host nor in plaintext (RFC 8461, 5).
            if (allowed.length === 0) return yield* failed(terms.of(usable[0]!.host).refusal!)
            const peers = allowed.map(({ address, host }): Peer => ({
              host,
              address,
              port,
              ...securityOf(terms, domain, host, ignoresPolicy),
              verify: false,
              credentials: null,
              name: mailHost,
              showsReplies: isPublic(address)
            }))
            return { peers, name, site, provider, rules }
          }
        }
      })

      const securityOf = (
        terms: DomainTerms & { readonly _tag: "Hosts" },
        domain: string,
        host: string,
        ignoresPolicy: boolean
      ) => {
        const of = terms.of(host)
        const { certificate, errors, isRequired, isTesting } = of
        const hasPolicy = isRequired || of.policy !== "no-policy-found"
        const asked: PeerSecurity = {
          terms: of,
          // Without terms, nothing is required of a connection, whichever domain it serves.
          key: hasPolicy ? JSON.stringify([isRequired, isTesting, certificate, errors]) : "",
          ca,
          // Connections that transmit reports are not reported, because each report would cause the next.
          observe: ignoresPolicy
            ? () => undefined
            : (result, from) => {
                const source = isPublic(from) ? from : ""
                security.observe({ domain, host, source, policy: of.policy, result })
              }
        }
        return { tls: isRequired ? "required" : "offered", security: asked } as const
      }

      const lookUp = (domain: string, asked: Asked, now: number) =>
        Effect.suspend(() =>
          lookUps.count(asked.accountId) >= maxLookUps
            ? Effect.fail<Outcome>({ _tag: "Busy", at: queues.next(asked.accountId, now) })
            : Effect.ensuring(resolve(domain, asked), Effect.sync(lookUps.add(asked.accountId)))
        )

      return MailTransport.of({
        send: Effect.fnUntraced(
          function* (message, pointOfNoReturn, onParked, admit) {
            const { accountId, raw, recipient } = message
            const domain = domainOfAddress(recipient)
            const level = message.requireTls === true && tls === "offered" ? "required" : tls
            const asked = { accountId, level, ignoresPolicy: message.ignoresTlsPolicy === true }
            const found = yield* lookUp(domain, asked, yield* Clock.currentTimeMillis)
            const now = yield* Clock.currentTimeMillis
            const { provider, rules, site } = found
            const admitted =
              admit?.(found.name, new Set(found.peers.map(({ address }) => familyOf(address)))) ?? null
            if (admitted !== null && admitted._tag !== "From") return admitted
            const source = admitted?.source ?? null
            const name = laneFrom(found.name, source)
            const peers = source === null ? found.peers : peersFrom(source, found.peers)
            const lane = lanes.laneTo(domain, found.name, source, laneOptions(provider, rules), now)
            const isProven = lane.isProven(now)
            if (!isProven && unproven.count(accountId) >= maxUnproven)
              return { _tag: "Busy", at: queues.next(accountId, now) } satisfies Outcome
            const counted = isProven ? [] : [unproven.add(accountId)]
            const giveBack = () => {
              for (const give of counted) give()
            }
            const ofProvider = limitsOf(limits, rules.timeouts)
            const isPatient = isProven && inProgress.total <= patientInProcess
            const route: Route = {
              lane,
              peers,
              slots,
              success: "Delivered",
              name,
              provider: provider?.key ?? null,
              isRelay: false
            }
            // In the same statement as the place in the lane.
            for (const { address } of peers.slice(0, 1)) counted.push(slots.expect(address))
            const inSlot = lane.place(message, pointOfNoReturn, (giveSlotBack, permission) => {
              counted.push(inProgress.add(accountId), giveSlotBack)
              return sendBySmtp(route, message, {
                limits: isPatient ? ofProvider : shortened(ofProvider),
                pointOfNoReturn: permission,
                park: (abandon) => {
                  const parked = { accountId, site, bytes: raw.length, abandon }
                  if (!parking.enter(parked)) return null
                  giveBack()
                  onParked?.()
                  return () => parking.leave(parked)
                }
              })
            })
            return yield* Effect.ensuring(inSlot, Effect.sync(giveBack))
          },
          Effect.catch((outcome: Outcome) => Effect.succeed(outcome))
        ),
        busyUntil: (domain, now, ahead, accountId, _relay, source = null, mailClass) => {
          const lane = lanes.lastLaneOf(domain, source)
          if (lane === null) return null
          const until = lane.busyUntil(now, ahead, accountId, mailClass)
          if (until !== null || lane.isProven(now) || unproven.count(accountId) < maxUnproven) return until
          return queues.next(accountId, now)
        }
      })
    })
  )

/** The interval between an account's messages that found no slot and are tried again, in milliseconds. */
const queueInterval = 20
/** The longest wait of such a message, in milliseconds. */
const longestQueue = 60_000
const maxQueues = 10_000

/**
 * Determines when messages that wait for slots of unproven lanes are tried again. Those of an account are tried one after
 * another, so that a long backlog is not tried all at once.
 */
class AccountQueues {
  /** When the last message of each account is tried again, in epoch milliseconds, with the oldest entry first. */
  readonly #last = new Map<string, number>()

  next(accountId: string, now: number): number {
    const soonest = Math.max(now + fullWait, (this.#last.get(accountId) ?? 0) + queueInterval)
    const at = Math.min(soonest, now + longestQueue)
    this.#last.delete(accountId)
    this.#last.set(accountId, at)
    if (this.#last.size > maxQueues) this.#last.delete(this.#last.keys().next().value!)
    return at
  }
}
