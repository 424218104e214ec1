/**
 * Dispatches contact events to flows: starts the runs that they trigger, and stops or wakes the active runs that react to them.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import type { ContactEvent } from "../../model/Event.ts"
import type { VersionRef } from "../../model/Flow.ts"
import { FlowStore } from "../../ports/FlowStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { Ids } from "../../kernel/Ids.ts"
import { ContactEventListener } from "../../audience/timeline/ContactEvents.ts"
import { type CompiledFlow, CompiledFlows, versionKey } from "./CompiledFlow.ts"
import { newRun, type Run } from "../../model/Run.ts"
import { stepCountsOf } from "../../model/StepCount.ts"
import { firstRunRetention } from "../../jobs/definitions/RetentionJobs.ts"
import { advanceRunJob } from "../../jobs/definitions/RunJobs.ts"
import { interpret, isMatch } from "./StepInterpreter.ts"
import { RunCancellation } from "./RunCancellation.ts"

/** The layer of {@link ContactEventListener}, whose `dispatch` passes contact events to flows. */
export const FlowDispatcher = {
  layer: Layer.effect(
    ContactEventListener,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([CompiledFlows.layer, RunCancellation.layer]))
}

/** The runs of one account while a batch of contact events is applied to them, in order. */
class RunBatch {
  readonly #flows: ReadonlyMap<string, CompiledFlow>
  /** The stored runs as they were read, by id. */
  readonly #stored: ReadonlyMap<string, Run>
  readonly #now: number
  /** The active runs, by contact and flow. */
  readonly #active = new Map<string, Map<string, Run>>()
  readonly changed = new Map<string, Run>()
  readonly started = new Map<string, Run>()
  /** The stored runs to be advanced at once. */
  readonly woken = new Set<string>()
  /** The stored runs that were stopped. */
  readonly stopped = new Set<string>()

  constructor(stored: ReadonlyArray<Run>, flows: ReadonlyMap<string, CompiledFlow>, now: number) {
    this.#flows = flows
    this.#stored = new Map(stored.map((run) => [run.id, run]))
    this.#now = now
    for (const run of stored) this.#activeOf(run.contactId).set(run.flowId, run)
  }

  /** The changes of the counts of steps. */
  stepCounts(): ReturnType<typeof stepCountsOf> {
    return stepCountsOf([...this.changed].map(([id, after]) => [this.#stored.get(id)!, after]))
  }

  #activeOf(contactId: string): Map<string, Run> {
    let runs = this.#active.get(contactId)
    if (runs === undefined) this.#active.set(contactId, (runs = new Map()))
    return runs
  }

  /** Applies an event to the active runs of its contact. */
  apply({ contactId, name, occurredAt, properties }: ContactEvent): void {
    const event = { name, occurredAt, properties }
    const active = this.#activeOf(contactId)
    for (const before of active.values()) {
      const flow = this.#flows.get(versionKey(before))
      if (flow === undefined) continue
      const { effects, run } = interpret(flow, before, { _tag: "Event", event }, this.#now)
      if (run === before) continue
      const isStored = this.#stored.has(run.id)
      ;(isStored ? this.changed : this.started).set(run.id, run)
      if (run.status === "Active") active.set(run.flowId, run)
      else active.delete(run.flowId)
      if (!isStored) continue
      for (const effect of effects) {
        if (effect._tag === "Wake") this.woken.add(run.id)
        if (effect._tag === "Cancel") this.stopped.add(run.id)
      }
    }
  }

  /** Whether an event starts a version: its trigger matches, and the contact has no active run of that flow. */
  isTriggered(ref: VersionRef, event: ContactEvent): boolean {
    const trigger = this.#flows.get(versionKey(ref))?.trigger ?? null
    const isActive = this.#activeOf(event.contactId).has(ref.flowId)
    return trigger !== null && !isActive && isMatch(trigger, event, this.#now)
  }

  /** Starts a run of a version that the event triggers. */
  start(ref: VersionRef, { contactId, name, occurredAt, properties }: ContactEvent, id: string): void {
    const { accountId, flowId, version } = ref
    const event = { name, occurredAt, properties }
    const { first } = this.#flows.get(versionKey(ref))!
    const run = newRun({ id, accountId, flowId, version, contactId, event }, first, this.#now)
    this.#activeOf(contactId).set(flowId, run)
    this.started.set(id, run)
  }
}

const make = Effect.gen(function* () {
  const flows = yield* FlowStore
  const runs = yield* RunStore
  const queue = yield* JobQueue
  const ids = yield* Ids
  const compiledFlows = yield* CompiledFlows
  const { cancelUnsent } = yield* RunCancellation

  /** Writes a batch and enqueues the jobs that advance its runs. */
  const write = Effect.fnUntraced(function* (accountId: string, batch: RunBatch, now: number) {
    const { changed, started, stopped, woken } = batch
    if (changed.size > 0) {
      yield* runs.save(accountId, [...changed.values()])
      yield* runs.countSteps(accountId, batch.stepCounts())
    }
    yield* cancelUnsent(accountId, [...stopped], now)
    const wakes = [...woken].filter((id) => !stopped.has(id))
    if (wakes.length > 0) {
      yield* advanceRunJob.cancel(
        queue,
        accountId,
        wakes.map((runId) => ({ runId }))
      )
    }
    const inserted = started.size === 0 ? [] : yield* runs.insert(accountId, [...started.values()])
    const due = [...wakes, ...inserted.filter((id) => started.get(id)!.status === "Active")]
    if (due.length === 0) return
    const [retentionId, ...jobIds] = yield* ids.many(due.length + 1)
    yield* queue.enqueue([
      ...due.map((id, index) =>
        advanceRunJob.job({ id: jobIds[index]!, accountId, payload: { runId: id }, runAt: now })
      ),
      firstRunRetention(retentionId!, accountId, now)
    ])
  })

  const dispatchInAccount = Effect.fnUntraced(function* (
    accountId: string,
    contactEvents: ReadonlyArray<ContactEvent>
  ) {
    const now = yield* Clock.currentTimeMillis
    const [active, triggered] = yield* Effect.all(
      [
        runs.lockActive(accountId, [...new Set(contactEvents.map((one) => one.contactId))]),
        flows.startedBy(accountId, [...new Set(contactEvents.map((one) => one.name))])
      ],
      { concurrency: "unbounded" }
    )
    if (active.length + triggered.length === 0) return
    const batch = new RunBatch(active, yield* compiledFlows.find([...active, ...triggered]), now)
    for (const contactEvent of contactEvents) {
      batch.apply(contactEvent)
      for (const ref of triggered) {
        if (batch.isTriggered(ref, contactEvent)) batch.start(ref, contactEvent, yield* ids.next)
      }
    }
    yield* write(accountId, batch, now)
  })

  return ContactEventListener.of({
    dispatch: Effect.fn("FlowDispatcher.dispatch")((contactEvents) =>
      Effect.forEach(
        Map.groupBy(contactEvents, (contactEvent) => contactEvent.accountId),
        ([accountId, group]) => dispatchInAccount(accountId, group),
        { discard: true }
      )
    )
  })
})
