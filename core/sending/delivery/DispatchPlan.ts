/**
 * Plans the dispatch of a batch of deliveries: the moves to write, and the jobs to complete or reschedule. Pure, except for
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

/** The facts on which the deliveries of a batch are decided. */
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

/** A delivery that may be sent now unless the daily cap holds it. It is not claimed yet. */
export type Ready = Omit<OutgoingDelivery, "domain">

/** The writes of a batch's dispatch. */
export class DispatchPlan {
  /** The first move of each delivery, and its further moves. */
  readonly firstMoves: Array<DeliveryMove> = []
  readonly laterMoves: Array<DeliveryMove> = []
  readonly done: Array<Job> = []
  readonly waiting: Array<{ readonly job: Job; readonly at: number }> = []
  /** The attempts of senders that died. */
  readonly lostAttempts: Array<Attempt> = []
  readonly ready: Array<Ready> = []
  readonly now: number

  constructor(now: number) {
    this.now = now
  }

  /** @param held the lane on which it is held, and its line (the sending domain and stream); null if it is not held */
  moveThrough(delivery: Delivery, steps: ReadonlyArray<Step>, held: DeliveryMove["held"] = null): void {
    const tries = delivery.attempts + (steps[0]?.[0] === "Unknown" ? 1 : 0)
    const [first, ...later] = movesThrough(delivery, steps, tries, this.now)
    if (first !== undefined) this.firstMoves.push({ ...first, held })
    this.laterMoves.push(...later)
  }
}

/**
 * Decides the delivery of each job. Kinds of mail are processed in their order of precedence.
 *
 * @param busyUntil until when the message's destination (the first relay of its ways, or the recipient's domain) is busy for
 * the account, epoch milliseconds, if `ahead` deliveries of the batch precede it; null if it is not busy
 * @param waitOf any other reason for a message to wait; null if there is none
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
  /** The number of deliveries of this batch to each domain or relay. */
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
    // While a company is deleted, and until it is restored, none of its senders is valid.
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

/** Whether the scheduled time of an email has come. */
export const isDue = ({ sendAt }: Pick<UnloadedSubmission, "sendAt">, now: number): boolean =>
  sendAt === null || sendAt <= now

/**
 * When a delivery was first due, epoch milliseconds. The time for which it waited for anything other than a server is added.
 */
export const firstDue = (
  { createdAt, sendAt }: Pick<UnloadedSubmission, "createdAt" | "sendAt">,
  delivery: Pick<Delivery, "notDue" | "reason" | "updatedAt">,
  now: number
): number => (sendAt ?? createdAt) + notDueMillis(delivery, now)

/** A delivery in the form in which the limits of lanes are decided. */
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

/** The id of the relay that comes first in the ways of an email; undefined if there is none. */
export const firstRelayOf = (ways: Ways): string | undefined => {
  const first = ways._tag === "Default" ? undefined : ways.ways[0]
  return first?._tag === "Relay" ? first.relay.id : undefined
}

/** The destination whose limits apply to a delivery: the lane of the first relay in its ways, or the recipient's domain. */
export const destinationOf = ({ email }: Pick<Delivery, "email">, ways: Ways): string => {
  const relay = firstRelayOf(ways)
  return relay === undefined ? domainOfAddress(email) : relayLaneOf(relay)
}

/** The lane on which mail is held that no relay can take. */
const noLane = "relay:none"

/** The pause before mail that no relay can take is dispatched again, milliseconds. */
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
