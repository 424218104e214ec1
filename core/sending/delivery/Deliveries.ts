/**
 * Handles the queue `deliveries`.
 *
 * One transaction dispatches and claims the deliveries of a batch. Then sandbox messages are delivered as a batch, and each
 * live message is composed and transmitted in its own fiber, so that a slow destination delays no other. No transaction is
 * open while a message is transmitted.
 *
 * Just before the last byte is sent, the message passes its point of no return: a transaction records that it may have been
 * sent, unless the gate now refuses it. Whatever happens to the process afterwards, a message that may have been sent is never
 * sent again.
 *
 * @module
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Result, Scope } from "effect"
import { type JobPool, makeJobPool, type RunningJob } from "../../jobs/JobPool.ts"
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { revealSetupLinks } from "../../accounts/SetupTokens.ts"
import { emailLinks } from "../../audience/pages/StoredLinks.ts"
import { stringOf } from "../../model/LongText.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { HtmlRewriter } from "../../ports/HtmlRewriter.ts"
import type { Job, LeaseLost } from "../../ports/JobQueue.ts"
import { type Admit, MailTransport } from "../../ports/MailTransport.ts"
import { MessageComposer } from "../../ports/MessageComposer.ts"
import { type GatedClaim, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { goingFirst, Turns } from "../../kernel/Turns.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Counter } from "../../shared/Counter.ts"
import { describeDefect } from "../../shared/Defect.ts"
import { makeGroupCommit } from "../../kernel/GroupCommit.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { isContentUnavailable } from "../contents/EmailContents.ts"
import { ContentLoads } from "./ContentLoads.ts"
import {
  copyOf,
  type DraftTools,
  draftOf,
  type OutgoingDelivery,
  messageOf,
  weightOf
} from "./DeliveryDraft.ts"
import { type DeliveryResult, DeliveryResults } from "./DeliveryResults.ts"
import { type Commitment, noConversation, outcomeOf } from "./DeliveryRules.ts"
import { DeliveryDispatch } from "./DeliveryDispatch.ts"
import { deliveryKey, destinationOf, firstDue, shapedOf } from "./DispatchPlan.ts"
import { isBehind, type MailClass, mailClasses, mailClassOf, type Outcome } from "../../model/Message.ts"
import { HostSignature } from "../domains/HostSignature.ts"
import { isCommand } from "../relays/RelayHeaders.ts"
import { RelayRouting } from "../relays/RelayRouting.ts"
import { returnPathTokens } from "./ReturnPath.ts"
import { SandboxSender } from "./SandboxSender.ts"
import { SendGate } from "../gate/SendGate.ts"
import { CampaignContents } from "../templates/CampaignContents.ts"
import { Shaping } from "../shaping/Shaping.ts"
import { BusyBackoff } from "../shaping/BusyBackoff.ts"
import { maxHeld } from "../shaping/SuspensionRules.ts"
import { makeHtmlTracker } from "../tracking/TrackHtml.ts"

/**
 * The number of jobs claimed at a time, which share the statements of a batch. It is smaller for databases that run one
 * transaction at a time, where a batch holds up everything else.
 */
const batch = 200
const serialBatch = 50
/** The length of a lease, milliseconds: how long the deliveries of a killed process wait for another process. */
const lease = 30_000
/**
 * The maximum number of live messages in progress, shared between accounts. A conversation takes about a second, so this
 * allows some hundred messages a second to slow servers, yet each message gets enough of the processor.
 */
export const maxInProgress = 500
/** How many of them are reserved for accounts that have less than an equal share, and for lanes that take mail. */
const reserved = 100
/** The shortest wait of a message that would need a reserved place, milliseconds. */
const reservedPause = 1_000
/**
 * No message is started while the content of those in progress holds more than about this many bytes. Accounts share the
 * bytes.
 */
const maxBytes = 64_000_000
/** How many messages are composed between two yields to other fibers, at about a millisecond each. */
const composedAtOnce = 4
/** The maximum number of results, or of points of no return, that are written together. */
const maxGroup = 200
/** The pause before writing results is tried again, milliseconds. */
const unavailablePause = 1_000

/** The pause before a message with unreadable content is tried again, milliseconds. The content may be missing for long. */
const contentPause = 30_000

/** A live message whose transmission has ended. */
interface Finished {
  readonly running: RunningJob
  readonly result: Omit<DeliveryResult, "job">
}

/** Handles the queue `deliveries`. */
export class Deliveries extends Context.Service<Deliveries>()("svc/sending/Deliveries", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const campaigns = yield* CampaignContents
    const contents = yield* ContentLoads
    const crypto = yield* Crypto
    const keys = yield* InstallationKeys
    const publicEndpoint = yield* PublicEndpoint
    const composer = yield* MessageComposer
    const deliveryDispatch = yield* DeliveryDispatch
    const gate = yield* SendGate
    const hostSignature = yield* HostSignature
    const results = yield* DeliveryResults
    const sandbox = yield* SandboxSender
    const shaping = yield* Shaping
    const submissions = yield* SubmissionStore
    const { areSerial } = yield* Transaction
    const rewriter = yield* HtmlRewriter
    const routing = yield* RelayRouting
    const transport = yield* MailTransport
    const turns = yield* Turns
    // The scope is closed after the last message in progress has recorded its result.
    const scope = yield* Scope.make()
    const clock = yield* Clock.Clock
    const pool = yield* Scope.provide(
      makeJobPool({
        maxJobs: maxInProgress,
        maxJobsPerAccount: "Fair",
        reserved,
        maxWeight: maxBytes,
        lease,
        leftOut: () => shaping.leftToOthers(clock.currentTimeMillisUnsafe())
      }),
      scope
    )
    yield* Effect.addFinalizer((exit) => Effect.andThen(pool.shutdown(0), Scope.close(scope, exit)))

    const grantsOf = (rest: Effect.Effect<void> | undefined) =>
      Scope.provide(
        makeGroupCommit<GatedClaim, boolean, never, Unavailable>({
          maxBatch: maxGroup,
          ...(rest !== undefined && { rest }),
          run: Effect.fnUntraced(function* (_, claims) {
            const now = yield* Clock.currentTimeMillis
            const granted = new Set((yield* submissions.commit(claims, now)).map(deliveryKey))
            return claims.map((claim) => Result.succeed(granted.has(deliveryKey(claim))))
          })
        }),
        scope
      )
    // Marketing emails are composed one by one, so that each would be committed alone without a rest.
    const [grantTransactional, grantMarketing] = [yield* grantsOf(undefined), yield* grantsOf(turns.rest)]
    const recordResult = yield* Scope.provide(
      makeResultRecorder(pool, turns.rest, (finished) => atomically(Effect.asVoid(results.write(finished)))),
      scope
    )
    const crowded = new BusyBackoff()
    /** The number of messages being composed, by destination and kind of mail. */
    const preparing = new Counter()
    const preparedAs = (destination: string, mailClass: MailClass) => `${mailClass} ${destination}`
    const preparingBefore = (destination: string, mailClass: MailClass) =>
      mailClasses
        .filter((other) => isBehind(mailClass, other))
        .reduce((sum, other) => sum + preparing.count(preparedAs(destination, other)), 0)

    /** The permission that the transport of a message requests before it passes the point of no return. */
    const makePermission = (outgoing: OutgoingDelivery, running: RunningJob) => {
      const grant = outgoing.submission.marketing === null ? grantTransactional : grantMarketing
      const state: { commitment: Commitment; ended: boolean } = { commitment: "NotAsked", ended: false }
      const request = Effect.suspend(() =>
        running.isLost()
          ? Effect.succeed(false)
          : Effect.flatMap(gate.claims([outgoing]), ([claim]) => grant("", claim!))
      ).pipe(
        Effect.map((granted) => {
          // A transport that asks after the conversation ended must not send.
          if (state.ended) return false
          state.commitment = granted ? "Granted" : "Refused"
          return granted
        }),
        Effect.catchCause(() => {
          state.commitment = "Unavailable"
          return Effect.succeed(false)
        })
      )
      return { state, request }
    }

    const transmit = (
      outgoing: OutgoingDelivery,
      tools: DraftTools,
      startedAt: number,
      onComposed: () => void,
      permission: Effect.Effect<boolean>,
      onParked: () => void,
      admit: Admit
    ) =>
      contents
        .use(outgoing.submission, (content, release) => {
          const { ways } = outgoing
          const isDefault = ways._tag === "Default"
          const turn = outgoing.submission.marketing === null ? Effect.void : turns.next
          const drafted = Effect.map(
            Effect.flatMap(turn, () => draftOf(copyOf(outgoing, tools, startedAt), content, tools)),
            (draft) =>
              isDefault ? draft : { ...draft, headers: draft.headers.filter((header) => !isCommand(header)) }
          )
          const routes = isDefault
            ? null
            : routing.routesOf(ways.ways, tools.paths.reference(outgoing.delivery))
          return Effect.flatMap(drafted, (draft) =>
            Effect.flatMap(composer.compose([draft]), ([raw]) => {
              onComposed()
              const onWaiting = () => {
                onParked()
                release()
              }
              return transport.send(
                messageOf(outgoing, tools, draft, raw!, routes),
                permission,
                onWaiting,
                admit
              )
            })
          )
        })
        .pipe(
          Effect.catchTag("Unavailable", (error) =>
            Effect.map(Clock.currentTimeMillis, (now): Outcome => ({
              _tag: "Busy",
              at: now + (isContentUnavailable(error) ? contentPause : unavailablePause)
            }))
          )
        )

    /** Transmits a live message and records its result. If it is interrupted, it records what is known at that time. */
    const sendLive = (outgoing: OutgoingDelivery, tools: DraftTools) => (running: RunningJob) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const { delivery } = outgoing
          const startedAt = yield* Clock.currentTimeMillis
          const permission = makePermission(outgoing, running)
          const mailClass = mailClassOf(outgoing.submission.marketing)
          const prepared = preparing.add(preparedAs(destinationOf(delivery, outgoing.ways), mailClass))
          const message = shapedOf(outgoing, outgoing.sender, outgoing.ways)
          const admit: Admit = (lane, families = null) => {
            const now = clock.currentTimeMillisUnsafe()
            const decision = shaping.admit(message, lane, now, families, running.enter)
            if (decision._tag === "Wait") return { _tag: "Busy", ...decision.wait }
            if (decision._tag === "Crowded")
              return { _tag: "Busy", at: crowded.nextAt(delivery.accountId, now + reservedPause) }
            const provider = shaping.providerOf(message)
            if (provider !== null && outgoing.notAt?.has(provider) === true) {
              shaping.giveBack(message.id)
              // The provider is known only now. The next dispatch makes the message wait.
              return { _tag: "Busy", at: now }
            }
            const { source } = decision
            return source === null ? null : { _tag: "From", source }
          }
          const { request } = permission
          const transmitted = Effect.andThen(
            shaping.checkSources(message),
            transmit(outgoing, tools, startedAt, prepared, request, running.park, admit)
          )
          const exit = yield* Effect.exit(
            restore(mailClass === "Transactional" ? goingFirst(turns, transmitted) : transmitted)
          )
          permission.state.ended = true
          prepared()
          if (running.isLost() && Exit.isFailure(exit)) return
          const interrupted = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
          if (Exit.isFailure(exit) && !interrupted) {
            yield* Effect.annotateLogs(Effect.logError("message failed"), {
              delivery: delivery.id,
              ...describeDefect(exit.cause)
            })
          }
          const finishedAt = yield* Clock.currentTimeMillis
          const reported = Exit.isSuccess(exit) ? exit.value : undefined
          const outcome = shaping.learn(
            outcomeOf(reported, permission.state.commitment, interrupted, finishedAt),
            message,
            finishedAt
          )
          yield* recordResult({
            running,
            result: {
              delivery,
              outcome,
              attempt: { startedAt, finishedAt },
              message,
              heldUntil:
                firstDue(outgoing.submission, delivery, startedAt) +
                maxHeld(outgoing.submission.marketing !== null),
              counted: {
                accountId: delivery.accountId,
                stream: outgoing.submission.marketing === null ? "Transactional" : "Marketing",
                domain: outgoing.domain.domain
              }
            }
          })
        })
      )

    /** Ends an email of a campaign that can no longer be rendered, without attempting to transmit it. */
    const failUnrendered =
      ({ delivery }: OutgoingDelivery) =>
      (running: RunningJob) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const conversation = { ...noConversation, error: "render_failed" }
          const outcome: Outcome = { _tag: "Refused", conversation }
          const attempt = { startedAt: at, finishedAt: at }
          yield* recordResult({
            running,
            result: { delivery, outcome, attempt, message: null, heldUntil: null, counted: null }
          })
        })

    const dispatchAll = (jobs: ReadonlyArray<Job>) =>
      atomically(deliveryDispatch.dispatch(jobs, preparingBefore))
    /** Dispatches the deliveries of jobs, except of those whose leases were lost. */
    const dispatch = (jobs: ReadonlyArray<Job>): ReturnType<typeof dispatchAll> =>
      jobs.length === 0
        ? Effect.succeed({ live: [], sandbox: [] })
        : Effect.catchTag(dispatchAll(jobs), "LeaseLost", ({ ids }) =>
            dispatch(jobs.filter((job) => !ids.includes(job.id)))
          )

    const started = new WeakSet<Job>()
    /** The number of messages composed, in all batches. */
    let composed = 0

    const handleBatch = Effect.fn("Deliveries.handle")(function* (given: ReadonlyArray<Job>) {
      // After a failure, the worker handles the jobs of a batch one by one. Jobs that have already started are left out.
      const jobs = given.filter((job) => !started.has(job))
      if (jobs.length === 0) return
      const { links, reports, setup, tracking } = yield* keys.get
      const signer = { crypto, keys: tracking }
      const reveal = emailLinks(crypto, links)
      const tools: DraftTools = {
        paths: returnPathTokens(crypto, reports),
        signAlso: yield* hostSignature.keys,
        rewriter,
        track: makeHtmlTracker({ rewriter, signer, baseUrl: publicEndpoint.baseUrl() }),
        reveal: (email) =>
          email.isSystem ? (text) => revealSetupLinks(crypto, setup, stringOf(text)) : reveal(email)
      }
      yield* shaping.refresh
      const dispatched = yield* dispatch(jobs)
      const filled = yield* campaigns.fill(
        dispatched.live.map(({ submission }) => submission),
        "Valid"
      )
      for (const [index, claimed] of dispatched.live.entries()) {
        const submission = filled[index] ?? null
        const outgoing = submission === null ? claimed : { ...claimed, submission }
        if (++composed % composedAtOnce === 0) yield* Effect.yieldNow
        started.add(outgoing.job)
        const send = submission === null ? failUnrendered(outgoing) : sendLive(outgoing, tools)
        yield* pool.start(outgoing.job, weightOf(outgoing), send)
      }
      if (dispatched.sandbox.length > 0) yield* sandbox.send(dispatched.sandbox, tools)
    })

    const handle = (jobs: ReadonlyArray<Job>) =>
      jobs.some(deliveryJob.isOfCampaign) ? handleBatch(jobs) : goingFirst(turns, handleBatch(jobs))

    return {
      batch: areSerial ? serialBatch : batch,
      lease,
      handle,
      onBuried: deliveryDispatch.failDeliveries,
      pool
    }
  })
}) {
  static readonly layer = Layer.effect(Deliveries, Deliveries.make).pipe(
    Layer.provide([
      CampaignContents.layer,
      ContentLoads.layer,
      DeliveryDispatch.layer,
      DeliveryResults.layer,
      HostSignature.layer,
      SandboxSender.layer,
      SendGate.layer,
      Shaping.layer
    ])
  )
}

/**
 * Creates a function that records the result of a message, together with others that end at the same time. It retries while
 * the database is unavailable. If it is interrupted, the claim expires, and the next dispatch decides by what is stored.
 */
const makeResultRecorder = Effect.fnUntraced(function* (
  pool: JobPool,
  rest: Effect.Effect<void>,
  write: (results: ReadonlyArray<DeliveryResult>) => Effect.Effect<void, LeaseLost | Unavailable>
) {
  /** Writes results. A job whose lease was lost is left out, but the result of its message counts. */
  const writeGroup = (
    group: ReadonlyArray<Finished>,
    lost: ReadonlySet<string>
  ): Effect.Effect<void, Unavailable> =>
    Effect.suspend(() =>
      write(
        group.map(({ result, running }) => {
          const job = running.job()
          return { ...result, job: running.isLost() || lost.has(job.id) ? null : job }
        })
      )
    ).pipe(Effect.catchTag("LeaseLost", ({ ids }) => writeGroup(group, new Set([...lost, ...ids]))))

  /** Writes results one by one if the group fails, so that only a result that cannot be written fails. */
  const writeApart = (group: ReadonlyArray<Finished>): Effect.Effect<void, Unavailable> =>
    Effect.catchDefect(writeGroup(group, new Set()), (defect) =>
      group.length > 1
        ? Effect.forEach(group, (one) => writeApart([one]), { discard: true })
        : Effect.annotateLogs(Effect.logError("result of a message not written"), {
            delivery: group[0]!.result.delivery.id,
            ...describeDefect(Cause.die(defect))
          })
    )

  const submit = yield* makeGroupCommit<Finished, void, never, Unavailable>({
    maxBatch: maxGroup,
    rest,
    run: (_, group) =>
      Effect.as(
        pool.endClaims(writeApart(group)),
        group.map(() => Result.void)
      )
  })
  const record = (finished: Finished): Effect.Effect<void> =>
    Effect.catchTag(submit("", finished), "Unavailable", () =>
      Effect.andThen(Effect.interruptible(Effect.sleep(unavailablePause)), record(finished))
    )
  return record
})
