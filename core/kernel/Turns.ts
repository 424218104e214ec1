/**
 * Who goes first within a process, whose work shares one thread: what callers wait for goes before marketing. The emails of
 * flows and campaigns take turns before they are composed, and the copies of campaigns before they are rendered: those are the
 * largest parts of their work.
 *
 * @module
 */
import { Context, Effect } from "effect"

/** The turns of a process. */
export interface TurnsShape {
  /** Notes that something has begun that a caller waits for; returns what notes that it has ended, once. */
  readonly begin: () => () => void
  /** Waits for the next turn of what may wait. */
  readonly next: Effect.Effect<void>
}

/** Nothing waits. */
export const noTurns: TurnsShape = { begin: () => () => undefined, next: Effect.void }

/** The turns of this process; without any, nothing waits. */
export const Turns = Context.Reference<TurnsShape>("svc/kernel/Turns", { defaultValue: () => noTurns })

/** How many small parts of work are done in a turn, each a fraction of a millisecond. */
const partsOfTurn = 4

/** Maps elements by effects that are small parts of work which may wait: a few in a turn. A single one takes no turn. */
export const inTurns = <A, B, E, R>(
  turns: TurnsShape,
  elements: ReadonlyArray<A>,
  run: (element: A, index: number) => Effect.Effect<B, E, R>
): Effect.Effect<Array<B>, E, R> =>
  Effect.forEach(elements, (element, index) =>
    elements.length > 1 && index % partsOfTurn === 0
      ? Effect.flatMap(turns.next, () => run(element, index))
      : run(element, index)
  )

/** Runs an effect that a caller waits for. */
export const goingFirst = <A, E, R>(turns: TurnsShape, run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const end = turns.begin()
    return Effect.ensuring(run, Effect.sync(end))
  })
