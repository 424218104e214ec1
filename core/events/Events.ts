/**
 * The use cases of events that customers' systems report: accepting and listing them.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { type EventFilter, EventStore } from "../ports/EventStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { Atomically } from "../kernel/atomically.ts"
import { makeGroupCommit } from "../kernel/GroupCommit.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Issue, Problem, Unavailable } from "../shared/Problem.ts"
import type { EventSource, EventSummary, PendingEvent } from "../model/Event.ts"
import { eventCountProblem, type EventWrite, parseEvent } from "./EventRules.ts"
import { eventJob } from "../jobs/definitions/EventJobs.ts"

/** The most calls that are committed together. */
const maxGroup = 50
/** The most characters of the events of these calls, which one statement carries. */
const maxGroupSize = 8_000_000

type AcceptedEvent = Omit<PendingEvent, "id">

/** An event that was not accepted. */
export interface RejectedEvent {
  /** Its index in the call, from 0. */
  readonly index: number
  readonly issues: ReadonlyArray<Issue>
}

/** The result of a call that reports events. */
export interface EventsReport {
  readonly accepted: number
  /** The number of events whose id already occurred in the account or in this call. */
  readonly duplicates: number
  readonly rejected: ReadonlyArray<RejectedEvent>
}

/** The use cases of reported events. */
export class Events extends Context.Service<
  Events,
  {
    /**
     * Accepts or rejects each event by itself. When it returns, the accepted events are stored, together with the job that
     * processes them. Concurrent calls are committed together. activity.batch_too_large for no events or more than 100.
     */
    readonly accept: (
      accountId: string,
      events: ReadonlyArray<Result.Result<EventWrite, Problem>>,
      source?: EventSource
    ) => Effect.Effect<EventsReport, Problem | Unavailable>
    /** An account's events, newest first. */
    readonly list: (
      accountId: string,
      filter: EventFilter,
      page: PageRequest
    ) => Effect.Effect<Page<EventSummary>, Unavailable>
  }
>()("svc/activity/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const store = yield* EventStore
  const queue = yield* JobQueue
  const atomically = yield* Atomically
  const ids = yield* Ids

  /** Stores the events of several calls; returns how many events of each call were added. */
  const insert = Effect.fnUntraced(function* (
    accountId: string,
    calls: ReadonlyArray<ReadonlyArray<AcceptedEvent>>
  ) {
    const count = calls.reduce((sum, call) => sum + call.length, 0)
    const [jobId, ...newIds] = yield* ids.many(count + 1)
    const unused = newIds.values()
    const events = calls.map((call) => call.map((command) => ({ ...command, id: unused.next().value! })))
    const added = new Set(yield* store.insert(accountId, events.flat()))
    if (added.size > 0) {
      const runAt = yield* Clock.currentTimeMillis
      yield* queue.enqueue([eventJob.job({ id: jobId!, accountId, payload: null, runAt })])
    }
    return events.map((call) => Result.succeed(call.filter(({ id }) => added.has(id)).length))
  })

  const commit = yield* makeGroupCommit<ReadonlyArray<AcceptedEvent>, number, never, Unavailable>({
    maxBatch: maxGroup,
    maxWeight: maxGroupSize,
    weightOf: (call) => call.reduce((sum, { size }) => sum + size, 0),
    run: (accountId, calls) => atomically(insert(accountId, calls))
  })

  return Events.of({
    accept: Effect.fn("Events.accept")(function* (accountId, events, source = "Api") {
      const problem = eventCountProblem(events.length)
      if (problem !== undefined) return yield* problem
      const now = yield* Clock.currentTimeMillis
      const commands: Array<AcceptedEvent> = []
      const rejected: Array<RejectedEvent> = []
      events.forEach((event, index) => {
        const parsed = Result.flatMap(event, (write) => parseEvent(write, now))
        if (Result.isFailure(parsed)) rejected.push({ index, issues: parsed.failure.issues })
        else commands.push({ ...parsed.success, source })
      })
      const accepted = commands.length === 0 ? 0 : yield* commit(accountId, commands)
      return { accepted, duplicates: commands.length - accepted, rejected }
    }),
    list: store.list
  })
})
