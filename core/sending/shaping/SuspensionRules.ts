/**
 * Decides which mail is suspended after a rejection, and for how long: pure functions over `Suspension`.
 *
 * @module
 */
import type { AnswerAction, AnswerScope } from "../../model/Answer.ts"
import { type Conversation, maskedWords, type Rejection } from "../../model/Message.ts"
import { lanesOver, laneWithoutSource } from "../../model/Source.ts"
import { maxRefused, type Suspension, type SuspensionScope } from "../../model/Suspension.ts"

const minute = 60_000

/** The default length of a suspension, and its default maximum, minutes. */
const defaultMinutes = 10
const defaultMost = 240
/** The length, and its maximum, of a suspension that ends once a check finds the records corrected, minutes. */
export const checkMinutes = 15
const checkMost = 60
/** The default maximum of a suspension whose rule has a length but no maximum, minutes. */
const strikeMost = 720

/** How long after its end a suspension counts as the previous one. A rejection within this time suspends twice as long. */
const recent = 60 * minute

/**
 * How long mail is held after it was first due, milliseconds (RFC 5321, 4.5.4.1). Marketing is held for a shorter time, since
 * it soon loses its use.
 */
export const maxHeld = (isMarketing: boolean): number => (isMarketing ? 3 : 5) * 24 * 60 * minute

/** The delivery that a server rejected. */
export interface RejectedDelivery {
  readonly id: string
  readonly accountId: string
  /** The sending domain. */
  readonly sender: string
}

/** The scope of the suspension after a rejection; null if nothing is suspended. */
export const scopeOf = (
  { answer: { action }, lane }: Rejection,
  { accountId, sender }: RejectedDelivery
): SuspensionScope | null => {
  switch (action) {
    case "PauseSource":
      return { lane, accountId: null, sender: null }
    case "PauseSite":
      return { lane: laneWithoutSource(lane), accountId: null, sender: null }
    case "PauseSender":
      return { lane: laneWithoutSource(lane), accountId, sender }
    case "Probe":
      return { lane, accountId, sender }
    default:
      return null
  }
}

const scopes: Partial<Record<AnswerAction, AnswerScope>> = {
  PauseSource: "source",
  PauseSite: "site",
  PauseSender: "sender"
}

/** What a suspension concerns; `unknown` until another message has shown that. */
export const concernOf = ({ action }: Pick<Suspension, "action">): AnswerScope => scopes[action] ?? "unknown"

/** The scopes of all suspensions that may hold a message to a domain, by lane, account and sending domain. */
export const scopesOver = (
  lane: string | null,
  domain: string,
  accountId: string,
  sender: string
): ReadonlyArray<SuspensionScope> =>
  [...(lane === null ? [] : lanesOver(lane)), `domain:${domain}`].flatMap((held) => [
    { lane: held, accountId: null, sender: null },
    { lane: held, accountId, sender: null },
    { lane: held, accountId, sender }
  ])

/** The reason of a delivery that a suspension holds. */
export const heldReason = ({ sender }: SuspensionScope): "sending.sender_held" | "sending.provider_held" =>
  sender === null ? "sending.provider_held" : "sending.sender_held"

/** What follows from a rejection. */
export type AfterRejection =
  /** The suspension, which is stored, holds the delivery. */
  | { readonly _tag: "Held"; readonly suspension: Suspension }
  /** Other mail was accepted since the delivery was first rejected in the same way, so the reason concerns this delivery. */
  | { readonly _tag: "Refused" }

const lengthOf = ({ answer: { minutes, mostMinutes, untilCheck } }: Rejection) => {
  const first = minutes ?? (untilCheck === undefined ? defaultMinutes : checkMinutes)
  const most =
    mostMinutes ?? (untilCheck === undefined ? (minutes === undefined ? defaultMost : strikeMost) : checkMost)
  return { first, most: Math.max(first, most) }
}

/**
 * Decides what follows from a rejection that suspends mail.
 *
 * @param previous the latest suspension of the same scope; null if there is none
 * @param id the id of a new suspension
 * @param isToOther whether a delivery to another recipient was rejected before, which shows that the reason was not that
 * recipient
 */
export const afterRejection = (
  previous: Suspension | null,
  rejection: Rejection,
  delivery: RejectedDelivery,
  scope: SuspensionScope,
  id: string,
  now: number,
  isToOther = false
): AfterRejection => {
  const { answer, words } = rejection
  const { first, most } = lengthOf(rejection)
  const isProbe = answer.action === "Probe"
  const begun: Suspension = {
    ...scope,
    id,
    cause: "Reply",
    action: answer.action,
    rule: answer.rule,
    words,
    remedy: answer.remedy,
    minutes: first,
    mostMinutes: most,
    since: now,
    until: now + first * minute,
    resolvedAt: null,
    probeUntil: null,
    refused: isProbe ? [delivery.id] : [],
    slowly: true,
    changedAt: now
  }
  if (previous === null) return { _tag: "Held", suspension: begun }
  const isKnown = previous.refused.includes(delivery.id)
  const refused =
    !isProbe || isKnown || previous.refused.length >= maxRefused
      ? previous.refused
      : [...previous.refused, delivery.id]
  if (previous.resolvedAt !== null) {
    if (isProbe) return isKnown ? { _tag: "Refused" } : { _tag: "Held", suspension: begun }
    const minutes = previous.resolvedAt + recent > now ? longer(previous, first, most) : first
    return { _tag: "Held", suspension: { ...begun, minutes, until: now + minutes * minute } }
  }
  // The message was sent before the suspension began.
  if (now < previous.until)
    return {
      _tag: "Held",
      suspension: refused === previous.refused ? previous : { ...previous, refused, changedAt: now }
    }
  // Another message was rejected in the same way, so the reason is the sender.
  const isSender = isProbe && isToOther && previous.action === "Probe"
  const action = isSender
    ? "PauseSender"
    : previous.action === "PauseSender"
      ? previous.action
      : answer.action
  const minutes = longer(previous, first, most)
  return {
    _tag: "Held",
    suspension: {
      ...begun,
      id: previous.id,
      action,
      minutes,
      mostMinutes: Math.max(most, previous.mostMinutes),
      since: previous.since,
      until: now + minutes * minute,
      refused
    }
  }
}

const longer = (previous: Suspension, first: number, most: number): number =>
  Math.min(Math.max(first, previous.minutes * 2), Math.max(most, previous.mostMinutes))

/** Returns the suspension as ended. */
export const resolved = (suspension: Suspension, now: number): Suspension => ({
  ...suspension,
  resolvedAt: now,
  probeUntil: null,
  changedAt: now
})

/** The last rejection by a server in a conversation; null if the conversation failed without one. */
export const rejectionIn = (conversation: Conversation | null | undefined): string | null => {
  const last = conversation?.replies.at(-1)
  return last !== undefined && /^[45]/.test(last) ? last : null
}

/**
 * The suspension, without its scope, of a lane that was unreachable several times in a row. It informs people, and ends with
 * the next message that is accepted.
 *
 * @param conversation the last conversation with its servers
 * @param open the previous suspension, if it has not ended; otherwise null
 */
export const unreachable = (
  conversation: Conversation | null,
  open: Suspension | null,
  until: number,
  now: number
): Omit<Suspension, "cause" | "id" | keyof SuspensionScope> => {
  const minutes = Math.ceil((until - now) / minute)
  return {
    action: "PauseSource",
    rule: "unreachable",
    words: maskedWords(rejectionIn(conversation) ?? conversation?.error ?? ""),
    remedy: "",
    minutes,
    mostMinutes: minutes,
    since: open?.since ?? now,
    until,
    resolvedAt: null,
    probeUntil: null,
    refused: [],
    slowly: false,
    changedAt: now
  }
}
