/**
 * A suspension: a time in which mail of a lane, or of a sending domain in it, is held.
 *
 * @module
 */
import type { AnswerAction } from "./Answer.ts"

/** What mail a suspension holds: that of a lane, or only that of an account in it, or of one of its sending domains. */
export interface SuspensionScope {
  /** The key of a provider, the addresses of a site (`ip:192.0.2.1`), `relay`, or a recipient's domain (`domain:example.org`). */
  readonly lane: string
  readonly accountId: string | null
  /** The sending domain. */
  readonly sender: string | null
}

/** A suspension. All times are epoch milliseconds. */
export interface Suspension extends SuspensionScope {
  readonly id: string
  /**
   * Why it began: by a server's reply, by an operator, or because servers could not be reached several times in a row. The last
   * is written for people: the lane itself starts no delivery then.
   */
  readonly cause: "Reply" | "Operator" | "Unreachable"
  /** What the reply led to; PauseSite of an operator's. */
  readonly action: AnswerAction
  /** The rule that decided; empty of an operator's. */
  readonly rule: string
  /** The server's reply, or the reason that the operator gave. */
  readonly words: string
  readonly remedy: string
  /** Its length, and the longest to which it is doubled. */
  readonly minutes: number
  readonly mostMinutes: number
  readonly since: number
  /** From then on one message at a time is sent to find out whether it can end. */
  readonly until: number
  /** When it ended; null while it has not. */
  readonly resolvedAt: number | null
  /** Until when no other message is sent to find that out; null while none was. */
  readonly probeUntil: number | null
  /** The deliveries that were refused without a reason that names anyone, at most 200. */
  readonly refused: ReadonlyArray<string>
  /** Whether its mail is sent slowly at first once it has ended. */
  readonly slowly: boolean
  readonly changedAt: number
}

/** The longest suspension by an operator, milliseconds. */
export const longestSuspension = 5 * 86_400_000

/** The most deliveries of `refused`. */
export const maxRefused = 200

/** A string that identifies what a suspension holds, and its cause: there is one suspension of each. */
export const suspensionKey = ({
  accountId,
  cause,
  lane,
  sender
}: SuspensionScope & Pick<Suspension, "cause">): string =>
  [cause, lane, accountId ?? "", sender ?? ""].join(" ")

/** Whether a suspension has not ended: that of a reply ends with a message that is accepted, others at their time. */
export const isOpen = ({ cause, resolvedAt, until }: Suspension, now: number): boolean =>
  resolvedAt === null && (cause === "Reply" || until > now)
