/**
 * Says what the result of a message counts as for the source it left from: pure.
 *
 * @module
 */
import type { Outcome } from "../../model/Message.ts"
import type { SourceCounts } from "../../model/Source.ts"
import { isPolicyRefusal } from "./Answers.ts"

/** What an outcome counts as beside a message that was sent; null where none was offered to a server. */
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
