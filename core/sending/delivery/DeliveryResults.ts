/**
 * What became of deliveries that left, written down with all that follows from it.
 *
 * @module
 */
import { Clock, Effect, Random } from "effect"
import type { AddressReport } from "../../audience/contacts/ConsentUpdates.ts"
import { AttemptStore } from "../../ports/AttemptStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { type DeliveryMove, SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { Attempt, Outcome } from "../../model/Message.ts"
import { attemptsAfter, eventsAfter, movesThrough, retryAt, statesAfter } from "./DeliveryRules.ts"
import { refKey } from "./DeliveryDispatch.ts"
import type { EmailEvent } from "../../model/EmailEvent.ts"
import { EmailEvents } from "../fanout/EmailEvents.ts"
import type { Delivery } from "../../model/Submission.ts"
import { makeSuppress } from "../suppressions/AddressReports.ts"

/** What became of a delivery that left. */
export interface Result {
  /** Its job, as claimed now; null when another worker has it. */
  readonly job: Job | null
  /** As claimed. */
  readonly delivery: Delivery
  readonly outcome: Outcome
  /** When its transport was asked and when it answered, epoch milliseconds; null in a sandbox, which has no attempts. */
  readonly attempt: { readonly startedAt: number; readonly finishedAt: number } | null
}

/** When a delivery's job comes up again, if it does. */
interface PlannedResult extends Result {
  readonly again: { readonly at: number; readonly how: "Retry" | "Release" } | null
}

/**
 * A function that writes down results, in the caller's transaction, a fixed number of statements. What is no longer
 * in the claim it left with is left as it is. Answers the deliveries that were.
 */
export const makeResults = Effect.gen(function* () {
  const attempts = yield* AttemptStore
  const submissions = yield* SubmissionStore
  const queue = yield* JobQueue
  const events = yield* EmailEvents
  const suppress = yield* makeSuppress

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

  return Effect.fnUntraced(function* (results: ReadonlyArray<Result>) {
    const now = yield* Clock.currentTimeMillis
    // One for all: those refused as often come up again together, in one statement.
    const jitter = yield* Random.next
    const steps: Array<Array<DeliveryMove>> = []
    const plannedResults = results.map((result): PlannedResult => {
      const { attempt, delivery, outcome } = result
      const tries = attemptsAfter(delivery, outcome)
      const again = comesAgain(outcome, tries, now, jitter)
      const states = statesAfter(outcome, delivery, again !== null, attempt === null)
      for (const [step, move] of movesThrough(delivery, states, tries, now).entries()) {
        ;(steps[step] ??= []).push(move)
      }
      return { ...result, again }
    })
    const [first = [], ...others] = steps
    const moved = new Set((first.length === 0 ? [] : yield* submissions.move(first)).map(refKey))
    for (const moves of others) yield* submissions.move(moves)
    const ours = plannedResults.filter(({ delivery }) => moved.has(refKey(delivery)))

    const tried = ours.flatMap(attemptOf)
    if (tried.length > 0) yield* attempts.put(tried)
    yield* suppress(ours.flatMap(verdictsOf), now)
    const contactEvents = ours.flatMap((planned) => eventsOf(planned, now))
    if (contactEvents.length > 0) yield* events.record(contactEvents)
    yield* endClaims([
      ...ours,
      // Erased meanwhile, or in another claim: where the job is still ours, its next turn tells what is to be done.
      ...plannedResults
        .filter(({ delivery }) => !moved.has(refKey(delivery)))
        .map((planned): PlannedResult => ({ ...planned, again: { at: now, how: "Release" } }))
    ])
    return ours.map(({ delivery }) => delivery)
  })
})

const comesAgain = (outcome: Outcome, tries: number, now: number, jitter: number): PlannedResult["again"] => {
  switch (outcome._tag) {
    case "Deferred": {
      const at = retryAt(tries, now, jitter, outcome.retryAfter)
      return at === null ? null : { at, how: "Retry" }
    }
    case "Busy":
      return { at: outcome.at, how: "Release" }
    default:
      return null
  }
}

const attemptOf = ({ attempt, delivery, outcome }: Result): ReadonlyArray<Attempt> => {
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
      host: conversation?.host ?? null,
      tls: conversation?.tls ?? null,
      replies: conversation?.replies ?? [],
      error: conversation?.error ?? null
    }
  ]
}

/** What mail told about the recipient, if it told anything. */
const verdictsOf = ({ delivery: { accountId, email }, outcome }: Result): ReadonlyArray<AddressReport> =>
  outcome._tag === "Bounced" || outcome._tag === "Complained"
    ? [{ accountId, email, kind: outcome._tag }]
    : []

const eventsOf = ({ delivery, outcome }: Result, at: number): ReadonlyArray<EmailEvent> =>
  eventsAfter(outcome).map(({ reason, type }) => ({
    accountId: delivery.accountId,
    deliveryId: delivery.id,
    submissionId: delivery.submissionId,
    type,
    email: delivery.email,
    url: null,
    reason,
    at
  }))
