/**
 * Wraps storage ports so that they note each change to be streamed, whichever use case makes it.
 *
 * @module
 */
import { type Context, Effect, Layer } from "effect"
import { type LiveNote, LiveNotes, type Notes } from "../kernel/LiveNotes.ts"
import type { LiveChange, LiveTopic } from "../model/LiveEntry.ts"
import type { RequestEntry } from "../model/RequestEntry.ts"
import { BulkJobStore } from "../ports/BulkJobStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { RequestLog } from "../ports/RequestLog.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { Transaction } from "../ports/Transaction.ts"

const noteOf = (
  accountId: string,
  topic: LiveTopic,
  change: LiveChange,
  itemId: string,
  about: RequestEntry | null = null
): LiveNote => ({ accountId, topic, change, itemId, about })

/** Wraps a port so that some of its methods note what they changed. */
const noting = <Id, Service>(
  port: Context.Key<Id, Service>,
  withNotes: (service: Service, note: Notes["note"]) => Service
): Layer.Layer<Id, never, Id> =>
  Layer.effect(
    port,
    Effect.gen(function* () {
      const { note } = yield* LiveNotes
      return withNotes(yield* port, note)
    })
  )

const emails = noting(SubmissionStore, (store, note) => ({
  ...store,
  insert: (accountId, submissions, jobs, objects) =>
    Effect.tap(store.insert(accountId, submissions, jobs, objects), (stored) => {
      const added = new Set(submissions.map(({ id }) => id))
      return note(
        stored.flatMap(({ id }) => (added.has(id) ? [noteOf(accountId, "emails", "Created", id)] : []))
      )
    }),
  move: (moves) =>
    Effect.tap(store.move(moves), (moved) =>
      note(moved.map(({ accountId, submissionId }) => noteOf(accountId, "emails", "Updated", submissionId)))
    ),
  engage: (kind, refs, at) =>
    Effect.tap(store.engage(kind, refs, at), (engaged) =>
      note(engaged.map(({ accountId, submissionId }) => noteOf(accountId, "emails", "Updated", submissionId)))
    )
}))

const events = noting(EventStore, (store, note) => ({
  ...store,
  insert: (accountId, added) =>
    Effect.tap(store.insert(accountId, added), (ids) =>
      note(ids.map((id) => noteOf(accountId, "events", "Created", id)))
    ),
  complete: (accountId, processed) =>
    Effect.tap(store.complete(accountId, processed), () =>
      note(processed.map(({ id }) => noteOf(accountId, "events", "Updated", id)))
    )
}))

const requests = noting(RequestLog, (log, note) => ({
  ...log,
  append: (entries) =>
    Effect.tap(log.append(entries), () =>
      note(entries.map((entry) => noteOf(entry.accountId, "requests", "Created", entry.id, entry)))
    )
}))

const jobs = noting(BulkJobStore, (store, note) => ({
  ...store,
  insert: (job) =>
    Effect.tap(store.insert(job), () => note([noteOf(job.accountId, "jobs", "Created", job.id)])),
  save: (job) => Effect.tap(store.save(job), () => note([noteOf(job.accountId, "jobs", "Updated", job.id)]))
}))

const transactions = Layer.effect(
  Transaction,
  Effect.gen(function* () {
    const { collecting } = yield* LiveNotes
    const { areSerial, run } = yield* Transaction
    return Transaction.of({ areSerial, run: (effect) => collecting(run(effect)) })
  })
)

/** The wrapped ports, on top of the ports of a storage. */
export const layer = Layer.mergeAll(emails, events, requests, jobs, transactions)
