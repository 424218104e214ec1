/**
 * Starts the runs of flows on segments: finds who entered and left an account's segments since their last evaluation.
 *
 * The members of the segment at that time are stored for each flow. The transaction that adds or removes members also starts
 * their runs, so that each move starts exactly one run, whatever process is killed and however many nodes evaluate at the same
 * time.
 *
 * @module
 */
import { Cache, Clock, Context, Effect, Layer, Option } from "effect"
import { dayMillis } from "../../audience/segments/DayRange.ts"
import { isMarked } from "../../audience/segments/SegmentCounting.ts"
import { Segments } from "../../audience/segments/Segments.ts"
import { segmentStartsJob } from "../../jobs/definitions/RunJobs.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Flow, VersionRef } from "../../model/Flow.ts"
import { type FlowDefinition, startEventName } from "../../model/FlowDefinition.ts"
import { newRun } from "../../model/Run.ts"
import type { SegmentDefinition } from "../../model/SegmentDefinition.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { FlowStore } from "../../ports/FlowStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { type MemberChanges, SegmentStore } from "../../ports/SegmentStore.ts"
import { RunStart } from "./RunStart.ts"
import { CompiledFlows, versionKey } from "./CompiledFlow.ts"

/**
 * The longest time between a write and the evaluation of segments, milliseconds, if an evaluation takes less than a tenth of it.
 * The test harness sets a longer time, because each evaluation is an event of its virtual clock.
 */
export const SegmentInterval = Context.Reference<number>("svc/automation/SegmentInterval", {
  defaultValue: () => 5_000
})
/** Evaluations take at most 1 / `idleFactor` of the time. */
const idleFactor = 10
/** The most people entering, and leaving, that one evaluation finds. */
const foundAtOnce = 10_000
/** The most people whose runs are started in one transaction. */
const movedAtOnce = 500
/** How long a job runs before other jobs are processed, milliseconds. */
const timeSlice = 2_000
/** The delay before an account is evaluated again after its job failed too often, milliseconds. */
const retryAfter = 3_600_000
/** The most flows for which a process remembers at which state of the audience they were evaluated. */
const maxKept = 10_000

/** Starts the runs of flows on segments. */
export class SegmentStarts extends Context.Service<SegmentStarts>()("svc/automation/SegmentStarts", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const compiledFlows = yield* CompiledFlows
    const contacts = yield* ContactStore
    const flows = yield* FlowStore
    const ids = yield* Ids
    const interval = yield* SegmentInterval
    const queue = yield* JobQueue
    const runStart = yield* RunStart
    const segments = yield* Segments
    const store = yield* SegmentStore
    /** For each flow, the state in which it was last evaluated completely. */
    const evaluated = yield* Cache.make({
      capacity: maxKept,
      lookup: (key: string): Effect.Effect<string> => Effect.die(new Error(`looked up ${key}`))
    })

    const enqueue = Effect.fnUntraced(function* (accountId: string, runAt: number) {
      yield* queue.enqueue([segmentStartsJob.job({ id: yield* ids.next, accountId, payload: {}, runAt })])
    })

    /** Adds and removes members of a flow, and starts the runs of those whose move triggers the flow. */
    const move = Effect.fnUntraced(function* (ref: VersionRef, changes: MemberChanges, now: number) {
      const { accountId, flowId, version } = ref
      const flow = yield* flows.lock(accountId, flowId)
      if (flow?.status !== "Published" || flow.version !== version) return
      // A concurrent erasure either waits and then erases the new run, or was first.
      const keys = { ids: [...changes.entered, ...changes.left], externalIds: [], emails: [] }
      yield* contacts.lock(accountId, keys)
      const found = yield* contacts.find(accountId, keys)
      const present = new Set(found.filter(({ erasedAt }) => erasedAt === null).map(({ id }) => id))
      const moved = yield* store.moveMembers(accountId, flowId, {
        entered: changes.entered.filter((id) => present.has(id)),
        left: changes.left
      })
      const compiled = (yield* compiledFlows.find([ref])).get(versionKey(ref))
      if (compiled?.segment == null) return
      const starting =
        compiled.segment.on === "Enter" ? moved.entered : moved.left.filter((id) => present.has(id))
      const { segmentId } = compiled.segment
      const event = { name: startEventName(compiled.segment), occurredAt: now, properties: { segmentId } }
      const runIds = yield* ids.many(starting.length)
      const runs = starting.map((contactId, index) =>
        newRun({ id: runIds[index]!, ...ref, contactId, event }, compiled.first, now)
      )
      yield* runStart.start(accountId, runs, now)
    }, atomically)

    /** Evaluates the segment of a flow; returns whether everyone who moved was found and processed. */
    const evaluate = Effect.fnUntraced(function* (
      ref: VersionRef,
      definition: SegmentDefinition,
      until: number
    ) {
      const now = yield* Clock.currentTimeMillis
      const { accountId, flowId } = ref
      const { entered, left } = yield* store.memberChanges(accountId, flowId, definition, foundAtOnce, now)
      for (let start = 0; start < Math.max(entered.length, left.length); start += movedAtOnce) {
        const end = start + movedAtOnce
        yield* move(ref, { entered: entered.slice(start, end), left: left.slice(start, end) }, now)
        if ((yield* Clock.currentTimeMillis) >= until) return false
      }
      return entered.length < foundAtOnce && left.length < foundAtOnce
    })

    /** Evaluates the segments of an account. Returns when to evaluate them next (epoch milliseconds); null for never. */
    const evaluateAll = Effect.fnUntraced(function* (accountId: string) {
      const refs = yield* flows.onSegments(accountId)
      if (refs.length === 0) return null
      const began = yield* Clock.currentTimeMillis
      // Read first, so that writes during the evaluation cause another one.
      const marks = yield* store.marks(accountId)
      const definitions = yield* segments.definitions(
        accountId,
        refs.map(({ segmentId }) => segmentId)
      )
      let isComplete = true
      for (const { segmentId, ...ref } of refs) {
        const definition = definitions.get(segmentId)
        if (definition === undefined) continue
        const key = `${accountId}/${ref.flowId}`
        // Rules about days change only with the UTC day.
        const state = JSON.stringify([ref.version, marks, Math.floor(began / dayMillis), definition])
        const last = yield* Cache.getOption(evaluated, key)
        if (Option.contains(last, state) && isMarked(definition)) continue
        const isDone = yield* evaluate(ref, definition, began + timeSlice)
        if (isDone) yield* Cache.set(evaluated, key, state)
        else isComplete = false
      }
      const now = yield* Clock.currentTimeMillis
      return isComplete ? now + Math.max(interval, idleFactor * (now - began)) : now
    })

    return {
      /**
       * Prepares a flow that is published with a definition, in the caller's transaction: records who is in its segment now, for
       * whom it does not start. A flow that was already published on the segment continues unchanged.
       *
       * @param now epoch milliseconds
       */
      prepare: Effect.fn("SegmentStarts.prepare")(function* (
        { accountId, id, segmentId, status }: Flow,
        { trigger }: FlowDefinition,
        now: number
      ) {
        if (trigger.kind !== "Segment") {
          if (segmentId !== null) yield* store.setMembers(accountId, id, null, now)
          return
        }
        const continues = segmentId === trigger.segmentId
        if (!continues || (status !== "Published" && !trigger.includePresent)) {
          const definition = (yield* segments.definitions(accountId, [trigger.segmentId])).get(
            trigger.segmentId
          )
          yield* store.setMembers(accountId, id, trigger.includePresent ? null : (definition ?? null), now)
        }
        yield* enqueue(accountId, now)
      }),
      /** Deletes the recorded members of a flow that will never start again, in the caller's transaction. */
      remove: Effect.fn("SegmentStarts.remove")(function* (accountId: string, flowId: string) {
        yield* store.setMembers(accountId, flowId, null, yield* Clock.currentTimeMillis)
      }),
      /** Evaluates the segments of the jobs' accounts, and enqueues their next jobs. */
      handle: Effect.fn("SegmentStarts.handle")((jobs: ReadonlyArray<Job>) =>
        Effect.forEach(
          jobs,
          Effect.fnUntraced(function* (job) {
            const next = yield* evaluateAll(job.accountId)
            yield* atomically(
              Effect.andThen(
                queue.complete([job]),
                next === null ? Effect.void : enqueue(job.accountId, next)
              )
            )
          }),
          { discard: true }
        )
      ),
      /** Evaluates again an hour after a job failed too often. */
      onBuried: Effect.fn("SegmentStarts.onBuried")(function* (jobs: ReadonlyArray<Job>) {
        const now = yield* Clock.currentTimeMillis
        for (const { accountId } of jobs) yield* enqueue(accountId, now + retryAfter)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(SegmentStarts, SegmentStarts.make).pipe(
    Layer.provide([CompiledFlows.layer, RunStart.layer, Segments.layer])
  )
}
