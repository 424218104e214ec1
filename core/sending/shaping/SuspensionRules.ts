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

/** The length of a suspension whose rule has none, and the longest, minutes. */
const defaultMinutes = 10
const defaultMost = 240
/** That of one that ends once a check finds something corrected. */
export const checkMinutes = 15
const checkMost = 60
/** The longest after which a rule has none to be doubled to. */
const strikeMost = 720

/** How long after its end a suspension counts as the one before: a rejection within this time suspends twice as long. */
const recent = 60 * minute

/** How long mail is held, milliseconds, from when it was first due: RFC 5321, 4.5.4.1; marketing is of no use for so long. */
export const maxHeld = (isMarketing: boolean): number => (isMarketing ? 3 : 5) * 24 * 60 * minute

/** The delivery that a server rejected. */
export interface RejectedDelivery {
  readonly id: string
  readonly accountId: string
  /** The sending domain. */
  readonly sender: string
}

/** What a rejection suspends; null for nothing. */
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

/** What a suspension concerns; `unknown` while another message has not shown that. */
export const concernOf = ({ action }: Pick<Suspension, "action">): AnswerScope => scopes[action] ?? "unknown"

/** All that may hold a message to a domain, by lane, account and sending domain. */
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
  /** The delivery is held by the suspension, which is written. */
  | { readonly _tag: "Held"; readonly suspension: Suspension }
  /** Other mail was accepted since the delivery was rejected the same way before: it concerns this one. */
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
 * @param previous the latest suspension of the same scope; null for none
 * @param id of a new suspension
 * @param isToOther whether a delivery to another recipient was refused before: this one shows that it was not about that one
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
  // Sent before the suspension began.
  if (now < previous.until)
    return {
      _tag: "Held",
      suspension: refused === previous.refused ? previous : { ...previous, refused, changedAt: now }
    }
  // Another message was refused the same way: the sender is meant.
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

/** The suspension, ended. */
export const resolved = (suspension: Suspension, now: number): Suspension => ({
  ...suspension,
  resolvedAt: now,
  probeUntil: null,
  changedAt: now
})

/** What a server rejected last in a conversation; null where it was lost without that. */
export const rejectionIn = (conversation: Conversation | null | undefined): string | null => {
  const last = conversation?.replies.at(-1)
  return last !== undefined && /^[45]/.test(last) ? last : null
}

/**
 * The suspension of a lane that could not be reached several times in a row, without its scope: it says so to people, and ends
 * with the next message that is accepted.
 *
 * @param conversation the last one with its servers
 * @param open the suspension before, which has not ended; null for none
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
