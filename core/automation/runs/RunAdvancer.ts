/**
 * Advances the runs that are due. The runs of an account are advanced together, in one transaction with all effects of their
 * steps, so that a batch is either committed as a whole or not at all.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { Contacts } from "../../audience/contacts/Contacts.ts"
import type { Account } from "../../model/Account.ts"
import type { Contact } from "../../model/Contact.ts"
import type { Topic } from "../../model/Topic.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { type Job, JobQueue, type NewJob } from "../../ports/JobQueue.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { type PersonLimits, PeopleLimits } from "../../sending/gate/PeopleLimits.ts"
import { SuppressionLookup } from "../../sending/suppressions/SuppressionLookup.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { formatDateTime } from "../../shared/Validate.ts"
import type { UpdateContactStep, WebhookStep } from "../../model/FlowDefinition.ts"
import { type FlowEmail, FlowEmails } from "./FlowEmails.ts"
import { contactValues } from "../../audience/contacts/ContactValues.ts"
import { type CompiledFlow, CompiledFlows, versionKey } from "./CompiledFlow.ts"
import type { Run } from "../../model/Run.ts"
import { stepCountsOf } from "../../model/StepCount.ts"
import { withWrittenNumbers } from "../../shared/Json.ts"
import { webhookStepJob, advanceRunJob } from "../../jobs/definitions/RunJobs.ts"
import { isContentUnavailable } from "../../sending/contents/EmailContents.ts"
import { withRendersAhead } from "../../sending/templates/RendersAhead.ts"
import { failRun, interpret, relogged, type StepFacts, type Transition } from "./StepInterpreter.ts"
import { RunCancellation } from "./RunCancellation.ts"

/** The delay before runs are advanced again if their emails' content could not be stored, milliseconds. */
const contentPause = 30_000
/** The most runs that are advanced in one transaction. */
export const maxAdvanced = 200
/** The number of accounts that are advanced at the same time. */
const accountsAtOnce = 4
/** The delay before a run is advanced again if its email had no room in the account's queue, milliseconds. */
const fullQueueWait = 600_000
/** The attempt at which a run fails. Later, the queue would bury its job, and the run would never end. */
const maxAttempts = 8

/** The most time for rendering for one transaction, and for all of an account before it yields to others, milliseconds. */
const maxRenderMillis = 1_000
const maxGroupMillis = 4_000

/** Advances runs. */
export class RunAdvancer extends Context.Service<RunAdvancer>()("svc/automation/RunAdvancer", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const contactStore = yield* ContactStore
    const peopleLimits = yield* PeopleLimits
    const contacts = yield* Contacts
    const queue = yield* JobQueue
    const runs = yield* RunStore
    const topicStore = yield* TopicStore
    const ids = yield* Ids
    const atomically = yield* Atomically
    const compiledFlows = yield* CompiledFlows
    const { find: findSuppressions } = yield* SuppressionLookup
    const flowEmails = yield* FlowEmails
    const { cancelUnsent } = yield* RunCancellation

    /** The facts about each run's contact, in the order of the runs. */
    const loadFacts = Effect.fnUntraced(function* (
      { account, accountId, now, topics }: Batch,
      advancing: ReadonlyArray<Run>
    ) {
      const found = yield* contactStore.find(accountId, {
        ids: [...new Set(advancing.map((run) => run.contactId))],
        externalIds: [],
        emails: []
      })
      const people = new Map(found.map((one) => [one.id, one.erasedAt === null ? one : null]))
      const suppressed = new Map(
        (yield* findSuppressions(
          found.flatMap(({ email }) => (email === null ? [] : [{ accountId, email }]))
        )).map((entry) => [entry.email, entry.kind])
      )
      const present = [...people.values()].filter((contact) => contact !== null)
      const limits =
        account === undefined
          ? new Map<string, PersonLimits>()
          : yield* peopleLimits.of(account, present, now)
      return advancing.map((run): StepFacts => {
        const contact = people.get(run.contactId) ?? null
        const own = limits.get(run.contactId)
        return {
          contact,
          topics,
          suppression: suppressed.get(contact?.email ?? ""),
          ...(own !== undefined && { limits: own })
        }
      })
    })

    /** Sends the emails of steps, and logs those that could not be accepted. */
    const sendEmails = Effect.fnUntraced(function* (
      batch: Batch,
      emails: ReadonlyArray<FlowEmail>,
      room: number
    ) {
      if (emails.length === 0) return
      const failures = yield* flowEmails.send(batch.accountId, emails, batch.topics, room)
      for (const [index, code] of failures.entries()) {
        const { run, step } = emails[index]!
        if (code !== null)
          batch.runs.set(run.id, relogged(batch.runs.get(run.id)!, step.id, `failed: ${code}`))
      }
    })

    /** Updates contacts; returns the runs, which continue, with any failure logged. */
    const updateContacts = Effect.fnUntraced(function* (batch: Batch, updates: ReadonlyArray<ContactUpdate>) {
      if (updates.length === 0) return []
      const results = yield* contacts.writeMany(
        batch.accountId,
        updates.map(({ run, step: { attributes, tags, topics } }) =>
          Result.succeed({ id: run.contactId, attributes, topics, tags })
        ),
        "Api"
      )
      return updates.map(({ run: { id }, step }, index) => {
        const run = batch.runs.get(id)!
        const result = results[index]!
        return Result.isFailure(result)
          ? relogged(run, step.id, `failed: ${result.failure.issues[0].code}`)
          : run
      })
    })

    /** Advances runs until they wait, end, or update their contact. Returns the latter, which continue with new facts. */
    const advanceRuns = Effect.fnUntraced(function* (batch: Batch, advancing: ReadonlyArray<Run>) {
      const { accountId, now } = batch
      const facts = yield* loadFacts(batch, advancing)
      const emails: Array<FlowEmail> = []
      const updates: Array<ContactUpdate> = []
      /** The number of marketing emails that earlier runs in the batch send to each contact. */
      const sent = new Map<string, number>()
      const transitions = advancing.map((before, index): Transition => {
        const flow = batch.flows.get(versionKey(before))!
        const { limits, ...own } = facts[index]!
        const earlier = Array.from({ length: sent.get(before.contactId) ?? 0 }, () => now)
        const input =
          limits === undefined ? own : { ...own, limits: { ...limits, times: [...earlier, ...limits.times] } }
        const transition = interpret(flow, before, { _tag: "Advance", facts: input }, now)
        const added = transition.effects.filter(
          (effect) => effect._tag === "Email" && effect.step.purpose === "Marketing"
        ).length
        sent.set(before.contactId, (sent.get(before.contactId) ?? 0) + added)
        return transition
      })
      const { fits, room } = yield* flowEmails.takeRoom(
        accountId,
        transitions.map(({ effects }, index) => ({
          flowId: advancing[index]!.flowId,
          steps: effects.flatMap((effect) => (effect._tag === "Email" ? [effect.step] : []))
        }))
      )
      for (const [index, { effects, run }] of transitions.entries()) {
        if (!fits[index]!) {
          // The run stays at its step: nothing of the transition is written.
          batch.wakes.set(run.id, now + fullQueueWait)
          continue
        }
        const contact = facts[index]!.contact!
        batch.runs.set(run.id, run)
        for (const effect of effects) {
          switch (effect._tag) {
            case "Wake":
              batch.wakes.set(run.id, effect.at)
              break
            case "Cancel":
              batch.cancelled.push(run.id)
              break
            case "Email":
              emails.push({ run, step: effect.step, contact })
              break
            case "Call": {
              const { id: stepId, url } = effect.step
              const id = yield* ids.next
              const body = bodyOf(id, run, effect.step, contact, now)
              const call = { flowId: run.flowId, runId: run.id, stepId, url, body }
              batch.webhookJobs.push(webhookStepJob.job({ id, accountId, payload: call, runAt: now }))
              break
            }
            case "Update":
              updates.push({ run, step: effect.step })
          }
        }
      }
      yield* sendEmails(batch, emails, room)
      return yield* updateContacts(batch, updates)
    })

    const advanceInAccount = Effect.fnUntraced(function* (accountId: string, jobs: ReadonlyArray<Job>) {
      const now = yield* Clock.currentTimeMillis
      const decoded = yield* advanceRunJob.decode(queue, jobs)
      const exhausted = new Set(
        decoded.flatMap(({ job, payload }) => (job.attempts >= maxAttempts ? [payload.runId] : []))
      )
      const locked = yield* runs.lock(accountId, [...new Set(decoded.map(({ payload }) => payload.runId))])
      const due = locked.filter((run) => run.status === "Active")
      const [flows, topics] = yield* Effect.all(
        [compiledFlows.find(due), due.length === 0 ? Effect.succeed([]) : topicStore.list(accountId)],
        { concurrency: "unbounded" }
      )
      const [account] = due.length === 0 ? [] : yield* accounts.find([accountId])
      const batch: Batch = {
        account,
        accountId,
        now,
        flows,
        topics,
        runs: new Map(),
        wakes: new Map(),
        cancelled: [],
        webhookJobs: []
      }
      let advancing: ReadonlyArray<Run> = due.filter((run) => {
        if (flows.has(versionKey(run)) && !exhausted.has(run.id)) return true
        batch.runs.set(run.id, failRun(run, "internal", now))
        return false
      })
      // Each pass ends at updates of contacts, of which a flow has a limited number.
      while (advancing.length > 0) advancing = yield* advanceRuns(batch, advancing)

      yield* runs.save(accountId, [...batch.runs.values()])
      yield* cancelUnsent(accountId, batch.cancelled, now)
      yield* queue.complete(decoded.map(({ job }) => job))
      const jobIds = yield* ids.many(batch.wakes.size)
      const next = [...batch.wakes].map(([runId, at], index) =>
        advanceRunJob.job({ id: jobIds[index]!, accountId, payload: { runId }, runAt: at })
      )
      if (batch.webhookJobs.length + next.length > 0) yield* queue.enqueue([...batch.webhookJobs, ...next])
      const changes = due.flatMap((before) => {
        const after = batch.runs.get(before.id)
        return after === undefined ? [] : [[before, after] as const]
      })
      yield* runs.countSteps(accountId, stepCountsOf(changes))
    })

    /**
     * Advances the runs of an account in one transaction. If its templates take too long for that, it advances the runs one by
     * one for a while and postpones the rest, so that other accounts do not wait.
     */
    const advanceGroup = Effect.fnUntraced(function* (accountId: string, jobs: ReadonlyArray<Job>) {
      const advance = (some: ReadonlyArray<Job>, maxMillis: number) =>
        withRendersAhead(Effect.as(atomically(advanceInAccount(accountId, some)), true), maxMillis).pipe(
          // The attempt does not count: the runs wait until the storage of content is available, however long that takes.
          Effect.catchIf(
            (error) => error._tag === "Unavailable" && isContentUnavailable(error),
            () =>
              Effect.flatMap(Clock.currentTimeMillis, (now) =>
                Effect.as(queue.release(some, now + contentPause), true)
              )
          )
        )
      const startedAt = yield* Clock.currentTimeMillis
      if ((yield* advance(jobs, maxRenderMillis)) !== null) return
      for (const [index, job] of jobs.entries()) {
        const now = yield* Clock.currentTimeMillis
        if (now - startedAt > maxGroupMillis) return yield* queue.release(jobs.slice(index), now)
        yield* advance([job], Infinity)
      }
    })

    return {
      /** Advances the runs of jobs made by `advanceRunJob`, and completes the jobs. */
      advance: Effect.fn("RunAdvancer.advance")((jobs: ReadonlyArray<Job>) =>
        Effect.forEach(
          Map.groupBy(jobs, (job) => job.accountId),
          ([accountId, group]) => advanceGroup(accountId, group),
          { concurrency: accountsAtOnce, discard: true }
        )
      )
    }
  })
}) {
  static readonly layer = Layer.effect(RunAdvancer, RunAdvancer.make).pipe(
    Layer.provide([CompiledFlows.layer, FlowEmails.layer, PeopleLimits.layer, RunCancellation.layer])
  )
}

/** The body of a Webhook step's request. */
const bodyOf = (id: string, run: Run, step: WebhookStep, contact: Contact, now: number): string =>
  JSON.stringify({
    id,
    type: "flow.webhook",
    created_at: formatDateTime(now),
    data: {
      flow_id: run.flowId,
      run_id: run.id,
      step_id: step.id,
      contact: contactValues(contact),
      event: {
        name: run.event.name,
        occurred_at: formatDateTime(run.event.occurredAt),
        properties: withWrittenNumbers(run.event.properties)
      }
    }
  })

interface ContactUpdate {
  readonly run: Run
  readonly step: UpdateContactStep
}

/** The writes of a batch of one account. */
interface Batch {
  readonly account: Account | undefined
  readonly accountId: string
  readonly now: number
  readonly flows: ReadonlyMap<string, CompiledFlow>
  readonly topics: ReadonlyArray<Topic>
  readonly runs: Map<string, Run>
  /** When each run is advanced next, by run id; epoch milliseconds. */
  readonly wakes: Map<string, number>
  /** The runs whose unsent emails are cancelled. */
  readonly cancelled: Array<string>
  readonly webhookJobs: Array<NewJob>
}
