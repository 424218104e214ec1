/**
 * Starts and stops individual runs for people who manage flows.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { firstRunRetention } from "../../jobs/definitions/RetentionJobs.ts"
import { advanceRunJob } from "../../jobs/definitions/RunJobs.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Actor } from "../../model/Actor.ts"
import { newRun, type Run } from "../../model/Run.ts"
import { stepCountsOf } from "../../model/StepCount.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { FlowStore } from "../../ports/FlowStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { RunStore } from "../../ports/RunStore.ts"
import type { Json } from "../../shared/Json.ts"
import { Issues, Problem, type Unavailable } from "../../shared/Problem.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { flawsOfProperties } from "../../events/EventRules.ts"
import { CompiledFlows, versionKey } from "../runs/CompiledFlow.ts"
import { RunCancellation } from "../runs/RunCancellation.ts"
import { stopRun } from "../runs/StepInterpreter.ts"

/** The name of the starting event that steps see in a run that was started manually. */
const startedByHand = "run.started"

/** The reason of a run that was stopped manually. */
const stoppedByHand = "stopped"

/** A run to start manually. */
export interface ManualStart {
  readonly contactId: string
  /** The properties of the starting event that steps see. */
  readonly properties: unknown
}

/** Starts and stops runs manually. Both are recorded in the audit log. */
export class RunControl extends Context.Service<
  RunControl,
  {
    /**
     * Starts a run of the version published last, whatever the flow's trigger is. The trigger's filter is not applied, but
     * consent is checked for each email. common.not_found, audience.contact_not_found, automation.workflow_not_published,
     * automation.already_in_run, automation.trigger_properties_invalid.
     */
    readonly start: (
      accountId: string,
      flowId: string,
      start: ManualStart,
      actor: Actor
    ) => Effect.Effect<Run, Problem | Unavailable>
    /**
     * Stops an Active run: it does not continue, and its unsent emails are cancelled. common.not_found, automation.run_ended.
     */
    readonly stop: (
      accountId: string,
      flowId: string,
      runId: string,
      actor: Actor
    ) => Effect.Effect<Run, Problem | Unavailable>
  }
>()("svc/automation/RunControl") {
  static readonly layer = Layer.effect(
    RunControl,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([CompiledFlows.layer, RunCancellation.layer]))
}

const make = Effect.gen(function* () {
  const contacts = yield* ContactStore
  const flows = yield* FlowStore
  const queue = yield* JobQueue
  const runs = yield* RunStore
  const ids = yield* Ids
  const atomically = yield* Atomically
  const compiledFlows = yield* CompiledFlows
  const { cancelUnsent } = yield* RunCancellation
  const { record } = yield* AuditTrail

  /** Locks a contact, so that a concurrent erasure either precedes this or also erases the run. */
  const lockContact = Effect.fnUntraced(function* (accountId: string, contactId: string) {
    const unknown = Problem.of("audience.contact_not_found", "contactId")
    if (!isUuid(contactId)) return yield* unknown
    const keys = { ids: [contactId.toLowerCase()], externalIds: [], emails: [] }
    yield* contacts.lock(accountId, keys)
    const [contact] = yield* contacts.find(accountId, keys)
    return contact?.erasedAt === null ? contact.id : yield* unknown
  })

  return RunControl.of({
    start: Effect.fn("RunControl.start")(function* (
      accountId: string,
      flowId: string,
      { contactId: given, properties }: ManualStart,
      actor: Actor
    ) {
      const issues = new Issues()
      if (flawsOfProperties(properties ?? {}).length > 0) {
        issues.add("automation.trigger_properties_invalid", "properties")
      }
      yield* Effect.fromResult(issues.result(undefined))
      const [flow] = yield* flows.find(accountId, [flowId])
      if (flow === undefined) return yield* Problem.of("common.not_found")
      if (flow.status !== "Published") return yield* Problem.of("automation.workflow_not_published")
      const contactId = yield* lockContact(accountId, given)
      const now = yield* Clock.currentTimeMillis
      const ref = { accountId, flowId, version: flow.version }
      const compiled = (yield* compiledFlows.find([ref])).get(versionKey(ref))
      const [id, jobId, retentionId] = yield* ids.many(3)
      const event = {
        name: startedByHand,
        occurredAt: now,
        properties: (properties ?? {}) as Readonly<Record<string, Json>>
      }
      const run = newRun({ id: id!, ...ref, contactId, event }, compiled?.first ?? null, now)
      const inserted = yield* runs.insert(accountId, [run])
      if (inserted.length === 0) return yield* Problem.of("automation.already_in_run", "contactId")
      yield* queue.enqueue([
        advanceRunJob.job({ id: jobId!, accountId, payload: { runId: run.id }, runAt: now }),
        firstRunRetention(retentionId!, accountId, now)
      ])
      const after = { flowId, contactId, version: run.version }
      yield* record(actor, { accountId, action: "flow.run_started", target: run.id, before: null, after })
      return run
    }, atomically),
    stop: Effect.fn("RunControl.stop")(function* (
      accountId: string,
      flowId: string,
      runId: string,
      actor: Actor
    ) {
      const [before] = yield* runs.lock(accountId, [runId])
      if (before?.flowId !== flowId) return yield* Problem.of("common.not_found")
      if (before.status !== "Active") return yield* Problem.of("automation.run_ended")
      const now = yield* Clock.currentTimeMillis
      const run = stopRun(before, stoppedByHand, now)
      yield* runs.save(accountId, [run])
      yield* runs.countSteps(accountId, stepCountsOf([[before, run]]))
      yield* cancelUnsent(accountId, [runId], now)
      yield* record(actor, {
        accountId,
        action: "flow.run_stopped",
        target: runId,
        before: { flowId, contactId: run.contactId, status: before.status },
        after: { flowId, contactId: run.contactId, status: run.status }
      })
      return run
    }, atomically)
  })
})
