/**
 * Counts the results of messages for the standing of their accounts: pure functions.
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

/** The key of the provider of a server, by its name; null for another. */
export const knownProvider = (table: ProviderTable, host: string | null): string | null => {
  const name = (host ?? "").split(" ")[0]!.toLowerCase()
  return name === "" ? null : (table.of([name])?.key ?? null)
}

/** The key of the provider of the server of a conversation. */
export const providerOfServer = (table: ProviderTable, host: string | null): string =>
  knownProvider(table, host) ?? otherProvider

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

/** The address that a message left from; null where the system chose it, and where it did not leave. */
export const sourceOf = (outcome: Outcome): string | null =>
  sourceOfLane(("lane" in outcome ? outcome.lane : undefined) ?? "")

/** The change of an attempt's outcome, at its time. */
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

/** The change of what happens to a message later, in the time of its delivery. */
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

/** What a message counts as by its visits: each of these is 1 for one that is counted there. */
const visitCounts = (visits: DeliveryVisits) => {
  const [opened, clicked] = [openedBy(visits), clickedBy(visits)]
  return {
    openedHuman: Number(opened === "Human"),
    openedMachine: Number(opened === "Machine"),
    clickedHuman: Number(clicked === "Human"),
    clickedMachine: Number(clicked === "Machine")
  }
}

/** What more visits of a message change of its counts; null for nothing. */
export const visitChange = (before: DeliveryVisits, after: DeliveryVisits): Partial<BucketCounts> | null => {
  const [from, to] = [visitCounts(before), visitCounts(after)]
  const changed = Object.entries(to).flatMap(([name, count]) => {
    const change = count - from[name as keyof typeof from]
    return change === 0 ? [] : [[name, change] as const]
  })
  return changed.length === 0 ? null : Object.fromEntries(changed)
}
