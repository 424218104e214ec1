/**
 * Gives runs their turns: the runs of an account that are due are moved together, and what follows is written with
 * them, in one transaction. Killed at any moment, a turn was taken whole or not at all.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import { Contacts } from "../../audience/contacts/Contacts.ts"
import type { Contact } from "../../model/Contact.ts"
import type { Handler } from "../../jobs/Worker.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { type Job, JobQueue, type NewJob } from "../../ports/JobQueue.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { makeSuppressionLookup } from "../../sending/suppressions/SuppressionLookup.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import { formatDateTime } from "../../shared/Validate.ts"
import type { UpdateContactStep, WebhookStep } from "../../model/FlowDefinition.ts"
import { contactValues, type FlowEmail, makeFlowEmails } from "./FlowEmails.ts"
import { makeCompiledFlows, versionKey } from "./CompiledFlows.ts"
import type { Run } from "../../model/Run.ts"
import { webhookStepJob, advanceRunJob } from "../../jobs/definitions/RunJobs.ts"
import { failRun, interpret, type StepFacts } from "./StepInterpreter.ts"
import { makeWithdrawal } from "./cancelUnsent.ts"

/** The most runs of a transaction. */
const batch = 200
/** How long a batch may take; those of a killed node wait as long for another. */
const lease = 30_000
/** How many accounts are served at a time. */
const accountsAtOnce = 4
/** A run whose turn failed this often fails: the queue would give up on its job a little later, and it would hang. */
const maxAttempts = 8

const runIdOf = (job: Job): string => (job.payload as { readonly runId: string }).runId

/** What became of a step, in place of what was noted when it was decided. */
const relogged = (run: Run, stepId: string, outcome: string): Run => ({
  ...run,
  log: run.log.map((entry) => (entry.stepId === stepId ? { ...entry, outcome } : entry))
})

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
        properties: run.event.properties
      }
    }
  })

/** The handler of the queue `runs`. */
export const makeFlowTurns = Effect.gen(function* () {
  const contactStore = yield* ContactStore
  const contacts = yield* Contacts
  const queue = yield* JobQueue
  const runs = yield* RunStore
  const topicStore = yield* TopicStore
  const transaction = yield* Transaction
  const ids = yield* Ids
  const plansOf = yield* makeCompiledFlows
  const findSuppressions = yield* makeSuppressionLookup
  const sendEmails = yield* makeFlowEmails
  const withdraw = yield* makeWithdrawal

  /** Changes contacts as steps say; answers the runs with what became of it. */
  const update = Effect.fnUntraced(function* (
    accountId: string,
    updates: ReadonlyArray<{ readonly run: Run; readonly step: UpdateContactStep }>
  ) {
    if (updates.length === 0) return []
    const results = yield* contacts.writeMany(
      accountId,
      updates.map(({ run, step: { attributes, tags, topics } }) =>
        Result.succeed({ id: run.contactId, attributes, topics, tags })
      ),
      "Api"
    )
    return updates.map(({ run, step }, index) => {
      const result = results[index]!
      return Result.isFailure(result)
        ? relogged(run, step.id, `failed: ${result.failure.issues[0].code}`)
        : run
    })
  })

  const takeTurns = Effect.fnUntraced(function* (accountId: string, jobs: ReadonlyArray<Job>) {
    const now = yield* Clock.currentTimeMillis
    const exhausted = new Set(jobs.filter((job) => job.attempts >= maxAttempts).map(runIdOf))
    const due = (yield* runs.lock(accountId, [...new Set(jobs.map(runIdOf))])).filter(
      (run) => run.status === "Active"
    )
    const [plans, topics] = yield* Effect.all(
      [plansOf(due), due.length === 0 ? Effect.succeed([]) : topicStore.list(accountId)],
      { concurrency: "unbounded" }
    )
    const after = new Map<string, Run>()
    const wakes = new Map<string, number>()
    const ended: Array<string> = []
    const next: Array<NewJob> = []

    let moving: ReadonlyArray<Run> = due.filter((run) => {
      if (plans.has(versionKey(run)) && !exhausted.has(run.id)) return true
      after.set(run.id, failRun(run, "internal", now))
      return false
    })
    // Each round ends at changes of contacts, since what follows sees them changed; a plan has only so many.
    while (moving.length > 0) {
      const found = yield* contactStore.find(accountId, {
        ids: [...new Set(moving.map((run) => run.contactId))],
        externalIds: [],
        emails: []
      })
      const people = new Map(found.map((one) => [one.id, one.erasedAt === null ? one : null]))
      const suppressed = new Map(
        (yield* findSuppressions(
          found.flatMap(({ email }) => (email === null ? [] : [{ accountId, email }]))
        )).map((entry) => [entry.email, entry.kind])
      )
      const emails: Array<FlowEmail> = []
      const updates: Array<{ readonly run: Run; readonly step: UpdateContactStep }> = []
      for (const run of moving) {
        const contact = people.get(run.contactId) ?? null
        const facts: StepFacts = { contact, topics, suppression: suppressed.get(contact?.email ?? "") }
        const moved = interpret(plans.get(versionKey(run))!, run, { _tag: "Turn", facts }, now)
        after.set(run.id, moved.run)
        for (const effect of moved.effects) {
          switch (effect._tag) {
            case "Wake":
              wakes.set(run.id, effect.at)
              break
            case "Cancel":
              ended.push(run.id)
              break
            case "Email":
              emails.push({ run: moved.run, step: effect.step, contact: contact! })
              break
            case "Call": {
              const { id: stepId, url } = effect.step
              const id = yield* ids.next
              const body = bodyOf(id, run, effect.step, contact!, now)
              next.push(
                webhookStepJob(id, accountId, { flowId: run.flowId, runId: run.id, stepId, url, body }, now)
              )
              break
            }
            case "Update":
              updates.push({ run: moved.run, step: effect.step })
          }
        }
      }
      if (emails.length > 0) {
        const failures = yield* sendEmails(accountId, emails, topics)
        for (const [index, code] of failures.entries()) {
          const { run, step } = emails[index]!
          if (code !== null) after.set(run.id, relogged(after.get(run.id)!, step.id, `failed: ${code}`))
        }
      }
      moving = yield* update(
        accountId,
        updates.map(({ run, step }) => ({ run: after.get(run.id)!, step }))
      )
    }

    yield* runs.save(accountId, [...after.values()])
    yield* withdraw(accountId, ended, now)
    yield* queue.complete(jobs)
    const jobIds = yield* ids.many(wakes.size)
    for (const [index, [runId, at]] of [...wakes].entries()) {
      next.push(advanceRunJob(jobIds[index]!, accountId, runId, at))
    }
    if (next.length > 0) yield* queue.enqueue(next)
  })

  return {
    batch,
    lease,
    handle: (jobs) =>
      Effect.forEach(
        Map.groupBy(jobs, (job) => job.accountId),
        ([accountId, group]) => retryConflicts(transaction.run(takeTurns(accountId, group))),
        { concurrency: accountsAtOnce, discard: true }
      )
  } satisfies Handler
})
