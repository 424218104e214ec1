/**
 * Dispatches deliveries: decides, in one transaction, which deliveries of a batch are sent now and which wait, and claims
 * those that are sent.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Random } from "effect"
import { laneReleaseJob } from "../../jobs/definitions/DomainJobs.ts"
import { Ids } from "../../kernel/Ids.ts"
import { laneReleaseMillis } from "./Release.ts"
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import { type Account, campaignDailyLimit } from "../../model/Account.ts"
import type { MailRelay } from "../../model/MailRelay.ts"
import { type MailClass, mailClassOf, relayLaneOf } from "../../model/Message.ts"
import { type Delivery, senderOfLine, type UnloadedSubmission } from "../../model/Submission.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AttemptStore } from "../../ports/AttemptStore.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import { type Job, JobQueue, LeaseLost } from "../../ports/JobQueue.ts"
import { MailTransport } from "../../ports/MailTransport.ts"
import { SendQuota } from "../../ports/SendQuota.ts"
import { type DeliveryMove, type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { WriteConflict } from "../../ports/Transaction.ts"
import { Atomically } from "../../kernel/atomically.ts"
import type { OutgoingDelivery } from "./DeliveryDraft.ts"
import { capDay, movesThrough, moveTo, needsQuota, statesAfterBurial } from "./DeliveryRules.ts"
import {
  type BatchFacts,
  type DispatchPlan,
  firstDue,
  planDispatch,
  type Ready,
  deliveryKey,
  isDue,
  refOf,
  shapedOf
} from "./DispatchPlan.ts"
import { senderOf, verifiedDomainOf } from "../domains/SenderChoice.ts"
import { RelayRouting, type Ways } from "../relays/RelayRouting.ts"
import { SendGate } from "../gate/SendGate.ts"
import { BusyBackoff } from "../shaping/BusyBackoff.ts"
import { type ShapedMessage, Shaping } from "../shaping/Shaping.ts"
import { maxHeld } from "../shaping/SuspensionRules.ts"
import { StandingGate } from "../standing/StandingGate.ts"

/**
 * Deliveries beyond the daily cap become due within this time after the next day begins, milliseconds. It spreads the load of
 * all accounts.
 */
const capSpread = 600_000

/** How soon a delivery is dispatched again that was changed while it was dispatched, milliseconds. */
const changedPause = 1_000

/** Dispatches deliveries, and fails those whose jobs are buried. */
export class DeliveryDispatch extends Context.Service<DeliveryDispatch>()("svc/sending/DeliveryDispatch", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const attempts = yield* AttemptStore
    const atomically = yield* Atomically
    const domains = yield* DomainStore
    const queue = yield* JobQueue
    const quota = yield* SendQuota
    const submissions = yield* SubmissionStore
    const gate = yield* SendGate
    const ids = yield* Ids
    const routing = yield* RelayRouting
    const shaping = yield* Shaping
    const standing = yield* StandingGate
    const transport = yield* MailTransport
    const busyBackoff = new BusyBackoff()

    const load = Effect.fnUntraced(function* (refs: ReadonlyArray<DeliveryRef>) {
      const accountIds = [...new Set(refs.map((ref) => ref.accountId))]
      const found = yield* submissions.unloaded(refs)
      const [known, domainsOf] = yield* Effect.all([accounts.find(accountIds), domains.verified(accountIds)])
      const senders = new Map(known.map((account) => [account.id, account]))
      const lacking = found.some((submission) => {
        const account = senders.get(submission.accountId)
        return account !== undefined && senderOf(account, domainsOf, submission.from) === null
      })
      // A delivery without a verified sender is decided under a lock, because a domain may be verified at the same time.
      // Either this reads the verification, or the release that follows the verification finds the waiting delivery. Other
      // deliveries take no lock, so that an account's transactional email does not wait for a batch of its campaign.
      const locked = lacking ? yield* accounts.lock(accountIds) : known
      const verified = lacking ? yield* domains.verified(accountIds) : domainsOf
      const deliveries = new Map(
        found.flatMap((submission) =>
          submission.deliveries.map((delivery) => [deliveryKey(delivery), { submission, delivery }] as const)
        )
      )
      return {
        accounts: new Map(locked.map((account) => [account.id, account])),
        deliveries,
        verified,
        refusals: yield* gate.refusals(refs.flatMap((ref) => deliveries.get(deliveryKey(ref)) ?? []))
      } satisfies BatchFacts
    })

    /**
     * Removes deliveries from a plan whose marketing is held by the standing. They wait, or fail if they have waited too long.
     */
    const applyStanding = Effect.fnUntraced(function* (plan: DispatchPlan, now: number) {
      const marketing = plan.ready.filter(({ submission }) => submission.marketing !== null)
      const decisions = yield* standing.decide(
        marketing.map((one) => ({
          account: one.account,
          due: firstDue(one.submission, one.delivery, now),
          provider: shaping.providerOf(shapedOf(one, one.sender, one.ways))
        })),
        now
      )
      const decided = new Map(marketing.map((one, index) => [one, decisions[index]!]))
      for (const [{ delivery, job }, decision] of decided) {
        if (decision._tag === "End") {
          const ending = statesAfterBurial({ ...delivery, status: "Queued" }, "sending.held_too_long")
          plan.moveThrough(delivery, delivery.status === "Queued" ? ending : [["Queued", null], ...ending])
          plan.done.push(job)
        } else if (decision._tag === "Wait") {
          if (delivery.status !== "Queued" || delivery.reason !== "sending.standing_held")
            plan.moveThrough(delivery, [["Queued", "sending.standing_held"]])
          plan.waiting.push({ job, at: decision.at })
        }
      }
      return plan.ready.flatMap((one) => {
        const decision = decided.get(one)
        if (decision === undefined) return [one]
        return decision._tag === "Send" ? [{ ...one, notAt: decision.notAt }] : []
      })
    })

    /** The deliveries beyond a daily limit of their accounts. */
    const beyondLimit = Effect.fnUntraced(function* (
      ready: ReadonlyArray<Ready>,
      day: string,
      limitOf: (account: Account) => number | null
    ) {
      const byAccount = Map.groupBy(ready, ({ account }) => account)
      if (byAccount.size === 0) return []
      const granted = yield* quota.take(
        [...byAccount].map(([account, group]) => ({
          accountId: account.id,
          day,
          wanted: group.length,
          limit: limitOf(account)
        }))
      )
      return [...byAccount.values()].flatMap((group, index) => group.slice(granted[index]))
    })

    /**
     * Splits deliveries into those within the daily cap, in order, and those beyond it. Campaigns leave a part of the cap to
     * other email.
     */
    const applyCap = Effect.fnUntraced(function* (ready: ReadonlyArray<Ready>, day: string) {
      const counted = ready.filter(({ delivery, submission }) => needsQuota(delivery, submission))
      const isOfCampaign = ({ submission }: Ready) => mailClassOf(submission.marketing) === "Campaign"
      const others = counted.filter((one) => !isOfCampaign(one))
      const beyond = new Set([
        ...(yield* beyondLimit(others, day, ({ settings }) => settings.dailySendLimit)),
        ...(yield* beyondLimit(counted.filter(isOfCampaign), day, ({ settings }) =>
          campaignDailyLimit(settings)
        ))
      ])
      return { within: ready.filter((one) => !beyond.has(one)), beyond: [...beyond] }
    })

    /**
     * Removes relays whose daily limit is used up from the ways of emails that are sent for the first time. Returns the emails
     * that have a way left, and those that have none.
     */
    const applyRelayLimits = Effect.fnUntraced(function* (ready: ReadonlyArray<Ready>, day: string) {
      const within: Array<Ready> = []
      const beyond: Array<Ready> = []
      let asking: ReadonlyArray<Ready> = ready
      while (asking.length > 0) {
        const limited = Map.groupBy(asking, (one) => limitedRelayOf(one))
        within.push(...(limited.get(null) ?? []))
        limited.delete(null)
        const groups = [...limited]
        const granted =
          groups.length === 0
            ? []
            : yield* quota.take(
                groups.map(([relay, group]) => ({
                  accountId: relay!.id,
                  day,
                  wanted: group.length,
                  limit: relay!.dailyLimit
                }))
              )
        const left = groups.flatMap(([, group], index) => {
          within.push(...group.slice(0, granted[index]))
          return group.slice(granted[index]).map(withoutFirstWay)
        })
        const hasWay = ({ ways }: Ready) => ways._tag === "Default" || ways.ways.length > 0
        beyond.push(...left.filter((one) => !hasWay(one)))
        asking = left.filter(hasWay)
      }
      return { within, beyond }
    })

    /**
     * Writes the moves of a plan, and returns the moved deliveries by `deliveryKey`. Fails with `WriteConflict` if a sender
     * that was taken for dead has passed its point of no return meanwhile.
     */
    const move = Effect.fnUntraced(function* (
      { firstMoves, laterMoves, lostAttempts }: DispatchPlan,
      { deliveries }: BatchFacts
    ) {
      const isLeft = (one: DeliveryMove) =>
        one.from === "HandingOff" && deliveries.get(deliveryKey(one))?.delivery.committedAt === null
      const moves = firstMoves.map((one) => (isLeft(one) ? { ...one, isUncommitted: true } : one))
      const moved = new Map(
        (yield* submissions.move(moves)).map((delivery) => [deliveryKey(delivery), delivery])
      )
      if (moves.some((one) => one.isUncommitted === true && !moved.has(deliveryKey(one))))
        return yield* new WriteConflict({ constraint: "deliveries_claims" })
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
      preparing: (destination: string, mailClass: MailClass) => number
    ) {
      const now = yield* Clock.currentTimeMillis
      const expired = jobs.flatMap(({ id, leasedUntil }) => (leasedUntil <= now ? [id] : []))
      if (expired.length > 0) return yield* new LeaseLost({ ids: expired })
      const decoded = yield* deliveryJob.decode(queue, jobs)
      const facts = yield* load(decoded.map(refOf))
      yield* routing.refresh([...facts.accounts.values()])
      const busyUntil = (message: ShapedMessage, mailClass: MailClass, ahead: number, relay?: string) => {
        const { accountId, domain } = message
        const before = ahead + preparing(relay === undefined ? domain : relayLaneOf(relay), mailClass)
        const source = shaping.sourceOf(message, now)
        return transport.busyUntil(domain, now, before, accountId, relay, source, mailClass)
      }
      const waysOf = (account: Account, { marketing }: Pick<UnloadedSubmission, "marketing">) =>
        routing.waysOf(account, marketing === null ? "Transactional" : "Marketing")
      const probes = yield* shaping.claimProbes(liveOf(facts, now, waysOf))
      const waitOf = (message: ShapedMessage) =>
        probes.has(message.id) ? null : shaping.waitOf(message, now)
      const plan = planDispatch(decoded, facts, busyUntil, waitOf, busyBackoff, now, waysOf)
      const { day, next } = capDay(now)
      const capped = yield* applyCap(yield* applyStanding(plan, now), day)
      const limited = yield* applyRelayLimits(capped.within, day)
      const { within } = limited
      const beyond = [...capped.beyond, ...limited.beyond]
      for (const { delivery } of beyond) {
        if (delivery.reason !== "sending.daily_cap") {
          plan.moveThrough(delivery, [["Queued", "sending.daily_cap"]])
        }
      }
      const isWithin = new Set(within.map(({ delivery }) => delivery.id))
      for (const { delivery } of plan.ready) if (!isWithin.has(delivery.id)) shaping.giveBack(delivery.id)
      for (const { delivery } of within) {
        plan.firstMoves.push(moveTo(delivery, delivery.status, ["HandingOff", null], delivery.attempts, now))
      }
      const moved = yield* move(plan, facts)
      // These deliveries were held and are sent now, so others that are held on the same lane may be sent too.
      const leaving = within.flatMap(({ delivery }) =>
        delivery.lane === null || delivery.heldSince === null || probes.has(delivery.id) ? [] : [delivery]
      )
      if (leaving.length > 0) yield* releaseOthers(leaving, now)
      const batch = { live: [] as Array<OutgoingDelivery>, sandbox: [] as Array<OutgoingDelivery> }
      for (const one of within) {
        const { account, job, sender } = one
        const delivery = moved.get(deliveryKey(one.delivery))
        if (delivery === undefined) plan.done.push(job)
        else {
          const domain = verifiedDomainOf(account.id, sender.email, facts.verified)!
          batch[account.mode === "Live" ? "live" : "sandbox"].push({ ...one, delivery, domain })
        }
      }
      // A delivery that was not moved has changed since it was read: it was erased or cancelled, or a sender whose lease has expired
      // claimed it and may put it back in the queue. Its job is kept, and the next dispatch decides by what is stored then.
      const notMoved = new Set(plan.firstMoves.map(deliveryKey).filter((key) => !moved.has(key)))
      const isChanged = new Set(
        decoded.filter((one) => notMoved.has(deliveryKey(refOf(one)))).map(({ job }) => job)
      )
      const changed = plan.done.filter((job) => isChanged.has(job))
      const done = plan.done.filter((job) => !isChanged.has(job))
      const isDone = new Set(done)
      const kept = decoded.flatMap(({ job }) => (isDone.has(job) ? [] : [job]))
      // The jobs come last, because other transactions also change deliveries before jobs. If another process has taken a lease
      // over, nothing is written.
      yield* Effect.andThen(queue.hold(kept), done.length > 0 ? queue.complete(done) : Effect.void).pipe(
        Effect.tapErrorTag("LeaseLost", () =>
          Effect.sync(() => {
            for (const { delivery } of plan.ready) shaping.giveBack(delivery.id)
          })
        )
      )
      if (changed.length > 0) yield* queue.release(changed, now + changedPause)
      if (beyond.length > 0) {
        yield* releaseAt(next + Math.floor((yield* Random.next) * capSpread), beyond)
      }
      if (plan.waiting.length > 0)
        yield* queue.release(
          plan.waiting.map(({ job }) => job),
          plan.waiting.map(({ at }) => at)
        )
      return batch
    })

    const releaseOthers = Effect.fnUntraced(function* (leaving: ReadonlyArray<Delivery>, now: number) {
      const lines = Map.groupBy(leaving, ({ accountId, lane, line }) =>
        JSON.stringify([accountId, lane, senderOfLine(line)])
      )
      const newIds = yield* ids.many(lines.size)
      yield* queue.enqueue(
        [...lines.values()].map(([one], index) => {
          const { accountId, lane, line } = one!
          const payload = { kind: "lane", lane: lane!, sender: senderOfLine(line) } as const
          return laneReleaseJob.job({
            id: newIds[index]!,
            accountId,
            payload,
            runAt: now + laneReleaseMillis
          })
        })
      )
    })

    const failDeliveries = Effect.fn("DeliveryDispatch.failDeliveries")(function* (jobs: ReadonlyArray<Job>) {
      const now = yield* Clock.currentTimeMillis
      const found = yield* submissions.deliveries((yield* deliveryJob.decode(queue, jobs)).map(refOf))
      const moves = found.map((delivery) =>
        movesThrough(delivery, statesAfterBurial(delivery), delivery.attempts, now)
      )
      yield* submissions.move(moves.flatMap((each) => each.slice(0, 1)))
      yield* submissions.move(moves.flatMap((each) => each.slice(1)))
    }, atomically)

    return {
      /**
       * Decides what happens to the delivery of each job, in the caller's transaction and with a fixed number of statements.
       * Claims the deliveries that are sent now and returns them; completes or reschedules the jobs of the others. Fails with
       * `LeaseLost` if a lease has expired or another process has the job; then the transaction must be rolled back.
       *
       * @param preparing how many messages to a recipient's domain, or to a relay's lane, are being prepared that precede a
       * given kind of mail
       */
      dispatch,
      /** Moves the deliveries of jobs that failed too often to a final state. */
      failDeliveries
    }
  })
}) {
  static readonly layer = Layer.effect(DeliveryDispatch, DeliveryDispatch.make).pipe(
    Layer.provide([SendGate.layer, Shaping.layer, StandingGate.layer])
  )
}

/**
 * The relay whose daily limit an email counts against: the first of its ways, if it is a relay with a limit; otherwise null.
 */
const limitedRelayOf = ({ delivery, submission, ways }: Ready): MailRelay | null => {
  if (ways._tag === "Default" || !needsQuota(delivery, submission)) return null
  const [first] = ways.ways
  return first?._tag === "Relay" && first.relay.dailyLimit !== null ? first.relay : null
}

const withoutFirstWay = (one: Ready): Ready =>
  one.ways._tag === "Default" ? one : { ...one, ways: { ...one.ways, ways: one.ways.ways.slice(1) } }
/** The messages of live accounts that may be sent now, in the form in which the limits of lanes are decided. */
const liveOf = (
  { accounts, deliveries, refusals, verified }: BatchFacts,
  now: number,
  waysOf: (account: Account, submission: UnloadedSubmission) => Ways
) =>
  [...deliveries].flatMap(([key, { delivery, submission }]) => {
    const account = accounts.get(delivery.accountId)
    if (account?.mode !== "Live" || account.deletedAt !== null || delivery.status !== "Queued") return []
    const sender = senderOf(account, verified, submission.from)
    // A delivery that was held for too long will fail, so it cannot probe a lane.
    const isExpired = firstDue(submission, delivery, now) + maxHeld(submission.marketing !== null) <= now
    return sender === null || refusals.has(key) || !isDue(submission, now) || isExpired
      ? []
      : [shapedOf({ account, delivery, submission }, sender, waysOf(account, submission))]
  })
