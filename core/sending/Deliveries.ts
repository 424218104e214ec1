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
import { InboxStore } from "../ports/InboxStore.ts"
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
import { makeSuppressionLookup } from "./SuppressionLookup.ts"
import type { Delivery, Submission } from "./Submission.ts"

/** A delivery whose turn it is to leave. */
interface Leaving {
  readonly job: Job
  readonly submission: Submission
  readonly delivery: Delivery
  readonly draft: MessageDraft
}

/** What became of a delivery that left. */
interface Fate {
  readonly job: Job
  readonly delivery: Delivery
  readonly outcome: Outcome
  /** When it is tried again, epoch milliseconds; null when it is not. */
  readonly at: number | null
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
  const findSuppressions = yield* makeSuppressionLookup
  const inbox = yield* InboxStore
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
    const suppressed = yield* findSuppressions(
      jobs.flatMap((job) => byDelivery.get(refKey(refOf(job)))?.delivery ?? [])
    )
    const kinds = new Map(suppressed.map((entry) => [`${entry.accountId}/${entry.email}`, entry.kind]))

    const moves: Array<DeliveryMove> = []
    const done: Array<Job> = []
    const gone: Array<DeliveryRef> = []
    const leaving: Array<Leaving> = []
    for (const job of jobs) {
      const entry = byDelivery.get(refKey(refOf(job)))
      if (entry === undefined) {
        done.push(job)
        gone.push(refOf(job))
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
    const moved = new Set((yield* submissions.move(moves)).map(refKey))
    // A worker that was killed may have handed over to the inbox what was erased then.
    yield* inbox.erase(gone)
    const [staying, erased] = partition(
      leaving,
      ({ delivery }) => delivery.status !== "Queued" || moved.has(refKey(delivery))
    )
    yield* queue.complete([...done, ...erased.map((entry) => entry.job)])
    return staying
  })

  /** Those of the deliveries that are no more: their recipient was erased while they were handed over. */
  const erasedMeanwhile = Effect.fnUntraced(function* (refs: ReadonlyArray<DeliveryRef>) {
    if (refs.length === 0) return []
    const found = yield* submissions.ofDeliveries(refs)
    const known = new Set(found.flatMap((submission) => submission.deliveries.map(refKey)))
    return refs.filter((ref) => !known.has(refKey(ref)))
  })

  /** Records what became of the messages and what follows from it, all in one transaction. */
  const finish = Effect.fnUntraced(function* (
    leaving: ReadonlyArray<Leaving>,
    outcomes: ReadonlyArray<Outcome>,
    now: number
  ) {
    const steps: Array<Array<DeliveryMove>> = []
    const fates: Array<Fate> = []
    const retries = new Map<number, number>()
    for (const [index, { delivery, job }] of leaving.entries()) {
      const outcome = outcomes[index]!
      const attempts = delivery.attempts + 1
      const at = outcome._tag === "Deferred" ? yield* nextTry(retries, attempts, now) : null
      let from: DeliveryMove["from"] = "HandingOff"
      for (const [step, [to, reason]] of statesAfter(outcome, at !== null).entries()) {
        ;(steps[step] ??= []).push(moveTo(delivery, from, to, reason, attempts, now))
        from = to
      }
      fates.push({ delivery, job, outcome, at })
    }
    const [first = [], ...others] = steps
    const moved = new Set((yield* submissions.move(first)).map(refKey))
    for (const moves of others) yield* submissions.move(moves)
    const gone = yield* erasedMeanwhile(
      leaving.map((entry) => entry.delivery).filter((delivery) => !moved.has(refKey(delivery)))
    )
    yield* inbox.erase(gone)

    const erased = new Set(gone.map(refKey))
    const [over, alive] = partition(fates, ({ delivery }) => erased.has(refKey(delivery)))
    const verdicts = alive.flatMap(verdictsOf)
    if (verdicts.length > 0) {
      yield* suppressions.put(verdicts.map((verdict) => ({ ...verdict, createdAt: now })))
      yield* moveConsent(verdicts)
    }
    const [done, again] = partition(alive, ({ at }) => at === null)
    yield* queue.complete([...over, ...done].map((fate) => fate.job))
    for (const [at, group] of Map.groupBy(again, (fate) => fate.at!)) {
      yield* queue.retry(
        group.map((fate) => fate.job),
        at,
        "sending.retrying"
      )
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

/** Those that pass, and those that do not. */
const partition = <A>(all: ReadonlyArray<A>, passes: (one: A) => boolean): [Array<A>, Array<A>] => {
  const sides: [Array<A>, Array<A>] = [[], []]
  for (const one of all) sides[passes(one) ? 0 : 1].push(one)
  return sides
}

/** When messages refused for the time being are tried again: one time for all of a batch that were tried as often. */
const nextTry = Effect.fnUntraced(function* (retries: Map<number, number>, attempts: number, now: number) {
  const known = retries.get(attempts)
  if (known !== undefined) return known
  const at = retryAt(attempts, now, yield* Random.next)
  if (at !== null) retries.set(attempts, at)
  return at
})

/** What mail told about the recipient, if it told anything. */
const verdictsOf = ({ delivery: { accountId, email }, outcome }: Fate): ReadonlyArray<AddressVerdict> =>
  outcome._tag === "Bounced" || outcome._tag === "Complained"
    ? [{ accountId, email, kind: outcome._tag }]
    : []

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
