/**
 * Collects, in memory, the committed changes that live streams may show. This costs no statement: `core/live` stores the
 * notes of accounts that have an open stream, and drops the others.
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
  /** The item that changed; for a notification, its submission. */
  readonly itemId: string
  /** For a notification the email event, for a request the call itself; null for items that are looked up. */
  readonly about: EmailEvent | RequestEntry | null
}

/** The notes of a running transaction. */
interface Pending {
  notes: Array<LiveNote> | null
}

const CurrentNotes = Context.Reference<Pending | null>("svc/kernel/CurrentNotes", {
  defaultValue: () => null
})

/** Records changes. */
export interface Notes {
  /** Records changes: at once, or inside `collecting` when the transaction commits. */
  readonly note: (notes: ReadonlyArray<LiveNote>) => Effect.Effect<void>
  /** Runs a transaction; if it fails, its notes are dropped. */
  readonly collecting: <A, E, R>(transaction: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Passes all notes to `sink` from now on, instead of to the previous sink. */
  readonly setSink: (sink: (note: LiveNote) => void) => void
}

/** Records of changes. By default they are dropped; `layer` passes them to a sink. */
export const LiveNotes = Context.Reference<Notes>("svc/kernel/LiveNotes", {
  defaultValue: () => ({
    note: () => Effect.void,
    collecting: (transaction) => transaction,
    setSink: () => undefined
  })
})

/** Passes the notes of this process to one sink. */
export const layer = Layer.sync(LiveNotes, (): Notes => {
  let give: (note: LiveNote) => void = () => undefined
  return {
    note: (notes) =>
      Effect.withFiber((fiber) => {
        // A fiber may outlive the transaction in which it was started.
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
