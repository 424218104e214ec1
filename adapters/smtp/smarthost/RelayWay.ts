/**
 * A relay through which mail can be sent, in this process: its lane, and whether it is skipped for a while after failures.
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
/** How long a relay is skipped at first, and at most, in milliseconds. */
const firstPause = 30_000
const longestPause = 15 * 60_000
const maxWords = 500
/** How long the addresses that were looked up are used, in milliseconds. */
const addressMillis = 60_000
/** The fraction of a second's messages that can leave at once. A provider's limit may apply to any second. */
const burst = 1 / 20
/** How long messages wait for the lane's rate, in milliseconds. If it would be longer, no more are dispatched. */
const waitMillis = 2_000

const laneOptions = ({ maxPerSecond, pool }: RelayRoute): LaneOptions => ({
  startLimit: pool,
  maxLimit: pool,
  idleMillis,
  maxUses,
  ...(maxPerSecond === null ? {} : { messagesPerSecond: maxPerSecond, burst })
})

/** Why a relay could not take a message that another may take; null if it took it, or if the message is the reason. */
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

/** The last words of a failed conversation with a relay. */
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
  /** Identifies the server and its login. If either changes, open connections can no longer be used. */
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

  /** Applies other limits from now on. */
  adopt(route: RelayRoute): void {
    this.#maxPerSecond = route.maxPerSecond
    this.lane.adopt(laneOptions(route))
  }

  /**
   * Until when no message of an account should be sent through the relay, given `ahead` messages before it. Null if the relay
   * takes more now, or cannot be used, in which case the next way is tried.
   */
  busyUntil(now: number, ahead: number, accountId: string, mailClass?: MailClass): number | null {
    if (this.pausedUntil(now) !== null || this.lane.suspendedUntil(now) !== null) return null
    if (this.#maxPerSecond !== null) {
      const millis = ((this.lane.waitingBefore(mailClass) + ahead) / this.#maxPerSecond) * 1000
      if (millis > waitMillis) return now + millis
    }
    return this.lane.busyUntil(now, ahead, accountId, mailClass)
  }

  /** Until when other ways are preferred; null if they are not. */
  pausedUntil(now: number): number | null {
    return this.#pausedUntil > now ? this.#pausedUntil : null
  }

  /** The servers that were looked up and checked within the last minute; null if they must be looked up. */
  peers(now: number): ReadonlyArray<Peer> | null {
    return this.#peers !== null && this.#peers.until > now ? this.#peers.found : null
  }

  /** Records the servers that were looked up. */
  lookedUp(found: ReadonlyArray<Peer>, now: number): void {
    this.#peers = { found, until: now + addressMillis }
  }

  /** Records that the relay took a message, or rejected it because of the message. Returns its condition if that changed. */
  works(): RelayCondition | null {
    this.#failures = 0
    this.#pausedUntil = 0
    return this.#changed({ state: "Active", stateReason: null, words: null })
  }

  /** Records that the relay could not be used. Returns its condition if that changed. */
  fails(stateReason: RelayStateReason, words: string, now: number): RelayCondition | null {
    this.#peers = null
    // Failures of messages that were in progress at the same time do not extend the pause.
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
