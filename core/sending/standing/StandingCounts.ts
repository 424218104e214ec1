/**
 * Pure functions that count the results of messages for the standing of their accounts.
 *
 * @module
 */
import type { AnswerAction } from "../../model/Answer.ts"
import type { Attempt, Outcome } from "../../model/Message.ts"
import {
  type BucketChange,
  type BucketCounts,
  type BucketKey,
  noBucketCounts,
  otherProvider
} from "../../model/Standing.ts"
import { sourceOfLane } from "../../model/Source.ts"
import { clickedBy, type DeliveryVisits, openedBy } from "../../model/Visit.ts"
import { isPolicyRefusal } from "../shaping/Answers.ts"
import type { ProviderTable } from "../shaping/Providers.ts"

/** The key of the provider to which a server belongs, by the server's name; null if it belongs to none. */
export const knownProvider = (table: ProviderTable, host: string | null): string | null => {
  const name = (host ?? "").split(" ")[0]!.toLowerCase()
  return name === "" ? null : (table.of([name])?.key ?? null)
}

/** The key of the provider whose server took part in a conversation. */
export const providerOfServer = (table: ProviderTable, host: string | null): string =>
  knownProvider(table, host) ?? otherProvider

/** The actions that concern the sending domain. All others concern this service, and no account is responsible for them. */
const scopesOfSender: ReadonlySet<AnswerAction> = new Set(["PauseSender", "Probe"])

/** The counters that an outcome increases; null if no server gave a final or temporary reply. */
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

/** The address from which a message was sent; null if the system chose it, or the message was not sent. */
export const sourceOf = (outcome: Outcome): string | null =>
  sourceOfLane(("lane" in outcome ? outcome.lane : undefined) ?? "")

/** The counter change for the outcome of an attempt, at its time. */
export const changeOf = (
  table: ProviderTable,
  key: Omit<BucketKey, "provider" | "source">,
  outcome: Outcome,
  at: number
): ReadonlyArray<BucketChange> => {
  const counts = countsOf(outcome)
  if (counts === null) return []
  const host = "conversation" in outcome ? (outcome.conversation?.host ?? null) : null
  const [provider, source] = [providerOfServer(table, host), sourceOf(outcome)]
  return [{ ...key, provider, source, at, ...noBucketCounts, ...counts }]
}

/** The counter change for an event after a message's delivery, at the time of the delivery. */
export const laterChange = (
  table: ProviderTable,
  key: Omit<BucketKey, "provider" | "source">,
  counts: Partial<BucketCounts>,
  { finishedAt, host, source }: Pick<Attempt, "finishedAt" | "host" | "source">
): BucketChange => ({
  ...key,
  provider: providerOfServer(table, host),
  source,
  at: finishedAt,
  ...noBucketCounts,
  ...counts
})

/** The counters that a message's visits increase: 1 for each that applies. */
const visitCounts = (visits: DeliveryVisits) => {
  const [opened, clicked] = [openedBy(visits), clickedBy(visits)]
  return {
    openedHuman: Number(opened === "Human"),
    openedMachine: Number(opened === "Machine"),
    clickedHuman: Number(clicked === "Human"),
    clickedMachine: Number(clicked === "Machine")
  }
}

/** The change of a message's counters due to further visits; null if there is none. */
export const visitChange = (before: DeliveryVisits, after: DeliveryVisits): Partial<BucketCounts> | null => {
  const [from, to] = [visitCounts(before), visitCounts(after)]
  const changed = Object.entries(to).flatMap(([name, count]) => {
    const change = count - from[name as keyof typeof from]
    return change === 0 ? [] : [[name, change] as const]
  })
  return changed.length === 0 ? null : Object.fromEntries(changed)
}
