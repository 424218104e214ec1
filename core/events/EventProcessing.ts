/**
 * Processes reported events in the background. It finds or creates the contact of each event, as POST /contacts does, and
 * records the event, which also starts, wakes and stops the flow runs that react to it. The events of an account are processed
 * in the order of their acceptance, in consecutive batches, whichever node runs them. Each batch is one transaction: after a
 * crash no batch is half processed, and no event is recorded twice.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { Contacts } from "../audience/contacts/Contacts.ts"
import { type ContactKeys, ContactStore } from "../ports/ContactStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { Atomically } from "../kernel/atomically.ts"
import { describeDefect } from "../shared/Defect.ts"
import { Ids } from "../kernel/Ids.ts"
import type { EventPerson, PendingEvent } from "../model/Event.ts"
import { eventJob } from "../jobs/definitions/EventJobs.ts"
import { ContactEvents } from "../audience/timeline/ContactEvents.ts"

/** The most events in a transaction. */
const batchEvents = 500
/** The most characters of all events in a transaction. */
const batchSize = 8_000_000
/** How long the events of an account are processed before those of other accounts, milliseconds. */
const timeSlice = 2_000
/** The lease of a job, milliseconds: long enough for another node's time slice of the same account to end. */
const lease = 30_000
/** The number of accounts that are processed at the same time. */
const concurrentAccounts = 4
/** After this many failed jobs, an event that is processed alone is marked as failed, so that later events can continue. */
const maxAttempts = 4

/** An account with the jobs that process its events. */
interface AccountJobs {
  readonly accountId: string
  readonly jobs: ReadonlyArray<Job>
}

/** The handler of the queue `events`. */
export class EventProcessing extends Context.Service<EventProcessing>()("svc/events/EventProcessing", {
  make: Effect.gen(function* () {
    const store = yield* EventStore
    const contacts = yield* Contacts
    const contactStore = yield* ContactStore
    const contactEvents = yield* ContactEvents
    const queue = yield* JobQueue
    const atomically = yield* Atomically
    const ids = yield* Ids

    /** Records events, in the caller's transaction. */
    const record = Effect.fnUntraced(function* (accountId: string, events: ReadonlyArray<PendingEvent>) {
      // Without the lock, a batch of this size would often conflict with other writers of the same contacts and start again.
      yield* contactStore.lock(accountId, keysOf(events))
      const results = yield* contacts.writeMany(
        accountId,
        events.map((event) => Result.succeed(event.contact)),
        "Api"
      )
      const created = new Set<string>()
      const recorded = events.flatMap(({ id, name, occurredAt, properties }, index) => {
        const result = results[index]!
        if (Result.isFailure(result)) return []
        const contactId = result.success.contact.id
        if (result.success.created) created.add(contactId)
        return [{ accountId, contactId, id, name, properties, occurredAt, source: "Api" as const }]
      })
      yield* contactEvents.record(recorded, created)
      yield* store.complete(
        accountId,
        events.map(({ id }, index) => {
          const result = results[index]!
          return { id, failure: Result.isFailure(result) ? result.failure.issues[0].code : null }
        })
      )
    })

    /**
     * Processes one batch of at most `limit` events. Returns whether the jobs are done: either no events remain, or the time
     * slice has ended and another job continues.
     */
    const processBatch = Effect.fnUntraced(function* (
      { accountId, jobs }: AccountJobs,
      limit: number,
      until: number
    ) {
      const events = yield* store.claimBatch(accountId, limit, batchSize)
      if (events.length > 0) yield* record(accountId, events)
      const size = events.reduce((sum, event) => sum + event.size, 0)
      const mayHaveMore = events.length === limit || size >= batchSize
      const now = yield* Clock.currentTimeMillis
      if (mayHaveMore && now < until) return false
      if (mayHaveMore) {
        yield* queue.enqueue([eventJob.job({ id: yield* ids.next, accountId, payload: null, runAt: now })])
      }
      yield* queue.complete(jobs)
      return true
    }, atomically)

    /** Processes batches until the time slice ends. */
    const processBatches = Effect.fnUntraced(function* (account: AccountJobs, limit: number) {
      const until = (yield* Clock.currentTimeMillis) + timeSlice
      while (!(yield* processBatch(account, limit, until)));
    })

    /** Marks the account's first pending event as failed. */
    const failFirst = Effect.fnUntraced(function* (accountId: string) {
      const [first] = yield* store.claimBatch(accountId, 1, batchSize)
      if (first !== undefined) {
        yield* store.complete(accountId, [{ id: first.id, failure: "common.internal" }])
      }
    }, atomically)

    /** Processes an account. After a defect it processes one event at a time, so that only the event that causes it fails. */
    const processAccount = (account: AccountJobs) =>
      processBatches(account, batchEvents).pipe(
        Effect.catchDefect(() => processBatches(account, 1)),
        Effect.catchDefect((defect) =>
          account.jobs.every((job) => job.attempts < maxAttempts)
            ? Effect.die(defect)
            : Effect.annotateLogs(Effect.logError("event marked as failed"), {
                account: account.accountId,
                ...describeDefect(defect)
              }).pipe(
                Effect.andThen(failFirst(account.accountId)),
                Effect.andThen(processBatches(account, batchEvents))
              )
        )
      )

    return {
      batch: 64,
      lease,
      handle: Effect.fn("EventProcessing.handle")((jobs: ReadonlyArray<Job>) =>
        Effect.forEach(
          Map.groupBy(jobs, (job) => job.accountId),
          ([accountId, group]) => processAccount({ accountId, jobs: group }),
          { concurrency: concurrentAccounts, discard: true }
        )
      )
    }
  })
}) {
  static readonly layer = Layer.effect(EventProcessing, EventProcessing.make)
}

/** Every id, external id and email that the events name. */
const keysOf = (events: ReadonlyArray<PendingEvent>): ContactKeys => {
  const given = (pick: (person: EventPerson) => string | null): ReadonlyArray<string> => [
    ...new Set(events.map(({ person }) => pick(person)).filter((key) => key !== null))
  ]
  return {
    ids: given((person) => person.contactId),
    externalIds: given((person) => person.externalId),
    emails: given((person) => person.email)
  }
}
