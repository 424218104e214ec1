/**
 * Computes how much of the mail that relays accepted they never reported on.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { MailRelay } from "../../model/MailRelay.ts"
import { RelayStore, type UnreportedMessages } from "../../ports/RelayStore.ts"

const hourMillis = 3_600_000
/** A report that has not arrived after this time is missing, milliseconds. */
const missingAfter = 24 * hourMillis
/** Messages older than this do not show how the relay reports now, milliseconds. */
const longest = 8 * 24 * hourMillis
/** The maximum number of messages of each relay that are examined. */
const maxMessages = 200

/** From this share on, reports are likely not set up, if at least this many messages were examined. */
const warningShare = 0.2
const warningMessages = 5

/** How much of the latest mail of a relay it never reported on. */
export interface Unreported {
  /** From 0 to 1. */
  readonly share: number
  /** The number of messages examined. */
  readonly messages: number
  /** Whether the share is so high that reports are likely not set up correctly. */
  readonly isHigh: boolean
}

const shareOf = ({ messages, unreported }: UnreportedMessages): Unreported => {
  const share = unreported / messages
  return { share, messages, isHigh: messages >= warningMessages && share >= warningShare }
}

/**
 * For each relay, by id: the share of the latest 200 messages, accepted more than 24 hours ago, on which it never reported.
 * Relays without such messages within a week, and relays of kind `Smtp`, which need not report, are left out.
 */
export const unreportedOf = Effect.fnUntraced(function* (
  relays: ReadonlyArray<Pick<MailRelay, "id" | "kind">>
) {
  const ids = relays.flatMap(({ id, kind }) => (kind === "Smtp" ? [] : [id]))
  if (ids.length === 0) return new Map<string, Unreported>()
  const now = yield* Clock.currentTimeMillis
  const { unreported } = yield* RelayStore
  const found = yield* unreported(ids, now - longest, now - missingAfter, maxMessages)
  return new Map(found.map((one) => [one.relayId, shareOf(one)]))
})
