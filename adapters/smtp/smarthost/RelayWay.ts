/**
 * A relay as a way of mail, in this process: its lane, and whether it is left out for a while because it could not be used.
 *
 * @module
 */
import type { LaneSharesShape } from "../../../core/kernel/LaneShares.ts"
import type { Feedback } from "../../../core/model/Lane.ts"
import type { RelayCondition, RelayStateReason } from "../../../core/model/MailRelay.ts"
import { type MailClass, type Outcome, relayLaneOf, type RelayRoute } from "../../../core/model/Message.ts"
import type { Peer } from "../transport/Connection.ts"
import { Lane, type LaneOptions } from "../transport/Lane.ts"

const maxUses = 100
const idleMillis = 30_000
/** How long a relay is left out at first, and at most, milliseconds. */
const firstPause = 30_000
const longestPause = 15 * 60_000
const maxWords = 500
/** For how long the addresses that were looked up are used, milliseconds. */
const addressMillis = 60_000
/** The messages that may leave at once, as the part of those of a second: what a provider counts in a second is its limit. */
const burst = 1 / 20
/** For how long messages wait for their turns in the lane; no more of them are dispatched, milliseconds. */
const waitMillis = 2_000

const laneOptions = ({ maxPerSecond, pool }: RelayRoute): LaneOptions => ({
  startLimit: pool,
  maxLimit: pool,
  idleMillis,
  maxUses,
  ...(maxPerSecond === null ? {} : { messagesPerSecond: maxPerSecond, burst })
})

/** Why a relay could not take a message, which another may take; null where it could, or where the message is at fault. */
export const failureOf = (
  outcome: Outcome,
  feedback: Feedback | null,
  lane: string
): RelayStateReason | null => {
  if (outcome._tag === "Held") {
    const { answer, lane: held } = outcome.rejection
    if (held !== lane || (answer.action !== "PauseSite" && answer.action !== "PauseSource")) return null
    const code = /^53\d\b/.exec(outcome.rejection.words)
    return code === null ? "relays.account_refused" : "relays.login_failed"
  }
  if (outcome._tag !== "Deferred" || feedback?._tag !== "Unavailable") return null
  return outcome.conversation?.error === "tls" ? "relays.tls_failed" : "relays.unreachable"
}

/** What a relay said as it failed. */
export const wordsOf = (outcome: Outcome): string => {
  if (outcome._tag === "Held") return outcome.rejection.words
  const conversation = "conversation" in outcome ? outcome.conversation : undefined
  const words = conversation?.replies.at(-1) ?? conversation?.error ?? "unreachable"
  return words
    .replaceAll(/[\r\n]+/g, " ")
    .slice(0, maxWords)
    .toWellFormed()
}

/** A relay in this process. All times are epoch milliseconds. */
export class RelayWay {
  readonly lane: Lane
  /** The server and its login: with another the connections that are open serve no more. */
  readonly key: string
  #maxPerSecond: number | null
  #failures = 0
  #pausedUntil = 0
  #condition: RelayCondition | null = null
  #peers: { readonly found: ReadonlyArray<Peer>; readonly until: number } | null = null

  constructor(route: RelayRoute, key: string, share: LaneSharesShape["share"], clock: () => number) {
    this.key = key
    this.#maxPerSecond = route.maxPerSecond
    this.lane = new Lane(laneOptions(route), { name: relayLaneOf(route.id), share, clock })
  }

  /** Follows other limits from now on. */
  adopt(route: RelayRoute): void {
    this.#maxPerSecond = route.maxPerSecond
    this.lane.adopt(laneOptions(route))
  }

  /**
   * Until when no message of an account should be sent by the relay, with so many others before it; null when it takes more
   * now, or cannot be used, so that the next way is tried.
   */
  busyUntil(now: number, ahead: number, accountId: string, mailClass?: MailClass): number | null {
    if (this.pausedUntil(now) !== null || this.lane.suspendedUntil(now) !== null) return null
    if (this.#maxPerSecond !== null) {
      const millis = ((this.lane.waitingBefore(mailClass) + ahead) / this.#maxPerSecond) * 1000
      if (millis > waitMillis) return now + millis
    }
    return this.lane.busyUntil(now, ahead, accountId, mailClass)
  }

  /** Until when other ways are preferred; null for none. */
  pausedUntil(now: number): number | null {
    return this.#pausedUntil > now ? this.#pausedUntil : null
  }

  /** The servers that were looked up and checked within a minute; null where they have to be looked up. */
  peers(now: number): ReadonlyArray<Peer> | null {
    return this.#peers !== null && this.#peers.until > now ? this.#peers.found : null
  }

  /** Notes the servers that were looked up. */
  lookedUp(found: ReadonlyArray<Peer>, now: number): void {
    this.#peers = { found, until: now + addressMillis }
  }

  /** Notes that the relay took a message, or refused it for a reason of the message; its condition where that changed. */
  works(): RelayCondition | null {
    this.#failures = 0
    this.#pausedUntil = 0
    return this.#changed({ state: "Active", stateReason: null, words: null })
  }

  /** Notes that the relay could not be used; its condition where that changed. */
  fails(stateReason: RelayStateReason, words: string, now: number): RelayCondition | null {
    this.#peers = null
    // Messages that were in progress at the same time show nothing new.
    if (this.#pausedUntil <= now) {
      this.#pausedUntil = now + Math.min(firstPause * 2 ** this.#failures, longestPause)
      this.#failures++
    }
    return this.#changed({ state: "Failing", stateReason, words })
  }

  #changed(condition: RelayCondition): RelayCondition | null {
    const before = this.#condition
    const isUnchanged = before?.state === condition.state && before.stateReason === condition.stateReason
    this.#condition = condition
    return isUnchanged ? null : condition
  }
}
