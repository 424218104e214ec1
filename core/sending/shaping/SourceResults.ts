/**
 * Decides how the result of a message counts for the source that sent it. Pure.
 *
 * @module
 */
import type { Outcome } from "../../model/Message.ts"
import type { SourceCounts } from "../../model/Source.ts"
import { isPolicyRefusal } from "./Answers.ts"

/** The counters that an outcome increases, besides that of sent messages; null if the message was not offered to a server. */
export const sourceCountsOf = (outcome: Outcome): Partial<SourceCounts> | null => {
  switch (outcome._tag) {
    case "Busy":
    case "Withdrawn":
      return null
    case "Deferred":
      return (outcome.conversation?.replies ?? []).length === 0 ? null : {}
    case "Held":
      return outcome.rejection.answer.action === "SlowDown" ? { deferred: 1 } : { policy: 1 }
    case "Refused":
      return isPolicyRefusal(outcome.conversation) ? { policy: 1 } : {}
    case "Bounced":
      return { bounced: 1 }
    default:
      return {}
  }
}
