/**
 * Takes deliveries to their transports. A batch's turns are decided and its deliveries claimed in one transaction.
 * Then messages of sandbox accounts are put into their inboxes as a batch, and each live message goes its own way: it
 * is composed and handed over in a fiber of its own, so that a slow destination holds up nobody. No transaction is
 * open while a message is handed over. Just before the last byte leaves, that is written down (`commit`): whatever
 * happens to the process, a message that may have left is never sent again.
 *
 * @module
 */
import { Cause, Clock, Effect, Exit, Result as Either, Scope } from "effect"
import { type JobPool, makeJobPool, type RunningJob } from "../../jobs/JobPool.ts"
import type { Handler } from "../../jobs/Worker.ts"
import { InboxStore } from "../../ports/InboxStore.ts"
import type { Job, LeaseLost } from "../../ports/JobQueue.ts"
import { MailTransport } from "../../ports/MailTransport.ts"
import { MessageComposer } from "../../ports/MessageComposer.ts"
import { SandboxTransport } from "../../ports/SandboxTransport.ts"
import { type DeliveryClaim, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { describeDefect } from "../../shared/Defect.ts"
import { makeGroupCommit } from "../../kernel/GroupCommit.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { type Attached, makeAttachmentLoads, portionsOf } from "./AttachmentLoads.ts"
import {
  domainOfAddress,
  type DraftTools,
  draftOf,
  type OutgoingDelivery,
  messageOf,
  weightOf
} from "./DeliveryDraft.ts"
import { makeResults, type Result } from "./DeliveryResults.ts"
import { type Commitment, outcomeOf } from "./DeliveryRules.ts"
import { makeDispatch, refKey } from "./DeliveryDispatch.ts"
import type { Outcome } from "../../model/Message.ts"
import { makeFailDeliveries } from "./FailDeliveries.ts"
import { makeReturnPaths } from "./ReturnPath.ts"
import { makeHtmlTracker } from "../tracking/TrackHtml.ts"

/** How many jobs are claimed at a time: enough that the statements of a batch are shared by many. */
const batch = 100
/** How long a killed sender's deliveries wait for another. */
const lease = 30_000
/**
 * The most live messages under way at once. Conversations take a second or so when all is well: this is what keeps
 * some hundred a second going to servers that are slow, and few enough that each has its share of the processor.
 */
const mostInFlight = 500
/** Nothing is taken on board while the texts of messages under way hold about as many bytes. */
const mostBytes = 64_000_000
/** How many messages are composed in one turn of the event loop, at about a millisecond each: calls wait meanwhile. */
const composedAtOnce = 4
/** The most results, or points of no return, that are written together. */
const maxGroup = 200
/** The pause before results are written again that the store could not take. */
const storePause = 1_000

/** A live message whose sending finished, with its running job. */
interface Finished {
  readonly outgoing: OutgoingDelivery
  readonly running: RunningJob
  readonly result: Omit<Result, "job">
}

/** The handler of the `deliveries` queue. */
export const makeDeliveries = Effect.gen(function* () {
  const submissions = yield* SubmissionStore
  const inbox = yield* InboxStore
  const composer = yield* MessageComposer
  const transport = yield* MailTransport
  const sandboxTransport = yield* SandboxTransport
  const transaction = yield* Transaction
  const returnPaths = yield* makeReturnPaths
  const tracker = yield* makeHtmlTracker
  const takeTurns = yield* makeDispatch
  const writeResults = yield* makeResults
  const onBuried = yield* makeFailDeliveries
  // Closed after the last in flight has written down what became of it.
  const scope = yield* Scope.make()
  const pool = yield* Scope.provide(
    makeJobPool({ maxJobs: mostInFlight, maxWeight: mostBytes, lease }),
    scope
  )
  yield* Effect.addFinalizer((exit) => Effect.andThen(pool.shutdown(0), Scope.close(scope, exit)))

  const makeCommit = makeGroupCommit<DeliveryClaim, boolean, never, Unavailable>({
    maxBatch: maxGroup,
    run: Effect.fnUntraced(function* (_, claims) {
      const now = yield* Clock.currentTimeMillis
      const granted = new Set((yield* submissions.commit(claims, now)).map(refKey))
      return claims.map((claim) => Either.succeed(granted.has(refKey(claim))))
    })
  })
  const commit = yield* Scope.provide(makeCommit, scope)
  const makeOwnRecord = makeRecord(pool, (results) =>
    retryConflicts(transaction.run(Effect.asVoid(writeResults(results))))
  )
  const record = yield* Scope.provide(makeOwnRecord, scope)

  const preparing = makeCounter()
  const loads = yield* makeAttachmentLoads

  /** Hands a message over and writes down what became of it. Interrupted, it ends as what is known by then. */
  const carry = (outgoing: OutgoingDelivery, tools: DraftTools) => (running: RunningJob) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { delivery } = outgoing
        const { accountId, claims: claim, id } = delivery
        const startedAt = yield* Clock.currentTimeMillis
        let commitment: Commitment = "NotAsked"
        let over = false
        const arrive = preparing.add(domainOfAddress(delivery.email))
        const pointOfNoReturn = Effect.suspend(() =>
          running.isLost() ? Effect.succeed(false) : commit("", { accountId, id, claim })
        ).pipe(
          Effect.map((granted) => {
            // Whoever asks after the conversation ended must not send.
            if (over) return false
            commitment = granted ? "Granted" : "Refused"
            return granted
          }),
          Effect.catchCause(() => {
            commitment = "Unavailable"
            return Effect.succeed(false)
          })
        )
        const handOver = loads
          .use([outgoing], (attached) => {
            const draft = draftOf(outgoing, attached(outgoing), tools, startedAt)
            return Effect.flatMap(composer.compose([draft]), ([raw]) => {
              arrive()
              return transport.send(messageOf(outgoing, tools, draft, raw!), pointOfNoReturn)
            })
          })
          .pipe(
            Effect.catchTag("Unavailable", () =>
              Effect.map(Clock.currentTimeMillis, (now): Outcome => ({ _tag: "Busy", at: now + storePause }))
            )
          )
        const exit = yield* Effect.exit(restore(handOver))
        over = true
        arrive()
        if (running.isLost() && Exit.isFailure(exit)) return
        const interrupted = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
        if (Exit.isFailure(exit) && !interrupted) {
          yield* Effect.annotateLogs(Effect.logError("message failed"), {
            delivery: id,
            ...describeDefect(exit.cause)
          })
        }
        const finishedAt = yield* Clock.currentTimeMillis
        const answer = Exit.isSuccess(exit) ? exit.value : undefined
        const outcome = outcomeOf(answer, commitment, interrupted, finishedAt)
        const finished = {
          outgoing,
          running,
          result: { delivery, outcome, attempt: { startedAt, finishedAt } }
        }
        yield* record(finished)
      })
    )

  /** Puts sandbox messages into their inboxes; that and what becomes of them is one transaction. */
  const deliverTogether = Effect.fnUntraced(function* (
    outgoing: ReadonlyArray<OutgoingDelivery>,
    attached: Attached,
    tools: DraftTools
  ) {
    const now = yield* Clock.currentTimeMillis
    const drafts = outgoing.map((one) => draftOf(one, attached(one), tools, now))
    const raws = yield* composer.compose(drafts)
    const messages = outgoing.map((one, index) => messageOf(one, tools, drafts[index]!, raws[index]!))
    const once = Effect.gen(function* () {
      const outcomes = yield* sandboxTransport.send(messages, now)
      const results = outgoing.map(({ delivery, job }, index): Result => ({
        job,
        delivery,
        outcome: outcomes[index]!,
        attempt: null
      }))
      const ours = new Set((yield* writeResults(results)).map(refKey))
      const others = outgoing.flatMap(({ delivery }) => (ours.has(refKey(delivery)) ? [] : [delivery]))
      if (others.length === 0) return
      // Those that are no more were erased while they were handed over; Failed are those taken back meanwhile.
      const known = yield* submissions.deliveries(others)
      const kept = new Set(known.filter((delivery) => delivery.status !== "Failed").map(refKey))
      yield* inbox.erase(others.filter((delivery) => !kept.has(refKey(delivery))))
    })
    yield* retryConflicts(transaction.run(once))
  })

  /** Delivers a batch of sandbox messages: together, unless they are too heavy for that. */
  const deliverSandbox = (outgoing: ReadonlyArray<OutgoingDelivery>, tools: DraftTools) =>
    Effect.forEach(
      portionsOf(outgoing),
      (portion) => loads.use(portion, (attached) => deliverTogether(portion, attached, tools)),
      { discard: true }
    )

  const launched = new WeakSet<Job>()

  const handle = Effect.fn("Deliveries.handle")(function* (given: ReadonlyArray<Job>) {
    // A batch whose sandbox messages failed is handed over once more, job by job.
    const jobs = given.filter((job) => !launched.has(job))
    if (jobs.length === 0) return
    const tools: DraftTools = { paths: yield* returnPaths, track: yield* tracker }
    const { live, sandbox } = yield* retryConflicts(transaction.run(takeTurns(jobs, preparing.count)))
    for (const [index, outgoing] of live.entries()) {
      if (index > 0 && index % composedAtOnce === 0) yield* Effect.yieldNow
      launched.add(outgoing.job)
      yield* pool.start(outgoing.job, weightOf(outgoing), carry(outgoing, tools))
    }
    if (sandbox.length > 0) yield* deliverSandbox(sandbox, tools)
  })

  return { batch, lease, handle, onBuried, pool } satisfies Handler
})

/**
 * A function that writes down what became of a message, together with others that end at this time; it tries until
 * the store takes it, or it is interrupted: then the claim runs out, and the next turn goes by what the store knows.
 */
const makeRecord = (
  pool: JobPool,
  write: (results: ReadonlyArray<Result>) => Effect.Effect<void, LeaseLost | Unavailable>
): Effect.Effect<(finished: Finished) => Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    /** A claim that is no longer ours is left out; what became of the message counts nevertheless. */
    const writeGroup = (
      group: ReadonlyArray<Finished>,
      lost: ReadonlySet<string>
    ): Effect.Effect<void, Unavailable> =>
      Effect.suspend(() =>
        write(
          group.map(({ running, result }) => {
            const job = running.job()
            return { ...result, job: running.isLost() || lost.has(job.id) ? null : job }
          })
        )
      ).pipe(Effect.catchTag("LeaseLost", ({ ids }) => writeGroup(group, new Set([...lost, ...ids]))))

    /** One that cannot be written fails alone. */
    const writeApart = (group: ReadonlyArray<Finished>): Effect.Effect<void, Unavailable> =>
      Effect.catchDefect(writeGroup(group, new Set()), (defect) =>
        group.length > 1
          ? Effect.forEach(group, (finished) => writeApart([finished]), { discard: true })
          : Effect.annotateLogs(Effect.logError("result of a message not written"), {
              delivery: group[0]!.outgoing.delivery.id,
              ...describeDefect(Cause.die(defect))
            })
      )

    const submit = yield* makeGroupCommit<Finished, void, never, Unavailable>({
      maxBatch: maxGroup,
      run: (_, group) =>
        Effect.as(
          pool.endClaims(writeApart(group)),
          group.map(() => Either.void)
        )
    })
    const record = (finished: Finished): Effect.Effect<void> =>
      Effect.catchTag(submit("", finished), "Unavailable", () =>
        Effect.andThen(Effect.interruptible(Effect.sleep(storePause)), record(finished))
      )
    return record
  })

/** Counts by name; `add` answers what takes the one back, once. */
const makeCounter = () => {
  const counts = new Map<string, number>()
  const change = (name: string, by: number): void => {
    const count = (counts.get(name) ?? 0) + by
    if (count === 0) counts.delete(name)
    else counts.set(name, count)
  }
  return {
    count: (name: string): number => counts.get(name) ?? 0,
    add: (name: string) => {
      change(name, 1)
      let counted = true
      return (): void => {
        if (counted) change(name, -1)
        counted = false
      }
    }
  }
}
