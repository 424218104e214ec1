/**
 * Finds how much of the mail that relays accepted they never reported on.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { MailRelay } from "../../model/MailRelay.ts"
import { RelayStore, type UnreportedMessages } from "../../ports/RelayStore.ts"

const hourMillis = 3_600_000
/** A report that has not come after so long is missing, milliseconds. */
const missingAfter = 24 * hourMillis
/** Messages older than this say nothing of how the relay reports now, milliseconds. */
const longest = 8 * 24 * hourMillis
/** The most messages of each relay that are looked at. */
const maxMessages = 200

/** The share from which reports are likely not set up, where so many messages were looked at. */
const warningShare = 0.2
const warningMessages = 5

/** How much of the latest mail of a relay it never reported on. */
export interface Unreported {
  /** From 0 to 1. */
  readonly share: number
  /** The messages that were looked at. */
  readonly messages: number
  /** Whether it is so much that reports are likely not set up as they have to be. */
  readonly isHigh: boolean
}

const shareOf = ({ messages, unreported }: UnreportedMessages): Unreported => {
  const share = unreported / messages
  return { share, messages, isHigh: messages >= warningMessages && share >= warningShare }
}

/**
 * How much of the latest 200 messages that each relay accepted more than 24 hours ago it never reported on, by its id. Relays
 * without such messages in a week, and those of kind `Smtp`, which need not report, are left out.
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
