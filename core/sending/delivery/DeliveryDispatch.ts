/**
 * Dispatches deliveries: decides which of a batch are sent now and which wait, and claims those that are sent, in one
 * transaction.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Random } from "effect"
import type { DecodedJob } from "../../jobs/defineJob.ts"
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import type { Account } from "../../model/Account.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AttemptStore } from "../../ports/AttemptStore.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import { type Job, JobQueue, type LeaseLost } from "../../ports/JobQueue.ts"
import { MailTransport } from "../../ports/MailTransport.ts"
import { SendQuota } from "../../ports/SendQuota.ts"
import { type DeliveryMove, type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { WriteConflict } from "../../ports/Transaction.ts"
import { Atomically } from "../../kernel/atomically.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { domainOfAddress, type OutgoingDelivery } from "./DeliveryDraft.ts"
import {
  capDay,
  decideDispatch,
  movesThrough,
  moveTo,
  needsQuota,
  statesAfterBurial,
  type Step
} from "./DeliveryRules.ts"
import { ConsentGate } from "./ConsentGate.ts"
import { domainOf, senderOf } from "../domains/SenderChoice.ts"
import type { SendingDomain } from "../../model/Domain.ts"
import type { Attempt } from "../../model/Message.ts"
import type { Delivery, UnloadedSubmission } from "../../model/Submission.ts"
import type { SuppressionKind } from "../../model/Suppression.ts"
import { SuppressionLookup } from "../suppressions/SuppressionLookup.ts"

/** The deliveries of a batch that are sent now, all claimed. */
export interface DispatchBatch {
  readonly live: ReadonlyArray<OutgoingDelivery>
  readonly sandbox: ReadonlyArray<OutgoingDelivery>
}

/** Deliveries beyond the daily cap are due within this time after the next day begins, so that accounts' are spread. */
const capSpread = 600_000

type DeliveryJob = DecodedJob<{ readonly deliveryId: string }>

const refOf = ({ job, payload }: DeliveryJob): DeliveryRef => ({
  accountId: job.accountId,
  id: payload.deliveryId
})

/** A string that identifies a delivery. */
export const refKey = (ref: DeliveryRef): string => `${ref.accountId}/${ref.id}`

/** Dispatches deliveries, and fails those whose jobs are buried. */
export class DeliveryDispatch extends Context.Service<
  DeliveryDispatch,
  {
    /**
     * Decides what happens to the delivery of each job: claims those that are sent now, and completes or reschedules
     * the jobs of the others; in the caller's transaction, a fixed number of statements.
     *
     * @param preparing how many messages are being prepared for a recipient's domain
     */
    readonly dispatch: (
      jobs: ReadonlyArray<Job>,
      preparing: (domain: string) => number
    ) => Effect.Effect<DispatchBatch, LeaseLost | Unavailable | WriteConflict>
    /** Moves the deliveries of jobs that failed too often to a final state. */
    readonly failDeliveries: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, Unavailable>
  }
>()("svc/sending/DeliveryDispatch") {
  static readonly layer = Layer.effect(
    DeliveryDispatch,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([ConsentGate.layer, SuppressionLookup.layer]))
}

/** What the deliveries of a batch are decided on. */
interface BatchFacts {
  readonly accounts: ReadonlyMap<string, Account>
  /** By `refKey`. */
  readonly deliveries: ReadonlyMap<
    string,
    { readonly submission: UnloadedSubmission; readonly delivery: Delivery }
  >
  readonly verified: ReadonlyArray<SendingDomain>
  /** By account and address. */
  readonly suppressions: ReadonlyMap<string, SuppressionKind>
  /** Ids of submissions. */
  readonly consentRevoked: ReadonlySet<string>
}

/** A delivery that may be sent now, unless the daily cap holds it; not yet claimed. */
type Ready = Omit<OutgoingDelivery, "domain">

/** What is to be written for a batch. */
class DispatchPlan {
  /** The first move of each delivery, and the moves after it. */
  readonly firstMoves: Array<DeliveryMove> = []
  readonly laterMoves: Array<DeliveryMove> = []
  readonly done: Array<Job> = []
  readonly waiting: Array<{ readonly job: Job; readonly at: number }> = []
  /** Attempts of senders that died. */
  readonly lostAttempts: Array<Attempt> = []
  readonly ready: Array<Ready> = []
  readonly now: number

  constructor(now: number) {
    this.now = now
  }

  moveThrough(delivery: Delivery, steps: ReadonlyArray<Step>): void {
    const tries = delivery.attempts + (steps[0]?.[0] === "Unknown" ? 1 : 0)
    const [first, ...later] = movesThrough(delivery, steps, tries, this.now)
    if (first !== undefined) this.firstMoves.push(first)
    this.laterMoves.push(...later)
  }
}

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const attempts = yield* AttemptStore
  const atomically = yield* Atomically
  const consentGate = yield* ConsentGate
  const domains = yield* DomainStore
  const queue = yield* JobQueue
  const quota = yield* SendQuota
  const submissions = yield* SubmissionStore
  const suppressions = yield* SuppressionLookup
  const transport = yield* MailTransport
  const busyBackoff = new BusyBackoff()

  const load = Effect.fnUntraced(function* (refs: ReadonlyArray<DeliveryRef>) {
    const accountIds = [...new Set(refs.map((ref) => ref.accountId))]
    // Locked against a domain that is verified at the same time: either its verification is read here, or its release
    // finds these deliveries waiting.
    const locked = yield* accounts.lock(accountIds)
    const [found, verified] = yield* Effect.all([submissions.unloaded(refs), domains.verified(accountIds)])
    const deliveries = new Map(
      found.flatMap((submission) =>
        submission.deliveries.map((delivery) => [refKey(delivery), { submission, delivery }] as const)
      )
    )
    const suppressed = yield* suppressions.find(
      refs.flatMap((ref) => deliveries.get(refKey(ref))?.delivery ?? [])
    )
    return {
      accounts: new Map(locked.map((account) => [account.id, account])),
      deliveries,
      verified,
      suppressions: new Map(suppressed.map((entry) => [`${entry.accountId}/${entry.email}`, entry.kind])),
      consentRevoked: yield* consentGate.findRevoked(found)
    } satisfies BatchFacts
  })

  /** Decides each job's delivery. */
  const decide = (
    decoded: ReadonlyArray<DeliveryJob>,
    facts: BatchFacts,
    preparing: (domain: string) => number,
    now: number
  ): DispatchPlan => {
    const plan = new DispatchPlan(now)
    /** Deliveries of this batch that go to a domain. */
    const ahead = new Map<string, number>()
    for (const one of decoded) {
      const { job } = one
      const found = facts.deliveries.get(refKey(refOf(one)))
      const account = facts.accounts.get(job.accountId)
      if (found === undefined || account === undefined) {
        plan.done.push(job)
        continue
      }
      const { delivery, submission } = found
      const live = account.mode === "Live"
      const domain = domainOfAddress(delivery.email)
      const decision = decideDispatch({
        delivery,
        sendAt: submission.sendAt,
        sender: senderOf(account, facts.verified, submission.from),
        suppression: facts.suppressions.get(`${delivery.accountId}/${delivery.email}`),
        busyUntil: live
          ? transport.busyUntil(domain, now, preparing(domain) + (ahead.get(domain) ?? 0))
          : null,
        isConsentRevoked: facts.consentRevoked.has(submission.id),
        now
      })
      if (decision._tag !== "Done" && delivery.status === "HandingOff" && live) {
        plan.lostAttempts.push(lostAttempt(delivery, now))
      }
      switch (decision._tag) {
        case "Done":
          plan.done.push(job)
          break
        case "End":
          plan.moveThrough(delivery, decision.steps)
          plan.done.push(job)
          break
        case "Wait": {
          plan.moveThrough(delivery, decision.steps)
          const isScheduled = decision.steps.at(-1)?.[1] === "sending.scheduled"
          plan.waiting.push({
            job,
            at: isScheduled ? decision.at : busyBackoff.nextAt(domain, decision.at)
          })
          break
        }
        case "Send":
          if (live) ahead.set(domain, (ahead.get(domain) ?? 0) + 1)
          plan.ready.push({ job, submission, delivery, account, sender: decision.sender })
      }
    }
    return plan
  }

  /** Splits deliveries into those within the daily cap, in order, and those beyond it. */
  const applyCap = Effect.fnUntraced(function* (ready: ReadonlyArray<Ready>, day: string) {
    const byAccount = Map.groupBy(
      ready.filter(({ delivery }) => needsQuota(delivery)),
      ({ account }) => account
    )
    if (byAccount.size === 0) return { within: ready, beyond: [] }
    const granted = yield* quota.take(
      [...byAccount].map(([account, group]) => ({
        accountId: account.id,
        day,
        wanted: group.length,
        limit: account.settings.dailySendLimit
      }))
    )
    const beyond = new Set([...byAccount.values()].flatMap((group, index) => group.slice(granted[index])))
    return { within: ready.filter((one) => !beyond.has(one)), beyond: [...beyond] }
  })

  /** Writes the moves of a plan; returns the deliveries as moved, by `refKey`. */
  const move = Effect.fnUntraced(function* ({ firstMoves, laterMoves, lostAttempts }: DispatchPlan) {
    const moved = new Map(
      (yield* submissions.move(firstMoves)).map((delivery) => [refKey(delivery), delivery])
    )
    if (laterMoves.length > 0) yield* submissions.move(laterMoves)
    if (lostAttempts.length > 0) {
      yield* attempts.put(
        lostAttempts.filter(({ accountId, deliveryId }) => moved.has(`${accountId}/${deliveryId}`))
      )
    }
    return moved
  })

  const releaseAt = (at: number, jobs: ReadonlyArray<{ readonly job: Job }>) =>
    queue.release(
      jobs.map(({ job }) => job),
      at
    )

  const dispatch = Effect.fn("DeliveryDispatch.dispatch")(function* (
    jobs: ReadonlyArray<Job>,
    preparing: (domain: string) => number
  ) {
    const now = yield* Clock.currentTimeMillis
    const decoded = yield* deliveryJob.decode(queue, jobs)
    const facts = yield* load(decoded.map(refOf))
    const plan = decide(decoded, facts, preparing, now)
    const { day, next } = capDay(now)
    const { beyond, within } = yield* applyCap(plan.ready, day)
    for (const { delivery } of beyond) {
      if (delivery.reason !== "sending.daily_cap") {
        plan.moveThrough(delivery, [["Queued", "sending.daily_cap"]])
      }
    }
    for (const { delivery } of within) {
      plan.firstMoves.push(moveTo(delivery, delivery.status, ["HandingOff", null], delivery.attempts, now))
    }
    const moved = yield* move(plan)
    const batch = { live: [] as Array<OutgoingDelivery>, sandbox: [] as Array<OutgoingDelivery> }
    for (const one of within) {
      const { account, job, sender } = one
      const delivery = moved.get(refKey(one.delivery))
      // Erased or cancelled at the same time.
      if (delivery === undefined) plan.done.push(job)
      else {
        const domain = domainOf(account.id, sender.email, facts.verified)!
        batch[account.mode === "Live" ? "live" : "sandbox"].push({ ...one, delivery, domain })
      }
    }
    if (plan.done.length > 0) yield* queue.complete(plan.done)
    if (beyond.length > 0) {
      yield* releaseAt(next + Math.floor((yield* Random.next) * capSpread), beyond)
    }
    for (const [at, group] of Map.groupBy(plan.waiting, (one) => one.at)) yield* releaseAt(at, group)
    return batch satisfies DispatchBatch
  })

  const failDeliveries = Effect.fn("DeliveryDispatch.failDeliveries")((jobs: ReadonlyArray<Job>) =>
    atomically(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const found = yield* submissions.deliveries((yield* deliveryJob.decode(queue, jobs)).map(refOf))
        const moves = found.map((delivery) =>
          movesThrough(delivery, statesAfterBurial(delivery), delivery.attempts, now)
        )
        yield* submissions.move(moves.flatMap((each) => each.slice(0, 1)))
        yield* submissions.move(moves.flatMap((each) => each.slice(1)))
      })
    )
  )

  return DeliveryDispatch.of({ dispatch, failDeliveries })
})

/** The attempt of a sender that died. */
const lostAttempt = ({ accountId, claims, id, updatedAt }: Delivery, now: number): Attempt => ({
  accountId,
  deliveryId: id,
  claim: claims,
  startedAt: updatedAt,
  finishedAt: now,
  outcome: "Lost",
  host: null,
  tls: null,
  replies: [],
  error: null
})

/** Milliseconds between two deliveries of a busy destination: up to 500 a second are tried again. */
const busyInterval = 2
/** Times are rounded up to a multiple of this: each different time of a batch is a statement. */
const busyGrid = 1_000
/** The longest delay beyond the time a destination is busy, milliseconds: it may recover earlier than expected. */
const maxBusyDelay = 300_000
/** The most destinations whose last time is kept. The next delivery of one that was dropped is tried earlier. */
const maxBusyDestinations = 10_000

/**
 * Spreads the deliveries that wait for busy destinations, so that not all of a long backlog are tried again at the same
 * time.
 */
class BusyBackoff {
  /** When the last delivery of a destination is tried again, epoch milliseconds; the oldest entry first. */
  private readonly lastAt = new Map<string, number>()

  /** When the next delivery to a domain that is busy until `until` is tried again; epoch milliseconds. */
  nextAt(domain: string, until: number): number {
    const { lastAt } = this
    const at = Math.min(Math.max(until, (lastAt.get(domain) ?? 0) + busyInterval), until + maxBusyDelay)
    lastAt.delete(domain)
    lastAt.set(domain, at)
    if (lastAt.size > maxBusyDestinations) lastAt.delete(lastAt.keys().next().value!)
    return Math.ceil(at / busyGrid) * busyGrid
  }
}
