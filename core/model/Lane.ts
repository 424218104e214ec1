/**
 * A lane is a destination to which mail is sent, such as a provider, a site or a relay, as reached from one source address. This
 * module defines what is stored about a lane and, purely, how the results of sending change its limits.
 *
 * @module
 */
import type { TlsLevel } from "./TlsTerms.ts"

/** The concurrency limits of a lane. */
export interface LaneBounds {
  /** The initial limit. */
  readonly startLimit: number
  /** The limit while its servers have not accepted a message within a day; none by default. */
  readonly unprovenLimit?: number
  /** The highest limit. */
  readonly maxLimit: number
}

/** The names of the rules of a lane. */
export const laneRuleNames = [
  "startWidth",
  "maxWidth",
  "messagesPerConnection",
  "messagesPerSecond",
  "connectionsPerMinute",
  "idleSeconds",
  "tls",
  "timeouts"
] as const

/**
 * How long to wait for servers, milliseconds; absent values are as for all other lanes. `openMs` applies to connecting and the
 * greeting, and again to EHLO and encryption; `commandMs` to MAIL, RCPT and DATA together; `answerMs` to the reply to the
 * message.
 */
export type LaneTimeouts = Readonly<Partial<Record<"openMs" | "commandMs" | "answerMs", number>>>

/** The rules of a lane. */
export interface LaneRules {
  /** The initial concurrency limit, and the highest. */
  readonly startWidth: number
  readonly maxWidth: number
  readonly messagesPerConnection: number
  readonly messagesPerSecond: number
  readonly connectionsPerMinute: number
  /** How long an unused connection is kept open. */
  readonly idleSeconds: number
  /** The required encryption of connections. */
  readonly tls: TlsLevel
  readonly timeouts: LaneTimeouts
}

/** The values that an operator sets in place of a lane's rules. */
export interface LaneOverride {
  readonly rules: Partial<LaneRules>
  /** The end of the override, epoch milliseconds; null if it applies until it is removed. */
  readonly until: number | null
  readonly reason: string
}

/** The limits that a server stated in a reply. */
export interface Statement {
  /** The most concurrent connections. */
  readonly connections?: number
  /** The most messages per connection. */
  readonly messages?: number
  /** Whether connections must be encrypted. */
  readonly encryption?: true
}

/** A limit that a server stated, and until when it applies, epoch milliseconds. */
export interface StatedLimit {
  readonly most: number
  readonly until: number
}

/** The limits that the servers of a lane stated. */
export interface StatedLimits {
  readonly connections?: StatedLimit
  readonly messages?: StatedLimit
  /** Until when connections must be encrypted, epoch milliseconds. */
  readonly encryptedUntil?: number
}

/** What an attempt to send showed about its destination, whatever happened to the message. */
export type Feedback =
  /** The destination accepts mail. */
  | { readonly _tag: "Success" }
  /** The destination deferred this message. */
  | { readonly _tag: "Deferral" }
  /** The destination rejects what this service sends. Nothing is sent there until its mail is released. */
  | { readonly _tag: "Blocked" }
  /** The destination closes or cannot be reached. `wait` is the wait that it stated, milliseconds; null for none. */
  | { readonly _tag: "Unavailable"; readonly wait: number | null }
  /** The destination stated a limit of its own. */
  | { readonly _tag: "Stated"; readonly statement: Statement }

/** The results of a lane's messages within a minute. */
export interface MinuteFlow {
  /** The minute, counted since the epoch. */
  readonly minute: number
  readonly delivered: number
  readonly deferred: number
}

/** The slow start of a lane after its servers rejected this service's mail. All times are epoch milliseconds, 0 for none. */
export interface SlowStart {
  /** The concurrency limit before the rejection. */
  readonly learned: number
  /** When the first message since then was accepted. */
  readonly from: number
  /** Since when all messages were accepted; the limit doubles a minute later. */
  readonly acceptedFrom: number
}

/** The learned state of a lane. All times are epoch milliseconds, 0 for none. */
export interface LaneState {
  /** The current concurrency limit, as feedback changed it. */
  readonly width: number
  /** The number of messages accepted since the limit last changed. */
  readonly successes: number
  /** The number of failures to reach it since it last accepted a message. */
  readonly strikes: number
  /** Until when no delivery starts. */
  readonly suspendedUntil: number
  /** Until when the last accepted message counts as proof that the destination accepts mail. */
  readonly provenUntil: number
  /** The limits that its servers stated. */
  readonly stated: StatedLimits
  /** The results of messages in the last minute with any, and in the one before. */
  readonly flow: ReadonlyArray<MinuteFlow>
  /** The slow start; null if there is none and the limit grows with each round. */
  readonly slowStart: SlowStart | null
}

/** The part of a lane's concurrency limit that a process may use. */
export interface LaneLease {
  /** The id of the process. */
  readonly node: string
  /** The number of connections that it may have open. */
  readonly places: number
  /** The number of connections for which it asked. */
  readonly wanted: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** A rate below the maximum at which messages are sent to a lane. All times are epoch milliseconds. */
export interface Pace {
  readonly perMinute: number
  /** The increase per minute. */
  readonly growth: number
  /** From when on the rate grows; absent if it grows from the beginning. */
  readonly growsFrom?: number
  readonly since: number
  readonly until: number
  /** The time, stated by the server, before which nothing is sent. */
  readonly notBefore: number
}

/** A pace that processes share, with the number of messages that may be sent now, and as of when. */
export interface SharedPace extends Pace {
  readonly tokens: number
  readonly tokensAt: number
}

/** The times of rejections by kind, epoch milliseconds, for kinds whose repetition has a further effect. */
export type Marks = Readonly<Record<string, ReadonlyArray<number>>>

/** The state of a lane, shared by processes. */
export interface SharedLane extends LaneState {
  /** The key of a provider, the addresses of a site, or `relay`. */
  readonly lane: string
  readonly leases: ReadonlyArray<LaneLease>
  /** The pace; null if messages are sent without delay. */
  readonly pace: SharedPace | null
  readonly marks: Marks
  readonly override: LaneOverride | null
  /** When a process last used the lane, epoch milliseconds. */
  readonly changedAt: number
}

/** For how long an accepted message proves that a destination accepts mail, milliseconds. */
const provenFor = 86_400_000
/**
 * The number of consecutive failures to reach a lane that suspends it, and the duration, which doubles each time, milliseconds.
 */
const strikesToSuspend = 3
const firstSuspension = 30_000
const longestSuspension = 15 * 60_000
/** The variation of a suspension's duration, so that lanes do not start again at the same time. */
const spread = 0.2

/** The longest slow start, and the time without an accepted message after which it begins again, milliseconds. */
const longestSlowStart = 3_600_000
const slowStartGap = 5 * 60_000

/** How long a stated limit, and a stated requirement of encryption, apply, milliseconds. */
const statedFor = 3_600_000
const encryptedFor = 7 * 86_400_000

/** The rate of a pace at a time, messages per minute. */
export const rateAt = ({ growsFrom, growth, perMinute, since }: Pace, now: number): number =>
  perMinute * growth ** Math.max(0, Math.floor((now - (growsFrom ?? since)) / 60_000))

const addressPrefix = "at "

/**
 * The name under which processes share the connections to a block of addresses, over all lanes. It is leased like a lane, but
 * appears in no list of lanes.
 */
export const addressLane = (block: string): string => `${addressPrefix}${block}`

/** Whether a name stands for a block of addresses. */
export const isAddressLane = (lane: string): boolean => lane.startsWith(addressPrefix)

/** A lane about which nothing is known. */
export const newLane = ({ startLimit }: LaneBounds): LaneState => ({
  width: startLimit,
  successes: 0,
  strikes: 0,
  suspendedUntil: 0,
  provenUntil: 0,
  stated: {},
  flow: [],
  slowStart: null
})

/** Counts the result of a message. */
const counted = (
  flow: ReadonlyArray<MinuteFlow>,
  what: "delivered" | "deferred",
  now: number
): ReadonlyArray<MinuteFlow> => {
  const minute = Math.floor(now / 60_000)
  const known = flow.find((one) => one.minute === minute) ?? { minute, delivered: 0, deferred: 0 }
  const others = flow.filter((one) => one.minute !== minute)
  return [...others.slice(-1), { ...known, [what]: known[what] + 1 }]
}

/** The results of messages in the last whole minute. */
export const flowAt = ({ flow }: LaneState, now: number): Omit<MinuteFlow, "minute"> =>
  flow.find(({ minute }) => minute === Math.floor(now / 60_000) - 1) ?? { delivered: 0, deferred: 0 }

/** The stated limits that still apply. */
export const currentlyStated = (
  { connections, encryptedUntil, messages }: StatedLimits,
  now: number
): StatedLimits => ({
  ...(connections !== undefined && connections.until > now ? { connections } : {}),
  ...(messages !== undefined && messages.until > now ? { messages } : {}),
  ...(encryptedUntil !== undefined && encryptedUntil > now ? { encryptedUntil } : {})
})

/** The lower of two stated limits, an earlier one and one stated now. It applies from now on. */
const lower = (before: StatedLimit | undefined, most: number, now: number): StatedLimit => ({
  most: Math.min(most, before?.most ?? Infinity),
  until: now + statedFor
})

const statedAfter = (
  before: StatedLimits,
  { connections, encryption, messages }: Statement,
  now: number
): StatedLimits => {
  const stated = currentlyStated(before, now)
  return {
    ...stated,
    ...(connections === undefined ? {} : { connections: lower(stated.connections, connections, now) }),
    ...(messages === undefined ? {} : { messages: lower(stated.messages, messages, now) }),
    ...(encryption === undefined ? {} : { encryptedUntil: now + encryptedFor })
  }
}

/** The most concurrent connections that the lane's servers stated; unlimited if they stated none. */
const statedWidth = ({ stated }: LaneState, now: number): number =>
  currentlyStated(stated, now).connections?.most ?? Infinity

/** The most messages per connection that the lane's servers stated; unlimited if they stated none. */
export const statedUses = ({ stated }: LaneState, now: number): number =>
  currentlyStated(stated, now).messages?.most ?? Infinity

/** Whether the lane's servers accepted a message within the last day. */
export const isProven = ({ provenUntil }: LaneState, now: number): boolean => provenUntil > now

/** When the lane's servers last accepted a message, epoch milliseconds; 0 for never. */
export const lastAccepted = ({ provenUntil }: LaneState): number => Math.max(0, provenUntil - provenFor)

/** The effective concurrency limit at a time. */
export const widthAt = (
  state: LaneState,
  { maxLimit, unprovenLimit = Infinity }: LaneBounds,
  now: number
): number =>
  Math.min(state.width, maxLimit, statedWidth(state, now), isProven(state, now) ? Infinity : unprovenLimit)

/** A number in [0, 1), derived from the time and the number of strikes, so that all processes compute the same. */
const fractionOf = (now: number, strikes: number): number => {
  const mixed = Math.imul((now % 0x7fffffff) + strikes, 0x9e3779b1) >>> 0
  return mixed / 2 ** 32
}

const suspensionOf = (strikes: number, now: number): number => {
  const millis = Math.min(firstSuspension * 2 ** (strikes - strikesToSuspend), longestSuspension)
  return Math.round(millis * (1 - spread + 2 * spread * fractionOf(now, strikes)))
}

/** The lane without the suspension caused by failures to reach it. */
export const reached = <State extends LaneState>(state: State): State => ({
  ...state,
  strikes: 0,
  suspendedUntil: 0
})

/** The limit and the slow start of a lane that begins again with one connection. */
export const begunSlowly = ({
  slowStart,
  width
}: LaneState): Pick<LaneState, "slowStart" | "successes" | "width"> => ({
  width: 1,
  successes: 0,
  slowStart: { learned: slowStart?.learned ?? width, from: 0, acceptedFrom: 0 }
})

/** The lane without its slow start, with its previous limit. */
export const restored = <State extends LaneState>(state: State): State =>
  state.slowStart === null
    ? state
    : { ...state, successes: 0, width: Math.max(state.width, state.slowStart.learned), slowStart: null }

/**
 * The limit after a message was accepted during a slow start. It doubles after each minute in which all messages were accepted,
 * up to half of its previous value. If none was accepted for five minutes, which no `Suspension` is shorter than, the slow start
 * begins again.
 */
const grownSlowly = (
  width: number,
  slowStart: SlowStart,
  now: number
): Pick<LaneState, "slowStart" | "width"> => {
  const { acceptedFrom, from, learned: before } = slowStart
  if (now - acceptedFrom >= slowStartGap)
    return { width, slowStart: { learned: before, from: now, acceptedFrom: now } }
  if (now - from >= longestSlowStart) return { width, slowStart: null }
  if (now - acceptedFrom < 60_000) return { width, slowStart }
  const half = Math.floor(before / 2)
  const doubled = Math.max(width, Math.min(width * 2, half))
  return { width: doubled, slowStart: doubled >= half ? null : { ...slowStart, acceptedFrom: now } }
}

/** The slow start after a message was not accepted for a reason that concerns the lane. */
const heldBack = (slowStart: SlowStart | null, now: number): SlowStart | null =>
  slowStart === null || slowStart.acceptedFrom === 0 ? slowStart : { ...slowStart, acceptedFrom: now }

/** The lane after feedback at a time. Only an accepted message ever raises the limit. */
export const learned = <State extends LaneState>(
  state: State,
  feedback: Feedback,
  { maxLimit }: LaneBounds,
  now: number
): State => {
  switch (feedback._tag) {
    case "Success": {
      const accepted = {
        strikes: 0,
        flow: counted(state.flow, "delivered", now),
        provenUntil: now + provenFor
      }
      if (state.slowStart !== null) {
        const grown = grownSlowly(state.width, state.slowStart, now)
        return {
          ...state,
          ...accepted,
          ...grown,
          width: Math.max(Math.min(grown.width, maxLimit, statedWidth(state, now)), 1)
        }
      }
      const isRound = state.successes + 1 >= state.width
      return {
        ...state,
        ...accepted,
        width: isRound ? Math.min(state.width + 1, maxLimit, statedWidth(state, now)) : state.width,
        successes: isRound ? 0 : state.successes + 1
      }
    }
    case "Deferral":
      return {
        ...state,
        successes: 0,
        width: Math.max(state.width - 1, 1),
        slowStart: heldBack(state.slowStart, now),
        flow: counted(state.flow, "deferred", now)
      }
    case "Blocked":
      return { ...state, ...begunSlowly(state), flow: counted(state.flow, "deferred", now) }
    case "Stated": {
      const stated = statedAfter(state.stated, feedback.statement, now)
      return { ...state, stated, width: Math.min(state.width, stated.connections?.most ?? Infinity) }
    }
    case "Unavailable": {
      const halved = {
        ...state,
        successes: 0,
        width: Math.max(state.width >> 1, 1),
        slowStart: heldBack(state.slowStart, now),
        flow: counted(state.flow, "deferred", now)
      }
      // Messages that were being sent at the same time provide no new information.
      if (state.suspendedUntil > now && feedback.wait === null) return halved
      const strikes = state.strikes + 1
      const own = strikes < strikesToSuspend ? 0 : suspensionOf(strikes, now)
      const wait = feedback.wait === null ? own : Math.min(feedback.wait, statedFor)
      return {
        ...halved,
        strikes,
        suspendedUntil: wait === 0 ? state.suspendedUntil : Math.max(state.suspendedUntil, now + wait)
      }
    }
  }
}
