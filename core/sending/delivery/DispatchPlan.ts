/**
 * Plans the dispatch of a batch of deliveries: the moves to write, and the jobs to complete or reschedule. Pure except for
 * the state of `BusyBackoff`.
 *
 * @module
 */
import type { DecodedJob } from "../../jobs/defineJob.ts"
import type { Account, Sender } from "../../model/Account.ts"
import type { Job } from "../../ports/JobQueue.ts"
import type { DeliveryMove, DeliveryRef } from "../../ports/SubmissionStore.ts"
import { type OutgoingDelivery } from "./DeliveryDraft.ts"
import { domainOfAddress } from "../../shared/EmailAddress.ts"
import { decideDispatch, movesThrough, noConversation, type Step } from "./DeliveryRules.ts"
import { senderOf } from "../domains/SenderChoice.ts"
import { isHeldReason, notDueMillis } from "../../model/DeliveryStatus.ts"
import type { SendingDomain } from "../../model/Domain.ts"
import { type Attempt, type MailClass, mailClasses, mailClassOf, relayLaneOf } from "../../model/Message.ts"
import type { Ways } from "../relays/RelayRouting.ts"
import { type Delivery, lineOf, type UnloadedSubmission } from "../../model/Submission.ts"
import type { GateRefusal } from "../gate/GateRules.ts"
import type { BusyBackoff } from "../shaping/BusyBackoff.ts"
import { type ContentOrigin, contentOf, type ShapedMessage, type Wait } from "../shaping/Shaping.ts"
import { maxHeld } from "../shaping/SuspensionRules.ts"

/** A claimed job of a delivery. */
export type DeliveryJob = DecodedJob<{ readonly deliveryId: string }>

/** The delivery of a job. */
export const refOf = ({ job, payload }: DeliveryJob): DeliveryRef => ({
  accountId: job.accountId,
  id: payload.deliveryId
})

/** A string that identifies a delivery. */
export const deliveryKey = (ref: DeliveryRef): string => `${ref.accountId}/${ref.id}`

/** What the deliveries of a batch are decided on. */
export interface BatchFacts {
  readonly accounts: ReadonlyMap<string, Account>
  /** By `deliveryKey`. */
  readonly deliveries: ReadonlyMap<
    string,
    { readonly submission: UnloadedSubmission; readonly delivery: Delivery }
  >
  readonly verified: ReadonlyArray<SendingDomain>
  /** Why the gate refuses deliveries, by `deliveryKey`. */
  readonly refusals: ReadonlyMap<string, GateRefusal>
}

/** A delivery that may be sent now, unless the daily cap holds it; not yet claimed. */
export type Ready = Omit<OutgoingDelivery, "domain">

/** What is to be written for a batch. */
export class DispatchPlan {
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

  /** @param held the lane that it is held on, and its line; null for none */
  moveThrough(delivery: Delivery, steps: ReadonlyArray<Step>, held: DeliveryMove["held"] = null): void {
    const tries = delivery.attempts + (steps[0]?.[0] === "Unknown" ? 1 : 0)
    const [first, ...later] = movesThrough(delivery, steps, tries, this.now)
    if (first !== undefined) this.firstMoves.push({ ...first, held })
    this.laterMoves.push(...later)
  }
}

/**
 * Decides the delivery of each job, in the order in which kinds of mail go before each other.
 *
 * @param busyUntil until when the recipient's domain of a message, or the relay that it takes first, is busy for its account,
 * epoch milliseconds, with so many deliveries of the batch ahead; null when it is not
 * @param waitOf why a message waits otherwise; null when it does not
 * @param waysOf the ways that an account chose for an email
 */
export const planDispatch = (
  decoded: ReadonlyArray<DeliveryJob>,
  facts: BatchFacts,
  busyUntil: (message: ShapedMessage, mailClass: MailClass, ahead: number, relay?: string) => number | null,
  waitOf: (message: ShapedMessage) => Wait | null,
  busyBackoff: BusyBackoff,
  now: number,
  waysOf: (account: Account, submission: Pick<UnloadedSubmission, "marketing">) => Ways = () => ({
    _tag: "Default"
  })
): DispatchPlan => {
  const plan = new DispatchPlan(now)
  /** Deliveries of this batch that go to a domain, or to a relay. */
  const ahead = new Map<string, number>()
  const foundOf = (one: DeliveryJob) => facts.deliveries.get(deliveryKey(refOf(one)))
  const classOf = (one: DeliveryJob) => mailClassOf(foundOf(one)?.submission.marketing ?? null)
  const byClass = Map.groupBy(decoded, classOf)
  for (const one of mailClasses.flatMap((mailClass) => byClass.get(mailClass) ?? [])) {
    const { job } = one
    const found = foundOf(one)
    const account = facts.accounts.get(job.accountId)
    if (found === undefined || account === undefined) {
      plan.done.push(job)
      continue
    }
    const { delivery, submission } = found
    const live = account.mode === "Live"
    // Until a deleted company is restored no sender is.
    const sender = account.deletedAt === null ? senderOf(account, facts.verified, submission.from) : null
    const ways = live ? waysOf(account, submission) : byDefault
    const relay = firstRelayOf(ways)
    const destination = destinationOf(delivery, ways)
    const isBounded = live && (ways._tag === "Default" || relay !== undefined)
    const message = sender === null ? null : shapedOf({ account, delivery, submission }, sender, ways)
    const waiting = live && isDue(submission, now) ? message : null
    const wait =
      waiting === null
        ? null
        : ways._tag === "Chosen" && ways.ways.length === 0
          ? {
              at: now + unavailablePause,
              hold: { reason: "sending.relay_unavailable" as const, lane: noLane }
            }
          : waitOf(waiting)
    const dueSince = firstDue(submission, delivery, now)
    const decision = decideDispatch({
      delivery,
      sendAt: submission.sendAt,
      sender,
      refusal: facts.refusals.get(deliveryKey(delivery)) ?? null,
      busyUntil:
        isBounded && message !== null
          ? busyUntil(message, classOf(one), ahead.get(destination) ?? 0, relay)
          : null,
      wait,
      maxHeld: maxHeld(submission.marketing !== null),
      dueSince,
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
        const { at, lane } = decision
        const isMarketing = submission.marketing !== null
        const line = message === null ? "" : lineOf(isMarketing, message.sender)
        plan.moveThrough(delivery, decision.steps, lane === null ? null : { lane, line })
        const isScheduled = decision.steps.at(-1)?.[1] === "sending.scheduled"
        const stream = isMarketing ? "marketing" : "transactional"
        plan.waiting.push({
          job,
          at: isScheduled
            ? at
            : lane !== null && isHeldReason(wait!.hold.reason)
              ? Math.min(
                  busyBackoff.heldAt(`${lane} ${job.accountId} ${line}`, stream, at, now),
                  dueSince + maxHeld(isMarketing)
                )
              : wait?.pace === undefined
                ? busyBackoff.nextAt(lane === noLane ? `${noLane} ${job.accountId}` : destination, at)
                : busyBackoff.nextTurn(wait.hold.lane, job.accountId, at, wait.pace)
        })
        break
      }
      case "Send":
        if (isBounded) ahead.set(destination, (ahead.get(destination) ?? 0) + 1)
        plan.ready.push({ job, submission, delivery, account, sender: decision.sender, ways })
    }
  }
  return plan
}

/** Whether the time of an email has come. */
export const isDue = ({ sendAt }: Pick<UnloadedSubmission, "sendAt">, now: number): boolean =>
  sendAt === null || sendAt <= now

/** When a delivery was first due, epoch milliseconds: later by as long as it waited for something other than a server. */
export const firstDue = (
  { createdAt, sendAt }: Pick<UnloadedSubmission, "createdAt" | "sendAt">,
  delivery: Pick<Delivery, "notDue" | "reason" | "updatedAt">,
  now: number
): number => (sendAt ?? createdAt) + notDueMillis(delivery, now)

/** A delivery as far as it matters to what waits. */
export const shapedOf = (
  {
    account,
    delivery: { accountId, email, id, lane },
    submission
  }: {
    readonly account: Account
    readonly delivery: Pick<Delivery, "accountId" | "email" | "id" | "lane">
    readonly submission: ContentOrigin & Pick<UnloadedSubmission, "marketing">
  },
  sender: Pick<Sender, "email">,
  ways: Ways = byDefault
): ShapedMessage => ({
  id,
  accountId,
  sender: domainOfAddress(sender.email),
  recipient: email,
  domain: domainOfAddress(email),
  content: contentOf(submission),
  lane,
  pool: account.settings.pools[submission.marketing === null ? "transactional" : "marketing"],
  ...(Object.values(account.settings.delivery ?? {}).some((one) => one !== null)
    ? {}
    : { pools: Object.values(account.settings.pools) }),
  isMarketing: submission.marketing !== null,
  ...(ways._tag === "Default"
    ? {}
    : { ways: ways.ways.map((way) => (way._tag === "Direct" ? null : relayLaneOf(way.relay.id))) })
})

const byDefault: Ways = { _tag: "Default" }

/** The id of the relay that an email takes first; undefined for none. */
export const firstRelayOf = (ways: Ways): string | undefined => {
  const first = ways._tag === "Default" ? undefined : ways.ways[0]
  return first?._tag === "Relay" ? first.relay.id : undefined
}

/** Where a delivery goes, as far as it is bounded: the lane of the relay that it takes first, or the recipient's domain. */
export const destinationOf = ({ email }: Pick<Delivery, "email">, ways: Ways): string => {
  const relay = firstRelayOf(ways)
  return relay === undefined ? domainOfAddress(email) : relayLaneOf(relay)
}

/** The lane on which mail is held that no relay can take. */
const noLane = "relay:none"

/** How often mail is dispatched again that no relay can take, milliseconds. */
const unavailablePause = 10_000

/** The attempt of a sender that died. */
const lostAttempt = ({ accountId, claims, id, updatedAt }: Delivery, now: number): Attempt => ({
  accountId,
  deliveryId: id,
  claim: claims,
  startedAt: updatedAt,
  finishedAt: now,
  outcome: "Lost",
  source: null,
  ...noConversation
})
