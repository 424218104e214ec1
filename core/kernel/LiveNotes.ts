/**
 * Collects, in this process, what was committed and may interest a stream. It costs no statement: `core/live` stores the
 * notes of accounts that are streamed, and drops the others.
 *
 * @module
 */
import { Context, Effect, Exit, Layer } from "effect"
import type { EmailEvent } from "../model/EmailEvent.ts"
import type { LiveChange, LiveTopic } from "../model/LiveEntry.ts"
import type { RequestEntry } from "../model/RequestEntry.ts"

/** A committed change. */
export interface LiveNote {
  readonly accountId: string
  readonly topic: LiveTopic
  readonly change: LiveChange
  /** The item that changed; of a notification, the submission. */
  readonly itemId: string
  /** Of a notification what it is about, of a request the call itself; null for items that are looked up. */
  readonly about: EmailEvent | RequestEntry | null
}

/** The notes of a transaction that has not ended. */
interface Pending {
  notes: Array<LiveNote> | null
}

const CurrentNotes = Context.Reference<Pending | null>("svc/kernel/CurrentNotes", {
  defaultValue: () => null
})

/** How changes are noted. */
export interface Notes {
  /** Notes changes: at once, or when the transaction that `collecting` runs has committed. */
  readonly note: (notes: ReadonlyArray<LiveNote>) => Effect.Effect<void>
  /** Runs a transaction; its notes are dropped unless it succeeds. */
  readonly collecting: <A, E, R>(transaction: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Gives all notes to `sink` from now on, in place of the sink before. */
  readonly setSink: (sink: (note: LiveNote) => void) => void
}

/** Notes of changes, which nothing keeps unless a service composes `layer`. */
export const LiveNotes = Context.Reference<Notes>("svc/kernel/LiveNotes", {
  defaultValue: () => ({
    note: () => Effect.void,
    collecting: (transaction) => transaction,
    setSink: () => undefined
  })
})

/** Gives the notes of this process to one sink. */
export const layer = Layer.sync(LiveNotes, (): Notes => {
  let give: (note: LiveNote) => void = () => undefined
  return {
    note: (notes) =>
      Effect.withFiber((fiber) => {
        // A fiber may outlive the transaction that it was started in.
        const collected = fiber.getRef(CurrentNotes)?.notes ?? null
        for (const note of notes) {
          if (collected === null) give(note)
          else collected.push(note)
        }
        return Effect.void
      }),
    collecting: (transaction) =>
      Effect.withFiber((fiber) => {
        if ((fiber.getRef(CurrentNotes)?.notes ?? null) !== null) return transaction
        const pending: Pending = { notes: [] }
        return Effect.onExit(Effect.provideService(transaction, CurrentNotes, pending), (exit) =>
          Effect.sync(() => {
            const notes = pending.notes ?? []
            pending.notes = null
            if (Exit.isSuccess(exit)) for (const note of notes) give(note)
          })
        )
      }),
    setSink: (sink) => {
      give = sink
    }
  }
})
