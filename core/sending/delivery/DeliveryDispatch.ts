/**
 * The turns of deliveries: which leave now, which wait and for what, in one transaction for a batch.
 *
 * @module
 */
import { Clock, Effect, Random } from "effect"
import type { DecodedJob } from "../../jobs/defineJob.ts"
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AttemptStore } from "../../ports/AttemptStore.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { MailTransport } from "../../ports/MailTransport.ts"
import { SendQuota } from "../../ports/SendQuota.ts"
import { type DeliveryMove, type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { Attempt } from "../../model/Message.ts"
import { domainOfAddress, type OutgoingDelivery } from "./DeliveryDraft.ts"
import { capDay, decideDispatch, movesThrough, moveTo, needsQuota } from "./DeliveryRules.ts"
import { makeConsentGate } from "./ConsentGate.ts"
import { makeBusyBackoff } from "./BusyBackoff.ts"
import { domainOf, senderOf } from "../domains/SenderChoice.ts"
import type { Delivery } from "../../model/Submission.ts"
import { makeSuppressionLookup } from "../suppressions/SuppressionLookup.ts"

/** The deliveries of a batch that leave now, all claimed. */
export interface DispatchBatch {
  readonly live: ReadonlyArray<OutgoingDelivery>
  readonly sandbox: ReadonlyArray<OutgoingDelivery>
}

/** What is capped leaves within this after the day begins, so that not all accounts' come at once. */
const capSpread = 600_000

/** A delivery whose turn it is to leave, not yet claimed, unless the daily cap holds it. */
type Ready = Omit<OutgoingDelivery, "domain">

/** The delivery a job is about. */
export const refOf = ({ job, payload }: DecodedJob<{ readonly deliveryId: string }>): DeliveryRef => ({
  accountId: job.accountId,
  id: payload.deliveryId
})

/** Names a delivery. */
export const refKey = (ref: DeliveryRef): string => `${ref.accountId}/${ref.id}`

/**
 * A function that decides the turn of each job's delivery, claims those that leave, and completes, puts off or caps
 * the others' jobs; in the caller's transaction, a fixed number of statements. `preparing` tells how many messages
 * are being prepared for a domain.
 */
export const makeDispatch = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const attempts = yield* AttemptStore
  const domains = yield* DomainStore
  const submissions = yield* SubmissionStore
  const findSuppressions = yield* makeSuppressionLookup
  const queue = yield* JobQueue
  const quota = yield* SendQuota
  const transport = yield* MailTransport
  const consentRevoked = yield* makeConsentGate
  const putOff = makeBusyBackoff()

  /** Splits those that are ready into those within the daily cap, in order, and those beyond it. */
  const capped = Effect.fnUntraced(function* (ready: ReadonlyArray<Ready>, day: string) {
    const wishes = Map.groupBy(
      ready.filter(({ delivery }) => needsQuota(delivery)),
      ({ account }) => account
    )
    if (wishes.size === 0) return { within: ready, beyond: [] }
    const granted = yield* quota.take(
      [...wishes].map(([account, group]) => ({
        accountId: account.id,
        day,
        wanted: group.length,
        limit: account.settings.dailySendLimit
      }))
    )
    const beyond = new Set([...wishes.values()].flatMap((group, index) => group.slice(granted[index])))
    return { within: ready.filter((one) => !beyond.has(one)), beyond: [...beyond] }
  })

  return Effect.fnUntraced(function* (claimed: ReadonlyArray<Job>, preparing: (domain: string) => number) {
    const now = yield* Clock.currentTimeMillis
    const decoded = yield* deliveryJob.decode(queue, claimed)
    const refs = decoded.map(refOf)
    const accountIds = [...new Set(refs.map((ref) => ref.accountId))]
    // Locked against a domain that is verified at this moment: either we see it, or its release sees our wait.
    const locked = yield* accounts.lock(accountIds)
    const [found, verified] = yield* Effect.all([submissions.unloaded(refs), domains.verified(accountIds)])
    const accountsById = new Map(locked.map((account) => [account.id, account]))
    const byDelivery = new Map(
      found.flatMap((submission) =>
        submission.deliveries.map((delivery) => [refKey(delivery), { submission, delivery }] as const)
      )
    )
    const suppressed = yield* findSuppressions(
      refs.flatMap((ref) => byDelivery.get(refKey(ref))?.delivery ?? [])
    )
    const kinds = new Map(suppressed.map((entry) => [`${entry.accountId}/${entry.email}`, entry.kind]))
    const refused = yield* consentRevoked(found)

    const first: Array<DeliveryMove> = []
    const second: Array<DeliveryMove> = []
    const done: Array<Job> = []
    const later: Array<readonly [job: Job, at: number]> = []
    const lost: Array<Attempt> = []
    const ready: Array<Ready> = []
    const ahead = new Map<string, number>()
    const through = (delivery: Delivery, ...steps: Parameters<typeof movesThrough>[1]) => {
      const tries = delivery.attempts + (steps[0]?.[0] === "Unknown" ? 1 : 0)
      const [start, ...rest] = movesThrough(delivery, steps, tries, now)
      if (start !== undefined) first.push(start)
      second.push(...rest)
    }
    for (const [index, { job }] of decoded.entries()) {
      const entry = byDelivery.get(refKey(refs[index]!))
      const account = accountsById.get(job.accountId)
      if (entry === undefined || account === undefined) {
        done.push(job)
        continue
      }
      const { delivery, submission } = entry
      const live = account.mode === "Live"
      const domain = domainOfAddress(delivery.email)
      const turn = decideDispatch({
        delivery,
        sendAt: submission.sendAt,
        sender: senderOf(account, verified, submission.from),
        suppression: kinds.get(`${delivery.accountId}/${delivery.email}`),
        busyUntil: live
          ? transport.busyUntil(domain, now, preparing(domain) + (ahead.get(domain) ?? 0))
          : null,
        isConsentRevoked: refused.has(submission.id),
        now
      })
      if (turn._tag !== "Done" && delivery.status === "HandingOff" && live)
        lost.push(lostAttempt(delivery, now))
      switch (turn._tag) {
        case "Done":
          done.push(job)
          break
        case "End":
          through(delivery, ...turn.steps)
          done.push(job)
          break
        case "Wait":
          through(delivery, ...turn.steps)
          later.push([
            job,
            turn.steps.at(-1)?.[1] === "sending.scheduled" ? turn.at : putOff(domain, turn.at)
          ])
          break
        case "HandOver":
          if (live) ahead.set(domain, (ahead.get(domain) ?? 0) + 1)
          ready.push({ job, submission, delivery, account, sender: turn.sender })
      }
    }

    const { day, next } = capDay(now)
    const { beyond, within } = yield* capped(ready, day)
    for (const { delivery } of beyond) {
      if (delivery.reason !== "sending.daily_cap") through(delivery, ["Queued", "sending.daily_cap"])
    }
    for (const { delivery } of within) {
      first.push(moveTo(delivery, delivery.status, ["HandingOff", null], delivery.attempts, now))
    }
    const moved = new Map((yield* submissions.move(first)).map((delivery) => [refKey(delivery), delivery]))
    if (second.length > 0) yield* submissions.move(second)
    if (lost.length > 0)
      yield* attempts.put(lost.filter((attempt) => moved.has(`${attempt.accountId}/${attempt.deliveryId}`)))

    const dispatched = { live: [] as Array<OutgoingDelivery>, sandbox: [] as Array<OutgoingDelivery> }
    for (const one of within) {
      const { account, sender } = one
      const delivery = moved.get(refKey(one.delivery))
      // Erased or cancelled at this moment.
      if (delivery === undefined) done.push(one.job)
      else {
        const domain = domainOf(account.id, sender.email, verified)!
        dispatched[account.mode === "Live" ? "live" : "sandbox"].push({ ...one, delivery, domain })
      }
    }
    if (done.length > 0) yield* queue.complete(done)
    if (beyond.length > 0) {
      const at = next + Math.floor((yield* Random.next) * capSpread)
      yield* queue.release(
        beyond.map((one) => one.job),
        at
      )
    }
    for (const [at, group] of Map.groupBy(later, ([, time]) => time)) {
      yield* queue.release(
        group.map(([job]) => job),
        at
      )
    }
    return dispatched satisfies DispatchBatch
  })
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
