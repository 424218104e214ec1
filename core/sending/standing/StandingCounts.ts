/**
 * Counts the results of messages for the standing of their accounts: pure functions.
 *
 * @module
 */
import type { AnswerAction } from "../../model/Answer.ts"
import type { Outcome } from "../../model/Message.ts"
import {
  type BucketChange,
  type BucketCounts,
  bucketCounts,
  type BucketKey,
  otherProvider
} from "../../model/Standing.ts"
import { isPolicyRefusal } from "../shaping/Answers.ts"
import { providerOf } from "../shaping/Providers.ts"

const nothing = Object.fromEntries(bucketCounts.map((name) => [name, 0])) as BucketCounts

/** The key of the provider of a server, by its name; null for another. */
export const knownProvider = (host: string | null): string | null => {
  const name = (host ?? "").split(" ")[0]!.toLowerCase()
  return name === "" ? null : (providerOf([name])?.key ?? null)
}

/** The key of the provider of the server of a conversation. */
export const providerOfServer = (host: string | null): string => {
  return knownProvider(host) ?? otherProvider
}

/** The actions that are about the sending domain: the others are about this service, for which no account answers. */
const scopesOfSender: ReadonlySet<AnswerAction> = new Set(["PauseSender", "Probe"])

/** What an outcome counts as; null where no server answered for good or for the time being. */
const countsOf = (outcome: Outcome): Partial<BucketCounts> | null => {
  switch (outcome._tag) {
    case "Delivered":
    case "Accepted":
    case "Sent":
      return { handed: 1, delivered: 1 }
    case "Bounced":
      return { handed: 1, bounced: 1 }
    case "MailboxFull":
      return { handed: 1, mailboxFull: 1 }
    case "Held":
      return scopesOfSender.has(outcome.rejection.answer.action) ? { handed: 1, policy: 1 } : { deferred: 1 }
    case "Refused":
      return { handed: 1, ...(isPolicyRefusal(outcome.conversation) ? { policy: 1 } : {}) }
    case "Unknown":
      return { handed: 1 }
    case "Deferred":
      return { deferred: 1 }
    default:
      return null
  }
}

/** The change of an attempt's outcome, at its time. */
export const changeOf = (
  key: Omit<BucketKey, "provider">,
  outcome: Outcome,
  at: number
): ReadonlyArray<BucketChange> => {
  const counts = countsOf(outcome)
  if (counts === null) return []
  const host = "conversation" in outcome ? (outcome.conversation?.host ?? null) : null
  return [{ ...key, provider: providerOfServer(host), at, ...nothing, ...counts }]
}

/** The change of what is reported of a message later, in the time of its delivery. */
export const reportedChange = (
  key: Omit<BucketKey, "provider">,
  counts: Partial<BucketCounts>,
  delivery: { readonly host: string | null; readonly at: number }
): BucketChange => ({
  ...key,
  provider: providerOfServer(delivery.host),
  at: delivery.at,
  ...nothing,
  ...counts
})
