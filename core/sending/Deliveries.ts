/**
 * Takes deliveries to their transport: claim, hand over, record what became of it. A transaction is never held open
 * while a message is handed over.
 *
 * @module
 */
import { Clock, Effect, Random } from "effect"
import { type AddressVerdict, makeConsentMover } from "../audience/ConsentMover.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { MailTransport } from "../ports/MailTransport.ts"
import { MessageComposer } from "../ports/MessageComposer.ts"
import { type DeliveryMove, type DeliveryRef, SubmissionStore } from "../ports/SubmissionStore.ts"
import { SuppressionStore } from "../ports/SuppressionStore.ts"
import { Transaction } from "../ports/Transaction.ts"
import { retryConflicts } from "../shared/Conflicts.ts"
import { decideTurn, moveTo, retryAt, statesAfter } from "./DeliveryRules.ts"
import type { MessageDraft, OutboundMessage, Outcome } from "./Message.ts"
import { senderOf } from "./SenderChoice.ts"
import type { Delivery, Submission } from "./Submission.ts"

/** A delivery whose turn it is to leave. */
interface Leaving {
  readonly job: Job
  readonly submission: Submission
  readonly delivery: Delivery
  readonly draft: MessageDraft
}

/** The delivery a job is about. */
const refOf = (job: Job): DeliveryRef => ({
  accountId: job.accountId,
  id: (job.payload as { readonly deliveryId: string }).deliveryId
})

const refKey = (ref: DeliveryRef): string => `${ref.accountId}/${ref.id}`

/** The handler of the `deliveries` queue. */
export const makeDeliveries = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const domains = yield* DomainStore
  const submissions = yield* SubmissionStore
  const suppressions = yield* SuppressionStore
  const queue = yield* JobQueue
  const transport = yield* MailTransport
  const composer = yield* MessageComposer
  const transaction = yield* Transaction
  const moveConsent = yield* makeConsentMover

  /** Decides each delivery's turn and claims those that leave. Jobs of the others are completed. */
  const begin = Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>, now: number) {
    const refs = jobs.map(refOf)
    const accountIds = [...new Set(refs.map((ref) => ref.accountId))]
    // Locked against a domain that is verified at this moment: either we see it, or its release sees our wait.
    const accountList = yield* accounts.lock(accountIds)
    const [found, verified] = yield* Effect.all([
      submissions.ofDeliveries(refs),
      domains.verified(accountIds)
    ])
    const senders = new Map(accountList.map((account) => [account.id, senderOf(account, verified)]))
    const byDelivery = new Map(
      found.flatMap((submission) =>
        submission.deliveries.map((delivery) => [refKey(delivery), { submission, delivery }] as const)
      )
    )
    const suppressed = yield* suppressions.find(
      jobs.flatMap((job) => byDelivery.get(refKey(refOf(job)))?.delivery ?? [])
    )
    const kinds = new Map(suppressed.map((entry) => [`${entry.accountId}/${entry.email}`, entry.kind]))

    const moves: Array<DeliveryMove> = []
    const done: Array<Job> = []
    const leaving: Array<Leaving> = []
    for (const job of jobs) {
      const entry = byDelivery.get(refKey(refOf(job)))
      if (entry === undefined) {
        done.push(job)
        continue
      }
      const { delivery, submission } = entry
      const turn = decideTurn(
        delivery,
        senders.get(job.accountId) ?? null,
        kinds.get(`${delivery.accountId}/${delivery.email}`)
      )
      switch (turn._tag) {
        case "Done":
          done.push(job)
          break
        case "Park":
          moves.push(moveTo(delivery, delivery.status, "Queued", turn.reason, delivery.attempts, now))
          done.push(job)
          break
        case "Suppress":
          moves.push(moveTo(delivery, delivery.status, "Suppressed", turn.reason, delivery.attempts, now))
          done.push(job)
          break
        case "HandOver":
          if (delivery.status === "Queued") {
            moves.push(moveTo(delivery, "Queued", "HandingOff", null, delivery.attempts, now))
          }
          leaving.push({ job, submission, delivery, draft: draftOf(submission, delivery, turn.sender, now) })
      }
    }
    yield* submissions.move(moves)
    yield* queue.complete(done)
    return leaving
  })

  /** Records what became of the messages and what follows from it, all in one transaction. */
  const finish = Effect.fnUntraced(function* (
    leaving: ReadonlyArray<Leaving>,
    outcomes: ReadonlyArray<Outcome>,
    now: number
  ) {
    const steps: Array<Array<DeliveryMove>> = []
    const verdicts: Array<AddressVerdict> = []
    const done: Array<Job> = []
    const again = new Map<number, { readonly at: number; readonly jobs: Array<Job> }>()
    for (const [index, { delivery, job }] of leaving.entries()) {
      const outcome = outcomes[index]!
      const attempts = delivery.attempts + 1
      const at = outcome._tag === "Deferred" ? yield* nextTry(again, attempts, now) : null
      let from: DeliveryMove["from"] = "HandingOff"
      for (const [step, [to, reason]] of statesAfter(outcome, at !== null).entries()) {
        ;(steps[step] ??= []).push(moveTo(delivery, from, to, reason, attempts, now))
        from = to
      }
      if (at === null) done.push(job)
      else again.get(attempts)!.jobs.push(job)
      if (outcome._tag === "Bounced" || outcome._tag === "Complained") {
        verdicts.push({ accountId: delivery.accountId, email: delivery.email, kind: outcome._tag })
      }
    }
    for (const moves of steps) yield* submissions.move(moves)
    if (verdicts.length > 0) {
      yield* suppressions.put(verdicts.map((verdict) => ({ ...verdict, createdAt: now })))
      yield* moveConsent(verdicts)
    }
    yield* queue.complete(done)
    for (const { at, jobs } of again.values()) {
      if (jobs.length > 0) yield* queue.retry(jobs, at, "sending.retrying")
    }
  })

  return Effect.fn("Deliveries.run")(function* (jobs: ReadonlyArray<Job>) {
    const leaving = yield* retryConflicts(
      transaction.run(Effect.flatMap(Clock.currentTimeMillis, (now) => begin(jobs, now)))
    )
    if (leaving.length === 0) return
    const raws = yield* composer.compose(leaving.map((entry) => entry.draft))
    const messages = leaving.map((entry, index) => messageOf(entry, raws[index]!))
    const now = yield* Clock.currentTimeMillis
    const outcomes = yield* transport.send(messages, now)
    yield* retryConflicts(transaction.run(finish(leaving, outcomes, now)))
  })
})

/** When messages refused for the time being are tried again: one time for all of a batch that were tried as often. */
const nextTry = Effect.fnUntraced(function* (
  again: Map<number, { readonly at: number; readonly jobs: Array<Job> }>,
  attempts: number,
  now: number
) {
  const known = again.get(attempts)
  if (known !== undefined) return known.at
  const at = retryAt(attempts, now, yield* Random.next)
  if (at !== null) again.set(attempts, { at, jobs: [] })
  return at
})

const draftOf = (
  submission: Submission,
  delivery: Delivery,
  sender: { readonly email: string; readonly name: string | null },
  now: number
): MessageDraft => ({
  from: sender,
  to: [{ email: delivery.email, name: delivery.name }],
  cc: [],
  subject: submission.subject,
  html: submission.html,
  text: submission.text,
  messageId: `${delivery.id}@${sender.email.slice(sender.email.lastIndexOf("@") + 1)}`,
  date: now
})

const messageOf = ({ delivery, draft, submission }: Leaving, raw: Uint8Array): OutboundMessage => ({
  deliveryId: delivery.id,
  submissionId: submission.id,
  accountId: submission.accountId,
  recipient: delivery.email,
  from: draft.from,
  subject: draft.subject,
  html: draft.html,
  text: draft.text,
  raw,
  attempts: delivery.attempts
})
