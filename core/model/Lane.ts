/**
 * A lane: where mail goes and what its servers have shown so far. Pure: how each result changes it.
 *
 * @module
 */
import type { TlsLevel } from "./TlsTerms.ts"

/** The concurrency limits of a lane. */
export interface LaneBounds {
  /** At first. */
  readonly startLimit: number
  /** While its servers have accepted no message within a day; none by default. */
  readonly unprovenLimit?: number
  /** The highest. */
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
 * How long servers are waited for, milliseconds; what is left out is as for all others. `openMs` is for connecting and the greeting,
 * and as long again for EHLO and encryption, `commandMs` for MAIL, RCPT and DATA together, `answerMs` for the reply to the message.
 */
export type LaneTimeouts = Readonly<Partial<Record<"openMs" | "commandMs" | "answerMs", number>>>

/** The rules of a lane. */
export interface LaneRules {
  /** The concurrency limit at first, and the highest. */
  readonly startWidth: number
  readonly maxWidth: number
  readonly messagesPerConnection: number
  readonly messagesPerSecond: number
  readonly connectionsPerMinute: number
  /** How long an open connection is kept without use. */
  readonly idleSeconds: number
  /** The encryption that connections must have. */
  readonly tls: TlsLevel
  readonly timeouts: LaneTimeouts
}

/** What an operator sets instead of rules of the table. */
export interface LaneOverride {
  readonly rules: Partial<LaneRules>
  /** Epoch milliseconds; null for until it is removed. */
  readonly until: number | null
  readonly reason: string
}

/** What a server stated of its own limits. */
export interface Statement {
  /** Connections at once. */
  readonly connections?: number
  /** Messages of a connection. */
  readonly messages?: number
  /** Whether connections must be encrypted. */
  readonly encryption?: true
}

/** A limit that a server stated, and until when it counts, epoch milliseconds. */
export interface StatedLimit {
  readonly most: number
  readonly until: number
}

/** What servers of a lane stated of their limits. */
export interface StatedLimits {
  readonly connections?: StatedLimit
  readonly messages?: StatedLimit
  /** Until when connections must be encrypted, epoch milliseconds. */
  readonly encryptedUntil?: number
}

/** What a send showed of its destination, whatever became of the message. */
export type Feedback =
  /** The destination takes mail. */
  | { readonly _tag: "Success" }
  /** The destination deferred this message. */
  | { readonly _tag: "Deferral" }
  /** The destination rejects what this service sends. Nothing is sent there until its mail is released. */
  | { readonly _tag: "Blocked" }
  /** The destination closes or cannot be reached; `wait` is the wait it stated, milliseconds, null for none. */
  | { readonly _tag: "Unavailable"; readonly wait: number | null }
  /** The destination stated a limit of its own. */
  | { readonly _tag: "Stated"; readonly statement: Statement }

/** What became of messages in a minute. */
export interface MinuteFlow {
  /** The minutes since the epoch. */
  readonly minute: number
  readonly delivered: number
  readonly deferred: number
}

/** How a lane begins again after its servers rejected what this service sends. All times are epoch milliseconds, 0 for none. */
export interface SlowStart {
  /** The concurrency limit before. */
  readonly learned: number
  /** When the first message was accepted since. */
  readonly from: number
  /** From when on all messages were accepted: the limit is doubled a minute later. */
  readonly acceptedFrom: number
}

/** What a lane has learned. All times are epoch milliseconds, 0 for none. */
export interface LaneState {
  /** The concurrency limit, as feedback has made it so far. */
  readonly width: number
  /** Accepted messages since the limit last changed. */
  readonly successes: number
  /** How often it could not be reached, since it last accepted a message. */
  readonly strikes: number
  /** No delivery starts before. */
  readonly suspendedUntil: number
  /** Until when an accepted message proves that the destination takes mail. */
  readonly provenUntil: number
  /** What its servers stated of their limits. */
  readonly stated: StatedLimits
  /** What became of messages, in the last minute of any and the one before. */
  readonly flow: ReadonlyArray<MinuteFlow>
  /** Null where its limit grows with each round. */
  readonly slowStart: SlowStart | null
}

/** The part of a lane's limit that a process may use. */
export interface LaneLease {
  /** The id of the process. */
  readonly node: string
  /** Connections that it may have open. */
  readonly places: number
  /** How many it asked for. */
  readonly wanted: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** A rate at which a lane is sent to, where it is slower than it could be. All times are epoch milliseconds. */
export interface Pace {
  readonly perMinute: number
  /** By how much it grows each minute. */
  readonly growth: number
  /** From when on it grows; left out for from the beginning. */
  readonly growsFrom?: number
  readonly since: number
  readonly until: number
  /** Nothing is sent before this time, which the server stated. */
  readonly notBefore: number
}

/** A pace that processes share: the messages that may be sent now, and since when. */
export interface SharedPace extends Pace {
  readonly tokens: number
  readonly tokensAt: number
}

/** When rejections of a kind came, epoch milliseconds, by kind: several of them lead to more than one. */
export type Marks = Readonly<Record<string, ReadonlyArray<number>>>

/** A lane that processes share. */
export interface SharedLane extends LaneState {
  /** The key of a provider, the addresses of a site, or `relay`. */
  readonly lane: string
  readonly leases: ReadonlyArray<LaneLease>
  /** Null where it is sent to without delay. */
  readonly pace: SharedPace | null
  readonly marks: Marks
  readonly override: LaneOverride | null
  /** When a process last used it, epoch milliseconds. */
  readonly changedAt: number
}

/** How long an accepted message proves that a destination takes mail, milliseconds. */
const provenFor = 86_400_000
/** After how many failures to reach it in a row a lane is suspended, and for how long, doubled each time, milliseconds. */
const strikesToSuspend = 3
const firstSuspension = 30_000
const longestSuspension = 15 * 60_000
/** By how much a suspension is longer or shorter, so that lanes do not start again at the same time. */
const spread = 0.2

/** The longest slow start, and after how long without a message it begins again, milliseconds. */
const longestSlowStart = 3_600_000
const slowStartGap = 5 * 60_000

/** How long a limit counts that a server stated, and that connections must be encrypted, milliseconds. */
const statedFor = 3_600_000
const encryptedFor = 7 * 86_400_000

/** The rate of a pace at a time, messages a minute. */
export const rateAt = ({ growsFrom, growth, perMinute, since }: Pace, now: number): number =>
  perMinute * growth ** Math.max(0, Math.floor((now - (growsFrom ?? since)) / 60_000))

const addressPrefix = "at "

/**
 * The name under which processes share the connections to a block of addresses, of all lanes together. It is leased as a lane is, but
 * is in no list of lanes.
 */
export const addressLane = (block: string): string => `${addressPrefix}${block}`

/** Whether a name is that of a block of addresses. */
export const isAddressLane = (lane: string): boolean => lane.startsWith(addressPrefix)

/** A lane of which nothing is known. */
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

/** Counts a message. */
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

/** What became of messages in the last whole minute. */
export const flowAt = ({ flow }: LaneState, now: number): Omit<MinuteFlow, "minute"> =>
  flow.find(({ minute }) => minute === Math.floor(now / 60_000) - 1) ?? { delivered: 0, deferred: 0 }

/** The limits that still count. */
export const currentlyStated = (
  { connections, encryptedUntil, messages }: StatedLimits,
  now: number
): StatedLimits => ({
  ...(connections !== undefined && connections.until > now ? { connections } : {}),
  ...(messages !== undefined && messages.until > now ? { messages } : {}),
  ...(encryptedUntil !== undefined && encryptedUntil > now ? { encryptedUntil } : {})
})

/** The lower of a limit that was stated before and one that is stated now; it counts from now on. */
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

/** The most connections at once that the lane's servers stated; any number where they did not. */
const statedWidth = ({ stated }: LaneState, now: number): number =>
  currentlyStated(stated, now).connections?.most ?? Infinity

/** The most messages of a connection that the lane's servers stated; any number where they did not. */
export const statedUses = ({ stated }: LaneState, now: number): number =>
  currentlyStated(stated, now).messages?.most ?? Infinity

/** Whether the lane's servers accepted a message within the last day. */
export const isProven = ({ provenUntil }: LaneState, now: number): boolean => provenUntil > now

/** When the lane's servers last accepted a message, epoch milliseconds; 0 for never. */
export const lastAccepted = ({ provenUntil }: LaneState): number => Math.max(0, provenUntil - provenFor)

/** The concurrency limit at a time. */
export const widthAt = (
  state: LaneState,
  { maxLimit, unprovenLimit = Infinity }: LaneBounds,
  now: number
): number =>
  Math.min(state.width, maxLimit, statedWidth(state, now), isProven(state, now) ? Infinity : unprovenLimit)

/** A number in [0, 1) that follows from the time and the number of strikes: processes come to the same. */
const fractionOf = (now: number, strikes: number): number => {
  const mixed = Math.imul((now % 0x7fffffff) + strikes, 0x9e3779b1) >>> 0
  return mixed / 2 ** 32
}

const suspensionOf = (strikes: number, now: number): number => {
  const millis = Math.min(firstSuspension * 2 ** (strikes - strikesToSuspend), longestSuspension)
  return Math.round(millis * (1 - spread + 2 * spread * fractionOf(now, strikes)))
}

/** The lane without a suspension that followed from failures to reach it. */
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

/** The lane without its slow start: with the limit that it had before. */
export const restored = <State extends LaneState>(state: State): State =>
  state.slowStart === null
    ? state
    : { ...state, successes: 0, width: Math.max(state.width, state.slowStart.learned), slowStart: null }

/**
 * The limit after a message was accepted in a slow start: doubled after each minute in which all were, up to half of what it was
 * before. With none accepted for five minutes, which no suspension is shorter than, the slow start begins there.
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

/** A slow start after a message that was not accepted, for a reason that concerns its lane. */
const heldBack = (slowStart: SlowStart | null, now: number): SlowStart | null =>
  slowStart === null || slowStart.acceptedFrom === 0 ? slowStart : { ...slowStart, acceptedFrom: now }

/** The lane after feedback that came at a time. Only an accepted message ever raises its limit. */
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
      // Sends that were in progress at the same time give no new information.
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
