/**
 * A suspension: a period in which mail to a lane, or mail of one sending domain to it, is held.
 *
 * @module
 */
import type { AnswerAction } from "./Answer.ts"

/** The mail that a suspension holds: all mail of a lane, or only that of an account or of one of its sending domains. */
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
   * What caused it: a server's reply, an operator, or servers that could not be reached several times in a row. A suspension with
   * the last cause only informs people: the lane itself starts no deliveries during that time.
   */
  readonly cause: "Reply" | "Operator" | "Unreachable"
  /** The effect of the reply; PauseSite if an operator suspended. */
  readonly action: AnswerAction
  /** The rule that decided; empty if an operator suspended. */
  readonly rule: string
  /** The server's reply, or the reason that the operator gave. */
  readonly words: string
  readonly remedy: string
  /** Its duration, and the maximum, up to which it doubles. */
  readonly minutes: number
  readonly mostMinutes: number
  readonly since: number
  /** From this time on, one message at a time is sent as a probe of whether it can end. */
  readonly until: number
  /** When it ended; null while it has not. */
  readonly resolvedAt: number | null
  /** Until when no other probe is sent; null if none was sent yet. */
  readonly probeUntil: number | null
  /** The deliveries that were rejected for a reason that names no one, at most 200. */
  readonly refused: ReadonlyArray<string>
  /** Whether mail is sent slowly at first after it ends. */
  readonly slowly: boolean
  readonly changedAt: number
}

/** The longest suspension by an operator, milliseconds. */
export const longestSuspension = 5 * 86_400_000

/** The most deliveries in `refused`. */
export const maxRefused = 200

/** A key that identifies the scope and cause of a suspension. There is at most one suspension for each. */
export const suspensionKey = ({
  accountId,
  cause,
  lane,
  sender
}: SuspensionScope & Pick<Suspension, "cause">): string =>
  [cause, lane, accountId ?? "", sender ?? ""].join(" ")

/** Whether a suspension has not ended. One caused by a reply ends when a message is accepted, others at their time. */
export const isOpen = ({ cause, resolvedAt, until }: Suspension, now: number): boolean =>
  resolvedAt === null && (cause === "Reply" || until > now)
