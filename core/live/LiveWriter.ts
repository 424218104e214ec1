/**
 * Stores the noted changes of accounts that have a stream, in batches, independently of the calls and jobs that made the
 * changes. For other accounts, nothing is stored.
 *
 * @module
 */
import { Clock, Context, Effect, Latch, Layer } from "effect"
import { Ids } from "../kernel/Ids.ts"
import { type LiveNote, LiveNotes } from "../kernel/LiveNotes.ts"
import type { EmailEvent } from "../model/EmailEvent.ts"
import { maxLiveEntries, type NewLiveEntry } from "../model/LiveEntry.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { type ListenedAccount, LiveEntries } from "../ports/LiveEntries.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { describeDefect } from "../shared/Defect.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { untraced } from "../shared/Tracing.ts"
import { emailBody } from "../webhooks/Payload.ts"

/** The maximum number of notes that wait to be stored. Beyond it, notes are dropped and the account's streams are reset. */
const maxWaiting = 10_000
/** The maximum number of entries in one statement. */
const maxBatch = 500
/** How long notes wait for further notes. */
const pause = "50 millis"
/** The pause of the writer after a failure. */
const failurePause = "1 second"
/** The longest interval between reads of the accounts that have a stream. */
const refreshEvery = "1 minute"
/** The maximum number and age of the notes that are kept in memory for accounts whose first stream opens on another node. */
const maxRecent = 1_000
const recentMillis = 10_000

const isEmailEvent = (about: LiveNote["about"]): about is EmailEvent =>
  about !== null && "deliveryId" in about

/** The latest notes of accounts that had no stream. */
class RecentNotes {
  #notes: Array<{ readonly at: number; readonly note: LiveNote }> = []

  add(at: number, note: LiveNote): void {
    this.#notes.push({ at, note })
    if (this.#notes.length > 2 * maxRecent) this.#notes = this.#notes.slice(-maxRecent)
  }

  /** Removes and returns the notes of accounts for which `sinceOf` returns a time, made since that time. */
  take(sinceOf: (accountId: string) => number | undefined, now: number): ReadonlyArray<LiveNote> {
    const fresh = this.#notes.filter(({ at }) => at >= now - recentMillis)
    const isTaken = ({ at, note }: { readonly at: number; readonly note: LiveNote }) =>
      at >= (sinceOf(note.accountId) ?? Infinity)
    this.#notes = fresh.filter((entry) => !isTaken(entry))
    return fresh.filter(isTaken).map(({ note }) => note)
  }
}

/** Stores the entries that streams show. */
export class LiveWriter extends Context.Service<LiveWriter>()("svc/live/LiveWriter", {
  make: Effect.gen(function* () {
    const { setSink } = yield* LiveNotes
    const store = yield* LiveEntries
    const contacts = yield* ContactStore
    const submissions = yield* SubmissionStore
    const ids = yield* Ids
    const clock = yield* Clock.Clock
    const arrived = yield* Latch.make(false)
    const recent = new RecentNotes()
    let listened: ReadonlyMap<string, ListenedAccount> = new Map()
    let waiting: Array<LiveNote> = []
    /** The accounts for which notes were dropped. */
    const broken = new Set<string>()

    const keep = (note: LiveNote): void => {
      if (waiting.length < maxWaiting) waiting.push(note)
      else broken.add(note.accountId)
      arrived.openUnsafe()
    }
    setSink((note) => {
      const now = clock.currentTimeMillisUnsafe()
      if ((listened.get(note.accountId)?.until ?? 0) > now) keep(note)
      else recent.add(now, note)
    })

    const refresh = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const found = yield* store.listened(now)
      const added = new Map(
        found.flatMap(({ accountId, since }) => (listened.has(accountId) ? [] : [[accountId, since]]))
      )
      listened = new Map(found.map((account) => [account.accountId, account]))
      for (const note of recent.take((accountId) => added.get(accountId), now)) keep(note)
    })

    /** The notification bodies of events, as a webhook for all events would get them; null for erased emails. */
    const bodiesOf = Effect.fnUntraced(function* (accountId: string, events: ReadonlyArray<EmailEvent>) {
      if (events.length === 0) return []
      const submissionIds = [...new Set(events.map(({ submissionId }) => submissionId))]
      const [people, sent, origins] = yield* Effect.all(
        [
          contacts.find(accountId, {
            ids: [],
            externalIds: [],
            emails: [...new Set(events.map(({ email }) => email))]
          }),
          submissions.find(accountId, submissionIds),
          submissions.originsOf(accountId, submissionIds)
        ],
        { concurrency: "unbounded" }
      )
      const contactIds = new Map(people.map(({ email, id }) => [email, id]))
      const deliveryIds = new Set(sent.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)))
      const sourceIds = new Map(origins.map(({ id, sourceId }) => [id, sourceId]))
      const newIds = yield* ids.many(events.length)
      return events.map((event, index) => {
        const itemId = newIds[index]!
        const contactId = contactIds.get(event.email) ?? null
        const sourceId = sourceIds.get(event.submissionId) ?? null
        return {
          itemId,
          body: deliveryIds.has(event.deliveryId) ? emailBody(itemId, event, { contactId, sourceId }) : null
        }
      })
    })

    const append = Effect.fnUntraced(function* (accountId: string, notes: ReadonlyArray<LiveNote>) {
      const bodies = yield* bodiesOf(
        accountId,
        notes.flatMap(({ about }) => (isEmailEvent(about) ? [about] : []))
      )
      let next = 0
      const entries = notes.flatMap(({ about, change, itemId, topic }): ReadonlyArray<NewLiveEntry> => {
        if (!isEmailEvent(about)) {
          const body = about === null ? null : JSON.stringify(about)
          return [{ topic, change, itemId, body, onceKey: null }]
        }
        const made = bodies[next++]!
        const onceKey = `${about.deliveryId} ${about.type}`
        return made.body === null ? [] : [{ topic, change, ...made, onceKey }]
      })
      yield* store.append(accountId, entries, yield* Clock.currentTimeMillis, maxLiveEntries)
    })

    /** Stores the waiting notes. Notes that cannot be stored now keep waiting. */
    const write: Effect.Effect<void, Unavailable> = Effect.gen(function* () {
      while (waiting.length > 0 || broken.size > 0) {
        for (const accountId of broken) {
          yield* store.clear(accountId)
          broken.delete(accountId)
        }
        const [first] = waiting
        if (first === undefined) return
        const { accountId } = first
        const ofAccount = waiting.filter((note) => note.accountId === accountId).slice(0, maxBatch)
        yield* append(accountId, ofAccount)
        const done = new Set(ofAccount)
        waiting = waiting.filter((note) => !done.has(note))
      }
    })

    const logged = (what: Effect.Effect<void, Unavailable>): Effect.Effect<void> =>
      Effect.catchCause(what, (cause) =>
        Effect.andThen(
          Effect.annotateLogs(Effect.logWarning("streams are late"), describeDefect(cause)),
          Effect.sleep(failurePause)
        )
      ).pipe(untraced)

    const round = Effect.gen(function* () {
      yield* arrived.await
      yield* Effect.sleep(pause)
      yield* arrived.close
      yield* logged(write)
      if (waiting.length > 0) yield* arrived.open
    })
    yield* Effect.forkScoped(Effect.forever(round))

    const changed = yield* store.listeners
    const refreshing = Effect.andThen(logged(refresh), Effect.raceFirst(changed, Effect.sleep(refreshEvery)))
    yield* Effect.forkScoped(Effect.forever(refreshing))

    return {
      /** Reads which accounts have a stream. A node calls it when it opens a stream, so that the stream misses nothing. */
      refresh
    }
  })
}) {
  static readonly layer = Layer.effect(LiveWriter, LiveWriter.make)
}
