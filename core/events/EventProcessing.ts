/**
 * Brings reported events to their people, in the background: each person is found or created as POST /contacts does,
 * then the event is recorded. An account's events are processed in the order they were accepted, one batch after the
 * other on whatever node, each batch in one transaction: a crash leaves none half-done and none is recorded twice.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import { Contacts } from "../audience/contacts/Contacts.ts"
import type { Handler } from "../jobs/Worker.ts"
import { type ContactKeys, ContactStore } from "../ports/ContactStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { Transaction } from "../ports/Transaction.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { describeDefect } from "../shared/Defect.ts"
import { Ids } from "../kernel/Ids.ts"
import type { EventPerson, PendingEvent } from "../model/Event.ts"
import { eventJob } from "../jobs/definitions/EventJobs.ts"
import { ContactEvents } from "../audience/timeline/ContactEvents.ts"

/** The most events of a transaction. */
const batchEvents = 500
/** The most characters of what they carry. */
const batchSize = 8_000_000
/** How long an account's events are processed before others have their turn, milliseconds. */
const timeSlice = 2_000
/** Long enough for the account's turn on another node to end first. */
const lease = 30_000
/** How many accounts are served at a time. */
const accountsAtOnce = 4
/** An event that made a job fail this often, all by itself, is given up on, so that those behind it can go on. */
const maxAttempts = 4

/** The handler of the queue `events`. */
export const makeEventProcessing = Effect.gen(function* () {
  const store = yield* EventStore
  const contacts = yield* Contacts
  const people = yield* ContactStore
  const contactEvents = yield* ContactEvents
  const queue = yield* JobQueue
  const transaction = yield* Transaction
  const ids = yield* Ids

  const process = Effect.fnUntraced(function* (accountId: string, events: ReadonlyArray<PendingEvent>) {
    // So many events meet writes of the same people, which would else send the batch back to its start.
    yield* people.lock(accountId, keysOf(events))
    const results = yield* contacts.writeMany(
      accountId,
      events.map((event) => event.contact),
      "Api"
    )
    yield* contactEvents.record(
      events.flatMap(({ id, name, occurredAt, properties }, index) => {
        const result = results[index]!
        if (Result.isFailure(result)) return []
        const contactId = result.success.contact.id
        return [{ accountId, contactId, id, name, properties, occurredAt, source: "Api" as const }]
      })
    )
    yield* store.complete(
      accountId,
      events.map(({ id }, index) => {
        const result = results[index]!
        return { id, failure: Result.isFailure(result) ? result.failure.issues[0].code : null }
      })
    )
  })

  /** One batch in one transaction. At the end of the line, or of our time, the jobs are done; answers whether. */
  const takeTurn = (accountId: string, jobs: ReadonlyArray<Job>, limit: number, until: number) =>
    retryConflicts(
      transaction.run(
        Effect.gen(function* () {
          const events = yield* store.claimBatch(accountId, limit, batchSize)
          if (events.length > 0) yield* process(accountId, events)
          const size = events.reduce((sum, event) => sum + event.size, 0)
          const mayHaveMore = events.length === limit || size >= batchSize
          const now = yield* Clock.currentTimeMillis
          if (mayHaveMore && now < until) return false
          if (mayHaveMore)
            yield* queue.enqueue([
              eventJob.job({ id: yield* ids.next, accountId, payload: null, runAt: now })
            ])
          yield* queue.complete(jobs)
          return true
        })
      )
    )

  const takeTurns = Effect.fnUntraced(function* (accountId: string, jobs: ReadonlyArray<Job>, limit: number) {
    const until = (yield* Clock.currentTimeMillis) + timeSlice
    while (!(yield* takeTurn(accountId, jobs, limit, until)));
  })

  /** Gives up on the first event of the line. */
  const giveUp = (accountId: string) =>
    retryConflicts(
      transaction.run(
        Effect.gen(function* () {
          const [first] = yield* store.claimBatch(accountId, 1, batchSize)
          if (first !== undefined)
            yield* store.complete(accountId, [{ id: first.id, failure: "common.internal" }])
        })
      )
    )

  /** After a defect, one event at a time, so that the one it lies with is alone. */
  const serve = (accountId: string, jobs: ReadonlyArray<Job>) =>
    takeTurns(accountId, jobs, batchEvents).pipe(
      Effect.catchDefect(() => takeTurns(accountId, jobs, 1)),
      Effect.catchDefect((defect) =>
        jobs.every((job) => job.attempts < maxAttempts)
          ? Effect.die(defect)
          : Effect.annotateLogs(Effect.logError("event given up on"), {
              account: accountId,
              ...describeDefect(defect)
            }).pipe(
              Effect.andThen(giveUp(accountId)),
              Effect.andThen(takeTurns(accountId, jobs, batchEvents))
            )
      )
    )

  return {
    batch: 64,
    lease,
    handle: (jobs) =>
      Effect.forEach(
        Map.groupBy(jobs, (job) => job.accountId),
        ([accountId, group]) => serve(accountId, group),
        { concurrency: accountsAtOnce, discard: true }
      )
  } satisfies Handler
})

/** Every identity that the events name. */
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
