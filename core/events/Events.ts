/**
 * The use cases of events that customers' systems report: accept, list.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result, type Scope } from "effect"
import { type EventFilter, EventStore } from "../ports/EventStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { Transaction } from "../ports/Transaction.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { makeGroupCommit } from "../kernel/GroupCommit.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { type Issue, Problem, type Unavailable } from "../shared/Problem.ts"
import type { EventSummary } from "../model/Event.ts"
import { checkEvent, type EventCommand, type EventWrite, refuseEventCount } from "./EventRules.ts"
import { eventJob } from "../jobs/definitions/EventJobs.ts"

/** The most calls that are committed together. */
const maxGroup = 50
/** The most characters of their events: a statement carries them all. */
const maxGroupText = 8_000_000

/** An event that was not accepted. */
export interface RejectedEvent {
  /** Its position in the call, from 0. */
  readonly index: number
  readonly issues: ReadonlyArray<Issue>
}

/** What became of a call's events. */
export interface EventsReport {
  readonly accepted: number
  /** Those whose id the account, or this call, had before. */
  readonly duplicates: number
  readonly rejected: ReadonlyArray<RejectedEvent>
}

/** Accepts events and tells what became of them. */
export class Events extends Context.Service<
  Events,
  {
    /**
     * Accepts events, each by itself: stored with their background work when it answers. Calls that arrive together are
     * committed together. activity.batch_too_large for none or more than 100.
     */
    readonly accept: (
      accountId: string,
      events: ReadonlyArray<EventWrite | Problem>
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

const make: Effect.Effect<Events["Service"], never, EventStore | Ids | JobQueue | Scope.Scope | Transaction> =
  Effect.gen(function* () {
    const store = yield* EventStore
    const queue = yield* JobQueue
    const transaction = yield* Transaction
    const ids = yield* Ids

    /** Stores the events of some calls; answers how many of each call were added. */
    const cycle = Effect.fnUntraced(function* (
      accountId: string,
      calls: ReadonlyArray<ReadonlyArray<EventCommand>>
    ) {
      const count = calls.reduce((sum, call) => sum + call.length, 0)
      const [jobId, ...newIds] = yield* ids.many(count + 1)
      const unused = newIds.values()
      const drafts = calls.map((call) => call.map((command) => ({ ...command, id: unused.next().value! })))
      const added = new Set(yield* store.insert(accountId, drafts.flat()))
      if (added.size > 0) {
        yield* queue.enqueue([
          eventJob.job({ id: jobId!, accountId, payload: null, runAt: yield* Clock.currentTimeMillis })
        ])
      }
      return drafts.map((call) => Result.succeed(call.filter(({ id }) => added.has(id)).length))
    })

    const commit = yield* makeGroupCommit<ReadonlyArray<EventCommand>, number, never, Unavailable>({
      maxBatch: maxGroup,
      maxWeight: maxGroupText,
      weightOf: (call) => call.reduce((sum, { size }) => sum + size, 0),
      run: (accountId, calls) => retryConflicts(transaction.run(cycle(accountId, calls)))
    })

    return Events.of({
      accept: Effect.fn("Events.accept")(function* (accountId, events) {
        const refusal = refuseEventCount(events.length)
        if (refusal !== undefined) return yield* refusal
        const now = yield* Clock.currentTimeMillis
        const commands: Array<EventCommand> = []
        const rejected: Array<RejectedEvent> = []
        events.forEach((event, index) => {
          const command = event instanceof Problem ? event : checkEvent(event, now)
          if (command instanceof Problem) rejected.push({ index, issues: command.issues })
          else commands.push(command)
        })
        const accepted = commands.length === 0 ? 0 : yield* commit(accountId, commands)
        return { accepted, duplicates: commands.length - accepted, rejected }
      }),
      list: store.list
    })
  })
