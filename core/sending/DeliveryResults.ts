/**
 * What became of deliveries that left, written down with all that follows from it.
 *
 * @module
 */
import { Clock, Effect, Random } from "effect"
import type { AddressVerdict } from "../audience/ConsentMover.ts"
import { AttemptStore } from "../ports/AttemptStore.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { type DeliveryMove, SubmissionStore } from "../ports/SubmissionStore.ts"
import type { Attempt } from "./Attempt.ts"
import { attemptsAfter, eventsAfter, movesThrough, retryAt, statesAfter } from "./DeliveryRules.ts"
import { refKey } from "./DeliveryTurns.ts"
import type { EmailEvent } from "./EmailEvent.ts"
import { EmailEvents } from "./EmailEvents.ts"
import type { Outcome } from "./Message.ts"
import type { Delivery } from "./Submission.ts"
import { makeSuppress } from "./Suppress.ts"

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
interface Fate extends Result {
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

  const endClaims = Effect.fnUntraced(function* (fates: ReadonlyArray<Fate>) {
    const ours = fates.filter((fate): fate is Fate & { readonly job: Job } => fate.job !== null)
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
    const fates = results.map((result): Fate => {
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
    const ours = fates.filter(({ delivery }) => moved.has(refKey(delivery)))

    const tried = ours.flatMap(attemptOf)
    if (tried.length > 0) yield* attempts.put(tried)
    yield* suppress(ours.flatMap(verdictsOf), now)
    const happenings = ours.flatMap((fate) => eventsOf(fate, now))
    if (happenings.length > 0) yield* events.record(happenings)
    yield* endClaims([
      ...ours,
      // Erased meanwhile, or in another claim: where the job is still ours, its next turn tells what is to be done.
      ...fates
        .filter(({ delivery }) => !moved.has(refKey(delivery)))
        .map((fate): Fate => ({ ...fate, again: { at: now, how: "Release" } }))
    ])
    return ours.map(({ delivery }) => delivery)
  })
})

const comesAgain = (outcome: Outcome, tries: number, now: number, jitter: number): Fate["again"] => {
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
const verdictsOf = ({ delivery: { accountId, email }, outcome }: Result): ReadonlyArray<AddressVerdict> =>
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
