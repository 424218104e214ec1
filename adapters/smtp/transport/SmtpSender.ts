/**
 * Carries a message on a lane: its turn, a connection to the first server that takes one, the message, and what the
 * server's answer means (decisions 5).
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { Conversation, OutboundMessage, Outcome } from "../../../core/model/Message.ts"
import { classifyReply, closesService, type Refusal } from "../../../core/sending/delivery/SmtpReply.ts"
import { CannotOpen, type Connection, open, type Peer } from "./Connection.ts"
import type { MailTransaction } from "./MailTransaction.ts"
import { fullWait, type Feedback, type Lane } from "./Lane.ts"
import { type Limits, limits as defaults } from "./Limits.ts"

/** A rest up to this long is waited out by bringing the message again; a longer one counts as an attempt. */
export const shortSuspension = 60_000

/** No connection to any server of a destination. */
export interface Unreachable {
  /** What is told of the attempt. */
  readonly conversation: Conversation
  /** What the last server that said anything meant; null when none did. */
  readonly refusal: Refusal | null
}

/** Where a message is carried. */
export interface Route {
  readonly lane: Lane
  /** The servers in the order they are tried; fails when there are none. */
  readonly peers: Effect.Effect<ReadonlyArray<Peer>, Unreachable>
  /** What it is when a server took the message. */
  readonly success: "Delivered" | "Accepted" | "Sent"
}

/** What became of a message, and what was seen of the destination. */
interface Ending {
  readonly outcome: Outcome
  readonly feedback: Feedback | null
}

const willing: Feedback = { _tag: "Success" }
const hesitant: Feedback = { _tag: "Deferral" }
const unwilling = (wait: number | null): Feedback => ({ _tag: "Unavailable", wait })

const deferred = (retryAfter: number | null, conversation: Conversation): Outcome =>
  retryAfter === null ? { _tag: "Deferred", conversation } : { _tag: "Deferred", retryAfter, conversation }

/** A conversation that did not take place. */
export const noConversation = (error: string): Conversation => ({ host: null, tls: null, replies: [], error })

const endingOf = (handover: MailTransaction, success: Route["success"]): Ending => {
  const { conversation } = handover
  switch (handover._tag) {
    case "Taken":
      return { outcome: { _tag: success, conversation }, feedback: willing }
    case "Withdrawn":
      return { outcome: { _tag: "Withdrawn", conversation }, feedback: null }
    case "Impossible":
      return { outcome: { _tag: "Refused", conversation }, feedback: willing }
    case "Broken":
      return handover.progress === "committed"
        ? { outcome: { _tag: "Unknown", conversation }, feedback: hesitant }
        : { outcome: deferred(null, conversation), feedback: hesitant }
    case "Answered": {
      const refusal = classifyReply(handover.stage, handover.reply)
      if (refusal.class !== "Deferred")
        return { outcome: { _tag: refusal.class, conversation }, feedback: willing }
      return {
        outcome: deferred(refusal.retryAfter, conversation),
        feedback: closesService(handover.reply) ? unwilling(refusal.retryAfter) : hesitant
      }
    }
  }
}

/** Whether a kept connection had gone stale, or had its fill: a new one shall decide. */
const isStale = (handover: MailTransaction): boolean =>
  wentNowhere(handover) ||
  (handover._tag === "Answered" && handover.stage !== "Message" && closesService(handover.reply))

/** Whether it broke before anything was decided, so that another server can still be asked. */
const wentNowhere = (handover: MailTransaction): boolean =>
  handover._tag === "Broken" && handover.progress === "none"

/** Opens a connection to one server, in the clear where its encryption is out of order and need not be. */
const openTo = (peer: Peer, limits: Limits): Effect.Effect<Connection, CannotOpen> =>
  Effect.catch(open(peer, limits), (error) =>
    error.tlsFailed && peer.tls === "offered" ? open({ ...peer, tls: "never" }, limits) : Effect.fail(error)
  )

const unreachableOf = ({ conversation, reply, stage }: CannotOpen): Unreachable => ({
  conversation,
  refusal: reply === null ? null : classifyReply(stage, reply)
})

/** How a message is carried. Interrupting closes its conversation. */
export const makeSmtpSender = (limits: Limits = defaults) => {
  /** Brings the message to the first server of all that takes a connection and does not lose it. */
  const onFresh = Effect.fnUntraced(function* (
    { lane, peers, success }: Route,
    message: OutboundMessage,
    pointOfNoReturn: Effect.Effect<boolean>
  ) {
    const started = performance.now()
    let last: Unreachable = { conversation: noConversation("unreachable"), refusal: null }
    for (const peer of yield* peers) {
      const opened = yield* Effect.result(openTo(peer, limits))
      if (opened._tag === "Success") {
        const connection = opened.success
        const handover = yield* connection.deliver(message, pointOfNoReturn)
        lane.keep(connection)
        if (!wentNowhere(handover)) return endingOf(handover, success)
        last = { conversation: handover.conversation, refusal: last.refusal }
      } else {
        const unreachable = unreachableOf(opened.failure)
        // What a server said counts more than the silence of the next.
        if (last.refusal === null || unreachable.refusal !== null) last = unreachable
      }
      if (performance.now() - started > limits.reachMillis) break
    }
    return yield* Effect.fail(last)
  })

  const onKept = Effect.fnUntraced(function* (
    lane: Lane,
    message: OutboundMessage,
    pointOfNoReturn: Effect.Effect<boolean>
  ) {
    const kept = lane.take()
    if (kept === null) return null
    const handover = yield* kept.deliver(message, pointOfNoReturn)
    if (isStale(handover)) {
      kept.quit()
      return null
    }
    lane.keep(kept)
    return handover
  })

  const onTurn = Effect.fnUntraced(function* (
    route: Route,
    message: OutboundMessage,
    pointOfNoReturn: Effect.Effect<boolean>
  ) {
    const handover = yield* onKept(route.lane, message, pointOfNoReturn)
    if (handover !== null) return endingOf(handover, route.success)
    return yield* Effect.catch(onFresh(route, message, pointOfNoReturn), ({ conversation, refusal }) => {
      const retryAfter = refusal?.retryAfter ?? null
      const outcome: Outcome =
        refusal?.class === "Refused" ? { _tag: "Refused", conversation } : deferred(retryAfter, conversation)
      return Effect.succeed<Ending>({ outcome, feedback: unwilling(retryAfter) })
    })
  })

  return (
    route: Route,
    message: OutboundMessage,
    pointOfNoReturn: Effect.Effect<boolean>
  ): Effect.Effect<Outcome> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { lane } = route
        const now = yield* Clock.currentTimeMillis
        const ticket = lane.ask(now)
        const turn = yield* Effect.onInterrupt(restore(ticket.turn), () => Effect.sync(ticket.withdraw))
        if (turn._tag === "Full") return { _tag: "Busy", at: now + fullWait }
        if (turn._tag === "Suspended") return resting(turn.until, now)
        const exit = yield* Effect.exit(restore(onTurn(route, message, pointOfNoReturn)))
        lane.leave(exit._tag === "Success" ? exit.value.feedback : null, yield* Clock.currentTimeMillis)
        return (yield* exit).outcome
      })
    )
}

/** A destination that rests for long has put the message off, as it would have been told there. */
const resting = (until: number, now: number): Outcome =>
  until - now <= shortSuspension
    ? { _tag: "Busy", at: until }
    : { _tag: "Deferred", retryAfter: until - now, conversation: noConversation("destination_rests") }

/** Until when nothing should be brought to a lane; null when it can take more, or would put it off at once. */
export const busyUntilOf = (lane: Lane | null, now: number, ahead: number): number | null => {
  if (lane === null) return null
  const until = lane.suspendedUntil(now)
  if (until !== null) return until - now <= shortSuspension ? until : null
  return lane.isFull(ahead) ? now + fullWait : null
}
