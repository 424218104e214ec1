/**
 * Implements the MailTransport port with the ways that an account chose. Each message is sent by the first way that works, in
 * the account's order, or by the installation's own transport if the account chose none. A way is a relay, or the
 * recipients' servers.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import { LaneShares } from "../../../core/kernel/LaneShares.ts"
import { RelayObserver } from "../../../core/sending/relays/RelayObserver.ts"
import {
  type OutboundMessage,
  type Outcome,
  relayLaneOf,
  type RelayRoute
} from "../../../core/model/Message.ts"
import type { RelayCondition } from "../../../core/model/MailRelay.ts"
import { AddressGuard } from "../../../core/ports/AddressGuard.ts"
import type { Dns } from "../../../core/ports/Dns.ts"
import { type Admit, MailTransport, refusalOf } from "../../../core/ports/MailTransport.ts"
import { termsOfLevel } from "../../../core/kernel/TransportSecurity.ts"
import { type Limits, limits as defaults } from "../transport/Limits.ts"
import { type Route, sendBySmtp } from "../transport/SmtpSender.ts"
import { type Consequence, noConversation } from "../transport/TransactionResult.ts"
import { failureOf, RelayWay, wordsOf } from "./RelayWay.ts"
import { relayPeers } from "./RelayPeer.ts"

/** The maximum number of relays whose connections are kept. Beyond that, the least recently used one is closed. */
const maxWays = 1_000

/** The transports of messages that use no relay of an account. */
export interface RoutedOptions {
  /** For accounts that chose no way. */
  readonly own: Layer.Layer<MailTransport, never, PublicEndpoint | Dns>
  /** Sends directly to the recipients' servers. */
  readonly direct: Layer.Layer<MailTransport, never, PublicEndpoint | Dns>
  readonly limits?: Limits
}

const encoder = new TextEncoder()

/** A message, preceded by the headers for the relay. No signature covers them. */
const withHeaders = (message: OutboundMessage, { headers }: RelayRoute): OutboundMessage => {
  if (headers.length === 0) return message
  const added = encoder.encode(headers.map(({ name, value }) => `${name}: ${value}\r\n`).join(""))
  const raw = new Uint8Array(added.length + message.raw.length)
  raw.set(added)
  raw.set(message.raw, added.length)
  return { ...message, raw }
}

/** The outcome of a way, and whether the next way should be tried. */
interface Sent {
  readonly outcome: Outcome
  readonly isLeft: boolean
}

/** The outcome of a message that no way took: the earliest time of those that must wait, or else the first outcome. */
const outcomeOf = (left: ReadonlyArray<Outcome>, now: number): Outcome => {
  const waits = left.filter((outcome) => outcome._tag === "Busy")
  const tried = left.find((outcome) => outcome._tag !== "Busy")
  if (tried !== undefined) return tried
  const [first, ...others] = waits
  return first === undefined
    ? { _tag: "Busy", at: now + 10_000 }
    : others.reduce((one, other) => (other.at < one.at ? other : one), first)
}

/** The transport, implemented with the two others. */
export const layer = ({
  direct,
  limits = defaults,
  own
}: RoutedOptions): Layer.Layer<MailTransport, never, PublicEndpoint | Dns | AddressGuard> =>
  Layer.effect(
    MailTransport,
    Effect.gen(function* () {
      const byDefault = Context.get(yield* Layer.build(own), MailTransport)
      const toServers = direct === own ? byDefault : Context.get(yield* Layer.build(direct), MailTransport)
      const guard = yield* AddressGuard
      const observe = yield* RelayObserver
      const clock = yield* Clock.Clock
      const { share } = yield* LaneShares
      const { mailHost } = yield* PublicEndpoint
      const ways = new Map<string, RelayWay>()
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const { lane } of ways.values()) lane.close()
        })
      )

      const wayOf = (route: RelayRoute): RelayWay => {
        const { credentials, host, id, isGuarded, port, tls, verify } = route
        const key = JSON.stringify([credentials, host, isGuarded, port, tls, verify])
        const found = ways.get(id)
        const isUnchanged = found?.key === key
        const way = isUnchanged
          ? found
          : new RelayWay(route, key, share, () => clock.currentTimeMillisUnsafe())
        if (isUnchanged) way.adopt(route)
        else found?.lane.close()
        ways.delete(id)
        ways.set(id, way)
        if (ways.size > maxWays) {
          const [oldest, unused] = ways.entries().next().value!
          unused.lane.close()
          ways.delete(oldest)
        }
        return way
      }

      const told = (id: string, condition: RelayCondition | null): Effect.Effect<void> =>
        condition === null ? Effect.void : observe(id, condition)

      /** Sends through a relay. */
      const sendByRelay = Effect.fnUntraced(function* (
        route: RelayRoute,
        message: OutboundMessage,
        permission: Effect.Effect<boolean>,
        admit: Admit | undefined
      ): Effect.fn.Return<Sent> {
        const now = yield* Clock.currentTimeMillis
        const name = relayLaneOf(route.id)
        const way = wayOf(route)
        const held = refusalOf(admit?.(name))
        if (held !== null) return { outcome: held, isLeft: true }
        const paused = (message.routes?.length ?? 0) > 1 ? way.pausedUntil(now) : null
        if (paused !== null) return { outcome: { _tag: "Busy", at: paused }, isLeft: true }
        const known = way.peers(now)
        const peers = yield* Effect.result(
          known === null ? relayPeers(guard, route, mailHost) : Effect.succeed(known)
        )
        if (Result.isFailure(peers)) {
          const { reason } = peers.failure
          yield* told(route.id, way.fails("relays.unreachable", reason, now))
          return {
            outcome: { _tag: "Deferred", conversation: noConversation(reason), lane: name },
            isLeft: true
          }
        }
        if (known === null) way.lookedUp(peers.success, now)
        const isEncrypted = message.requireTls === true
        const to: Route = {
          lane: way.lane,
          peers: peers.success.map((peer) =>
            isEncrypted && peer.tls === "offered"
              ? {
                  ...peer,
                  tls: "required",
                  security: { terms: termsOfLevel("required"), key: "required", observe: () => undefined }
                }
              : peer
          ),
          slots: null,
          success: route.success,
          name,
          provider: null,
          isRelay: true
        }
        const seen: Array<Consequence> = []
        const outcome = yield* way.lane.place(message, permission, (_giveBack, given) =>
          Effect.map(
            sendBySmtp(to, withHeaders(message, route), {
              limits,
              pointOfNoReturn: given,
              park: () => null
            }),
            (consequence) => {
              seen.push(consequence)
              return consequence
            }
          )
        )
        const [result] = seen
        if (result === undefined) {
          // If the lane's connections fail, it is suspended, and the next way is tried. A full lane takes the message later.
          return { outcome, isLeft: way.lane.suspendedUntil(yield* Clock.currentTimeMillis) !== null }
        }
        const failure = failureOf(outcome, result.feedback, name)
        if (failure === null) {
          if (outcome._tag !== "Busy" && outcome._tag !== "Withdrawn") yield* told(route.id, way.works())
          return { outcome, isLeft: false }
        }
        yield* told(route.id, way.fails(failure, wordsOf(outcome), yield* Clock.currentTimeMillis))
        // The relay was not reached, or rejected the message with a reply. Without a reply the outcome would be Unknown.
        return { outcome, isLeft: true }
      })

      return MailTransport.of({
        send: Effect.fnUntraced(function* (message, pointOfNoReturn, onParked, admit) {
          const { routes } = message
          if (routes === undefined) {
            return yield* byDefault.send(message, pointOfNoReturn, onParked, admit)
          }
          // A relay may reject the account after the last byte. The next way then uses the permission granted before.
          let isGranted = false
          const permission = Effect.suspend(() =>
            isGranted
              ? Effect.succeed(true)
              : Effect.tap(pointOfNoReturn, (granted) =>
                  Effect.sync(() => {
                    isGranted = granted
                  })
                )
          )
          const left: Array<Outcome> = []
          for (const route of routes) {
            if (route._tag === "Direct") return yield* toServers.send(message, permission, onParked, admit)
            const { isLeft, outcome } = yield* sendByRelay(route, message, permission, admit)
            if (!isLeft) return outcome
            left.push(outcome)
          }
          return outcomeOf(left, yield* Clock.currentTimeMillis)
        }),
        busyUntil: (domain, now, ahead, accountId, relay, source, mailClass) =>
          relay === undefined
            ? byDefault.busyUntil(domain, now, ahead, accountId, relay, source, mailClass)
            : (ways.get(relay)?.busyUntil(now, ahead, accountId, mailClass) ?? null)
      })
    })
  )
