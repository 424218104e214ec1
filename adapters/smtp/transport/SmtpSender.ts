/**
 * Sends a message to the first of a destination's servers that accepts a connection. An idle connection is used if there is one.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { OutboundMessage } from "../../../core/model/Message.ts"
import { closesService, type SmtpReply, type SmtpStage } from "../../../core/sending/shaping/SmtpReply.ts"
import type { AddressSlots } from "./AddressSlots.ts"
import { type Connection, open, type Peer } from "./Connection.ts"
import { fullWait, type Lane } from "./Lane.ts"
import type { TransactionTerms } from "./MailTransaction.ts"
import {
  type Consequence,
  consequenceOf,
  noConversation,
  type TransactionResult
} from "./TransactionResult.ts"

/** The domain of an address. */
export const domainOfAddress = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** The destination of a message, and how it is reached. */
export interface Route {
  /** The lane, whose idle connections are used. */
  readonly lane: Lane
  /** The servers, in the order in which they are tried. */
  readonly peers: ReadonlyArray<Peer>
  /** Limits the connections to an address; null for no limit. */
  readonly slots: AddressSlots | null
  /** The outcome of a message that a server accepted. */
  readonly success: "Delivered" | "Accepted" | "Sent"
  /** The lane's name. */
  readonly name: string
  /** The key of the provider to which the servers belong; null if the table has none. */
  readonly provider: string | null
  /** Whether the server is a relay that accepts all mail. */
  readonly isRelay: boolean
}

/** Whether the transaction was lost before anything was decided, so that another server can be tried. */
const isUndecided = (result: TransactionResult): boolean =>
  result._tag === "Lost" && result.progress === "none"

/** Whether an idle connection was closed in the meantime, or may carry no more messages. A new connection then decides. */
const isStale = (result: TransactionResult): boolean =>
  isUndecided(result) ||
  (result._tag === "Rejected" &&
    (closesService(result.reply) ? result.stage !== "Message" : isFull(result.reply)))

/** RFC 3463, 3.6: too many recipients. Servers that count the messages of a connection also send this reply. */
const isFull = ({ code, status }: SmtpReply): boolean => code < 500 && status === "4.5.3"

/** Opens a connection; null if there is no place for it. */
const openTo = (peer: Peer, { lane, slots }: Route, { limits }: TransactionTerms) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const place = yield* lane.openPlace
      if (place === null) return null
      const slot = slots === null ? null : yield* slots.open(peer.address)
      if (slots !== null && slot === null) {
        place.release()
        return null
      }
      let isBegun = false
      const opening = Effect.suspend(() => {
        isBegun = true
        return open(peer, limits, slot, place)
      })
      return yield* Effect.onInterrupt(restore(opening), () =>
        Effect.sync(() => {
          if (isBegun) return
          slot?.release()
          place.release()
        })
      )
    })
  )

/** The terms of a transaction on a connection. While it is parked, the connection has no place in its lane. */
const termsOn = (connection: Connection, terms: TransactionTerms): TransactionTerms => ({
  ...terms,
  park: (abandon) => {
    const leave = terms.park(abandon)
    if (leave !== null) connection.place?.release()
    return leave
  }
})

/** As `openTo`, but without encryption if the server's encryption is broken and not required. */
const openPlainly = (peer: Peer, route: Route, terms: TransactionTerms) =>
  Effect.catch(openTo(peer, route, terms), (error) =>
    error.tlsFailed && peer.tls === "offered"
      ? openTo({ ...peer, tls: "never" }, route, terms)
      : Effect.fail(error)
  )

/** Makes the lane learn from limits that a server states. */
const heed = ({ lane }: Route, reply: SmtpReply, accepted: number | null) =>
  Effect.map(Clock.currentTimeMillis, (now) => lane.heed(reply, accepted, now))

/** Sends on an idle connection; null if none can be used. */
const sendOnKept = Effect.fnUntraced(function* (
  route: Route,
  message: OutboundMessage,
  terms: TransactionTerms
) {
  const { lane, peers } = route
  const kept = lane.takeConnection(peers)
  if (kept === null) return null
  const result = yield* kept.send(message, termsOn(kept, terms))
  if (result._tag === "Rejected") yield* heed(route, result.reply, kept.uses() - 1)
  if (isStale(result)) {
    kept.quit()
    return null
  }
  lane.keepConnection(kept)
  return result
})

/**
 * Sends on a new connection to the first server that accepts one and does not lose it; null if there is no place for a connection
 * to any server.
 */
const sendOnNew = Effect.fnUntraced(function* (
  route: Route,
  message: OutboundMessage,
  terms: TransactionTerms
) {
  const started = performance.now()
  let conversation = noConversation("unreachable")
  let rejection: { readonly stage: SmtpStage; readonly reply: SmtpReply } | null = null
  let isTried = false
  let isReached = false
  for (const peer of route.peers) {
    const opened = yield* Effect.result(openPlainly(peer, route, terms))
    if (opened._tag === "Success") {
      const connection = opened.success
      if (connection === null) continue
      isTried = true
      const result = yield* connection.send(message, termsOn(connection, terms))
      if (result._tag === "Rejected") yield* heed(route, result.reply, 0)
      route.lane.keepConnection(connection)
      if (!isUndecided(result)) return result
      isReached = true
      conversation = result.conversation
    } else {
      isTried = true
      const { conversation: failed, insecure, reply, stage } = opened.failure
      if (!insecure) isReached = true
      // A rejection by one server is more significant than no reply from the next.
      if (insecure ? !isReached : rejection === null || reply !== null) conversation = failed
      if (reply !== null) {
        rejection = { stage, reply }
        yield* heed(route, reply, null)
      }
    }
    if (performance.now() - started > terms.limits.reachMillis) break
  }
  if (!isTried) return null
  if (!isReached) return { _tag: "Insecure", conversation } satisfies TransactionResult
  return (
    rejection === null
      ? { _tag: "Lost", progress: "none", conversation }
      : { _tag: "Rejected", ...rejection, conversation }
  ) satisfies TransactionResult
})

/** Sends one message in a slot of the route's lane. Never fails. Interruption closes its connection. */
export const sendBySmtp = Effect.fnUntraced(function* (
  route: Route,
  message: OutboundMessage,
  terms: TransactionTerms
) {
  const result = (yield* sendOnKept(route, message, terms)) ?? (yield* sendOnNew(route, message, terms))
  if (result !== null) {
    const { isRelay, name, provider, success } = route
    const { attempts, recipient } = message
    const domain = domainOfAddress(recipient)
    return consequenceOf(result, success, { name, provider, isRelay, domain, attempts })
  }
  const now = yield* Clock.currentTimeMillis
  return { outcome: { _tag: "Busy", at: now + fullWait }, feedback: null } satisfies Consequence
})
