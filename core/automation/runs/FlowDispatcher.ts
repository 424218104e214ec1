/**
 * What flows do when something happens to a person.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import type { ContactEvent } from "../../model/Event.ts"
import { FlowStore } from "../../ports/FlowStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { Ids } from "../../kernel/Ids.ts"
import { ContactEventListener } from "../../audience/timeline/ContactEvents.ts"
import { makeCompiledFlows, versionKey } from "./CompiledFlows.ts"
import { newRun, type Run } from "../../model/Run.ts"
import { firstRunRetention } from "../../jobs/definitions/RetentionJobs.ts"
import { advanceRunJob } from "../../jobs/definitions/RunJobs.ts"
import { interpret, isMatch } from "./StepInterpreter.ts"
import { makeWithdrawal } from "./cancelUnsent.ts"

/** Dispatches contact events to the flows they start, stop or wake. */
export const FlowDispatcher = {
  layer: Layer.effect(
    ContactEventListener,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const flows = yield* FlowStore
  const runs = yield* RunStore
  const queue = yield* JobQueue
  const ids = yield* Ids
  const plansOf = yield* makeCompiledFlows
  const withdraw = yield* makeWithdrawal

  const dispatchInAccount = Effect.fnUntraced(function* (
    accountId: string,
    contactEvents: ReadonlyArray<ContactEvent>
  ) {
    const now = yield* Clock.currentTimeMillis
    const [stored, started] = yield* Effect.all(
      [
        runs.lockActive(accountId, [...new Set(contactEvents.map((one) => one.contactId))]),
        flows.startedBy(accountId, [...new Set(contactEvents.map((one) => one.name))])
      ],
      { concurrency: "unbounded" }
    )
    if (stored.length + started.length === 0) return
    const plans = yield* plansOf([...stored, ...started])

    /** The runs of each contact as they are by now, by flow; those that ended are no longer among them. */
    const active = new Map<string, Map<string, Run>>()
    const activeOf = (contactId: string) => {
      let runsOf = active.get(contactId)
      if (runsOf === undefined) active.set(contactId, (runsOf = new Map()))
      return runsOf
    }
    for (const run of stored) activeOf(run.contactId).set(run.flowId, run)
    const before = new Map(stored.map((run) => [run.id, run]))
    const changed = new Map<string, Run>()
    const fresh = new Map<string, Run>()
    const woken = new Set<string>()
    const ended = new Set<string>()

    for (const { contactId, name, occurredAt, properties } of contactEvents) {
      const event = { name, occurredAt, properties }
      const runsOf = activeOf(contactId)
      for (const run of runsOf.values()) {
        const plan = plans.get(versionKey(run))
        if (plan === undefined) continue
        const moved = interpret(plan, run, { _tag: "Happened", event }, now)
        if (moved.run === run) continue
        ;(before.has(run.id) ? changed : fresh).set(run.id, moved.run)
        if (moved.run.status === "Active") runsOf.set(run.flowId, moved.run)
        else runsOf.delete(run.flowId)
        for (const effect of moved.effects) {
          if (effect._tag === "Wake") woken.add(run.id)
          if (effect._tag === "Cancel") ended.add(run.id)
        }
      }
      for (const ref of started) {
        const plan = plans.get(versionKey(ref))
        if (plan?.trigger == null || runsOf.has(ref.flowId) || !isMatch(plan.trigger, event, now)) continue
        const { flowId, version } = ref
        const run = newRun(
          { id: yield* ids.next, accountId, flowId, version, contactId, event },
          plan.first,
          now
        )
        runsOf.set(flowId, run)
        fresh.set(run.id, run)
      }
    }

    if (changed.size > 0) yield* runs.save(accountId, [...changed.values()])
    yield* withdraw(
      accountId,
      [...ended].filter((id) => before.has(id)),
      now
    )
    const wakes = [...woken].filter((id) => before.has(id) && !ended.has(id))
    if (wakes.length > 0) {
      yield* advanceRunJob.cancel(
        queue,
        accountId,
        wakes.map((runId) => ({ runId }))
      )
    }
    const added = fresh.size === 0 ? [] : yield* runs.insert(accountId, [...fresh.values()])
    const due = [...wakes, ...added.filter((id) => fresh.get(id)!.status === "Active")]
    if (due.length === 0) return
    const [retentionId, ...jobIds] = yield* ids.many(due.length + 1)
    yield* queue.enqueue([
      ...due.map((id, index) =>
        advanceRunJob.job({ id: jobIds[index]!, accountId, payload: { runId: id }, runAt: now })
      ),
      firstRunRetention(retentionId!, accountId, now)
    ])
  })

  return ContactEventListener.of({
    dispatch: (contactEvents) =>
      Effect.forEach(
        Map.groupBy(contactEvents, (contactEvent) => contactEvent.accountId),
        ([accountId, group]) => dispatchInAccount(accountId, group),
        { discard: true }
      )
  })
})
