/**
 * Writes the results of deliveries with all their consequences: states, attempts, suppressions, events and jobs.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, LogLevel, Random } from "effect"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { LogHash } from "../../accounts/LogHash.ts"
import type { AddressReport } from "../../audience/contacts/ConsentUpdates.ts"
import { AttemptStore } from "../../ports/AttemptStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { type RelayMessage, RelayStore } from "../../ports/RelayStore.ts"
import { type DeliveryMove, SubmissionStore } from "../../ports/SubmissionStore.ts"
import {
  attemptsAfter,
  eventsAfter,
  moveTo,
  noConversation,
  nextDeliveryAttemptAt,
  stateAfter
} from "./DeliveryRules.ts"
import { deliveryKey } from "./DispatchPlan.ts"
import { EmailEvents, eventOf } from "../fanout/EmailEvents.ts"
import { type Attempt, type Outcome, relayOfLane } from "../../model/Message.ts"
import { providerIdOf } from "../relays/ProviderIds.ts"
import type { BucketKey } from "../../model/Standing.ts"
import { type Delivery, lineOf } from "../../model/Submission.ts"
import { KnownProviders } from "../shaping/Providers.ts"
import { type ShapedMessage, Shaping, type Sequel, type Wait } from "../shaping/Shaping.ts"
import { changeOf, knownProvider, sourceOf } from "../standing/StandingCounts.ts"
import { StandingGate } from "../standing/StandingGate.ts"
import { AddressReports } from "../suppressions/AddressReports.ts"

/** The result of a delivery. */
export interface DeliveryResult {
  /** Its job, with the current claim; null if another worker has it. */
  readonly job: Job | null
  /** As claimed. */
  readonly delivery: Delivery
  readonly outcome: Outcome
  /** When its transport was called and when it returned, epoch milliseconds; null in a sandbox, which has no attempts. */
  readonly attempt: { readonly startedAt: number; readonly finishedAt: number } | null
  /** The message in the form in which the limits of lanes are decided; null in a sandbox. */
  readonly message: ShapedMessage | null
  /** Until when it may be held, epoch milliseconds; null in a sandbox, where nothing is held. */
  readonly heldUntil: number | null
  /** The bucket in which it counts in the account's standing; null in a sandbox, which has no standing. */
  readonly counted: Omit<BucketKey, "provider" | "source"> | null
}

/** A result, with when and how its job becomes due again; null if the job is complete. */
interface PlannedResult extends DeliveryResult {
  readonly again: { readonly at: number; readonly how: "Retry" | "Release" } | null
}

/** Writes the results of deliveries. */
export class DeliveryResults extends Context.Service<DeliveryResults>()("svc/sending/DeliveryResults", {
  make: Effect.gen(function* () {
    const attempts = yield* AttemptStore
    const relays = yield* RelayStore
    const submissions = yield* SubmissionStore
    const queue = yield* JobQueue
    const events = yield* EmailEvents
    const addressReports = yield* AddressReports
    const shaping = yield* Shaping
    const logHash = yield* LogHash
    const standing = yield* StandingGate
    const table = yield* KnownProviders

    /** Logs attempts at level debug, each with its outcome and without the text of the server's reply. */
    const logAttempts = Effect.fnUntraced(function* (results: ReadonlyArray<DeliveryResult>) {
      if (!(yield* LogLevel.isEnabled("Debug"))) return
      for (const { attempt, delivery, outcome } of results) {
        const conversation = "conversation" in outcome ? outcome.conversation : undefined
        yield* Effect.annotateLogs(Effect.logDebug("delivery attempt"), {
          account: delivery.accountId,
          delivery: delivery.id,
          recipient: yield* logHash.of(delivery.email),
          outcome: outcome._tag,
          server: conversation?.host ?? "none",
          reply: replyCodeOf(conversation?.replies.at(-1)) ?? conversation?.error ?? "none",
          millis: attempt === null ? 0 : attempt.finishedAt - attempt.startedAt
        })
      }
    })

    const endClaims = Effect.fnUntraced(function* (plannedResults: ReadonlyArray<PlannedResult>) {
      const ours = plannedResults.filter(
        (planned): planned is PlannedResult & { readonly job: Job } => planned.job !== null
      )
      const done = ours.filter(({ again }) => again === null)
      if (done.length > 0) yield* queue.complete(done.map(({ job }) => job))
      const groups = Map.groupBy(
        ours.filter(({ again }) => again !== null),
        ({ again }) => `${again!.how} ${again!.at}`
      )
      for (const group of groups.values()) {
        const { at, how } = group[0]!.again!
        const jobs = group.map(({ job }) => job)
        yield* how === "Retry" ? queue.retry(jobs, at, "sending.retrying") : queue.release(jobs, at)
      }
    })

    const write = Effect.fn("DeliveryResults.write")(function* (results: ReadonlyArray<DeliveryResult>) {
      const now = yield* Clock.currentTimeMillis
      const sequels = yield* shaping.apply(
        results.flatMap(({ message, outcome }) => (message === null ? [] : [{ message, outcome }]))
      )
      // One value for all, so that deliveries with the same number of attempts become due at the same time, in one statement.
      const jitter = yield* Random.next
      const moves: Array<DeliveryMove> = []
      const plannedResults = results.map((result): PlannedResult => {
        const { delivery, heldUntil, outcome } = result
        const tries = attemptsAfter(delivery, outcome)
        const wait = waitAfter(outcome, sequels.get(delivery.id))
        const hold = wait?.hold ?? null
        // A delivery that only waits for the pace of its lane is not held.
        const last = hold === null || hold.reason === "sending.retrying" ? Infinity : (heldUntil ?? Infinity)
        const again =
          wait === null
            ? againAfter(outcome, tries, now, jitter)
            : ({ at: Math.min(wait.at, last), how: "Release" } as const)
        const state = stateAfter(outcome, delivery, again !== null, hold)
        const conversation = "conversation" in outcome ? outcome.conversation : undefined
        const provider = knownProvider(table, conversation?.host ?? null)
        const move = { ...moveTo(delivery, delivery.status, state, tries, now), provider }
        const { message } = result
        const isMarketing = message?.isMarketing === true
        const held =
          hold === null || message === null
            ? null
            : { lane: hold.lane, line: lineOf(isMarketing, message.sender) }
        moves.push({ ...move, held })
        return { ...result, again }
      })
      const moved = new Set((yield* submissions.move(moves)).map(deliveryKey))
      const ours = plannedResults.filter(({ delivery }) => moved.has(deliveryKey(delivery)))

      yield* logAttempts(ours)
      const tried = ours.flatMap(attemptOf)
      if (tried.length > 0) yield* attempts.put(tried)
      const relayed = ours.flatMap(relayMessageOf)
      if (relayed.length > 0) yield* relays.noteMessages(relayed)
      yield* addressReports.apply(ours.flatMap(addressReportsOf), now)
      const emailEvents = ours.flatMap(({ delivery, outcome }) =>
        eventsAfter(outcome).flatMap((event) => eventOf(delivery, event, now))
      )
      if (emailEvents.length > 0) yield* events.record(emailEvents)
      yield* endClaims([
        ...ours,
        // The delivery was erased meanwhile, or belongs to another claim. If the job is still ours, its next dispatch decides.
        ...plannedResults
          .filter(({ delivery }) => !moved.has(deliveryKey(delivery)))
          .map((planned): PlannedResult => ({ ...planned, again: { at: now, how: "Release" } }))
      ])
      // Last, so that the rows in which other batches of the account count are locked only briefly.
      yield* standing.count(
        ours.flatMap(({ counted, outcome }) =>
          counted === null ? [] : changeOf(table, counted, outcome, now)
        )
      )
      return ours.map(({ delivery }) => delivery)
    })

    return {
      /**
       * Writes results in the caller's transaction, with a fixed number of statements. A delivery whose claim is no longer
       * that of its result is left unchanged. Returns the deliveries whose claim was the same.
       */
      write
    }
  })
}) {
  static readonly layer = Layer.effect(DeliveryResults, DeliveryResults.make).pipe(
    Layer.provide([AddressReports.layer, LogHash.layer, Shaping.layer, StandingGate.layer]),
    builtOnce
  )
}

/**
 * The pause before a delivery that was refused at its last byte is dispatched again, milliseconds. The refusal may be due to a
 * transaction that has not ended yet.
 */
const withdrawnPause = 1_000

/** The codes of a server's reply, such as `550 5.1.1`. The text after them may contain an address. */
const replyCodeOf = (reply: string | undefined): string | null =>
  /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3}(?=\s|$))?/.exec(reply ?? "")?.[0] ?? null

/** The wait of a delivery that was rejected, or not tried, because its mail is held; null if there is none. */
const waitAfter = (outcome: Outcome, sequel: Sequel | undefined): Wait | null => {
  if (outcome._tag === "Held") return sequel === undefined || sequel === "Refused" ? null : sequel
  if (outcome._tag === "Busy" && outcome.hold !== undefined) return { at: outcome.at, hold: outcome.hold }
  return null
}

const againAfter = (outcome: Outcome, tries: number, now: number, jitter: number): PlannedResult["again"] => {
  switch (outcome._tag) {
    case "Deferred": {
      const at = nextDeliveryAttemptAt(tries, now, jitter, outcome.retryAfter)
      return at === null ? null : { at, how: "Retry" }
    }
    case "Busy":
      return { at: outcome.at, how: "Release" }
    case "Withdrawn":
      return { at: now + withdrawnPause, how: "Release" }
    default:
      return null
  }
}

const attemptOf = ({ attempt, delivery, outcome }: DeliveryResult): ReadonlyArray<Attempt> => {
  if (attempt === null || outcome._tag === "Busy" || outcome._tag === "Withdrawn") return []
  const conversation = outcome._tag === "Complained" ? undefined : outcome.conversation
  return [
    {
      accountId: delivery.accountId,
      deliveryId: delivery.id,
      claim: delivery.claims,
      startedAt: attempt.startedAt,
      finishedAt: attempt.finishedAt,
      outcome: outcome._tag,
      source: sourceOf(outcome),
      ...(conversation ?? noConversation)
    }
  ]
}

/** The record of a message that a relay accepted and will report about later. */
const relayMessageOf = ({ attempt, delivery, outcome }: DeliveryResult): ReadonlyArray<RelayMessage> => {
  if (outcome._tag !== "Accepted" || attempt === null) return []
  const relayId = relayOfLane(outcome.lane ?? "")
  const providerId = providerIdOf(outcome.conversation?.replies.at(-1) ?? "")
  if (relayId === null) return []
  const { accountId, id: deliveryId } = delivery
  return [{ accountId, deliveryId, relayId, providerId, sentAt: attempt.finishedAt }]
}

/** The bounce or complaint of a result. */
const addressReportsOf = ({
  delivery: { accountId, email },
  outcome
}: DeliveryResult): ReadonlyArray<AddressReport> =>
  outcome._tag === "Bounced" || outcome._tag === "Complained"
    ? [{ accountId, email, kind: outcome._tag }]
    : []
