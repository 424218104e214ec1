/**
 * Sends a message to the first of a destination's servers that takes a connection, on a kept connection where there is
 * one.
 *
 * @module
 */
import { Effect } from "effect"
import type { OutboundMessage, Outcome } from "../../../core/model/Message.ts"
import { closesService, type SmtpReply, type SmtpStage } from "../../../core/sending/delivery/SmtpReply.ts"
import { open, type Peer } from "./Connection.ts"
import type { Lane } from "./Lane.ts"
import type { Limits } from "./Limits.ts"
import {
  type Consequence,
  consequenceOf,
  noConversation,
  type TransactionResult
} from "./TransactionResult.ts"

/** Where a message is sent. */
export interface Route {
  /** The lane whose kept connections are used. */
  readonly lane: Lane
  /** The servers in the order they are tried; fails with the message's outcome when there are none. */
  readonly peers: Effect.Effect<ReadonlyArray<Peer>, Outcome>
  /** The outcome of a message that a server accepted. */
  readonly success: "Delivered" | "Accepted" | "Sent"
}

/** Whether the transaction was lost before anything was decided, so that another server can be tried. */
const isUndecided = (result: TransactionResult): boolean =>
  result._tag === "Lost" && result.progress === "none"

/** Whether a kept connection was closed meanwhile, or may carry no more messages: a new connection decides. */
const isStale = (result: TransactionResult): boolean =>
  isUndecided(result) ||
  (result._tag === "Rejected" && result.stage !== "Message" && closesService(result.reply))

/**
 * Makes the function that sends one message in a slot of the route's lane. It never fails; interrupting closes its
 * connection.
 */
export const makeSmtpSender = (limits: Limits) => {
  /** Opens a connection, without encryption where the server's is broken and not required. */
  const openTo = (peer: Peer) =>
    Effect.catch(open(peer, limits), (error) =>
      error.tlsFailed && peer.tls === "offered" ? open({ ...peer, tls: "never" }, limits) : Effect.fail(error)
    )

  /** Sends on a kept connection; null when there is none that can be used. */
  const onKept = Effect.fnUntraced(function* (
    { lane }: Route,
    message: OutboundMessage,
    pointOfNoReturn: Effect.Effect<boolean>
  ) {
    const kept = lane.takeConnection()
    if (kept === null) return null
    const result = yield* kept.send(message, pointOfNoReturn)
    if (isStale(result)) {
      kept.quit()
      return null
    }
    lane.keepConnection(kept)
    return result
  })

  /** Sends on a new connection to the first server that takes one and does not lose it. */
  const onNew = Effect.fnUntraced(function* (
    { lane, peers }: Route,
    message: OutboundMessage,
    pointOfNoReturn: Effect.Effect<boolean>
  ) {
    const started = performance.now()
    let conversation = noConversation("unreachable")
    let rejection: { readonly stage: SmtpStage; readonly reply: SmtpReply } | null = null
    for (const peer of yield* peers) {
      const opened = yield* Effect.result(openTo(peer))
      if (opened._tag === "Success") {
        const connection = opened.success
        const result = yield* connection.send(message, pointOfNoReturn)
        lane.keepConnection(connection)
        if (!isUndecided(result)) return result
        conversation = result.conversation
      } else {
        const { conversation: failed, reply, stage } = opened.failure
        // A rejection by one server counts more than the silence of the next.
        if (rejection === null || reply !== null) conversation = failed
        if (reply !== null) rejection = { stage, reply }
      }
      if (performance.now() - started > limits.reachMillis) break
    }
    return (
      rejection === null
        ? { _tag: "Lost", progress: "none", conversation }
        : { _tag: "Rejected", ...rejection, conversation }
    ) satisfies TransactionResult
  })

  return Effect.fnUntraced(
    function* (route: Route, message: OutboundMessage, pointOfNoReturn: Effect.Effect<boolean>) {
      const result =
        (yield* onKept(route, message, pointOfNoReturn)) ?? (yield* onNew(route, message, pointOfNoReturn))
      return consequenceOf(result, route.success)
    },
    Effect.catch((outcome): Effect.Effect<Consequence> =>
      Effect.succeed({ outcome, feedback: { _tag: "Unavailable", wait: null } })
    )
  )
}
