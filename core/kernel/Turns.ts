/**
 * Schedules work on the one thread of a process: work that a caller waits for runs before marketing. Emails of flows and
 * campaigns wait before they are composed, and copies of campaigns before they are rendered, since these are the largest parts
 * of their work. A turn is a short run of such work, between which the thread serves callers.
 *
 * @module
 */
import { Context, Effect } from "effect"

/** The scheduler of a process. */
export interface TurnsShape {
  /** Records the start of work that a caller waits for. Returns a function that records its end, to be called once. */
  readonly begin: () => () => void
  /** Waits until work that may wait is allowed to continue. */
  readonly next: Effect.Effect<void>
  /**
   * Waits a little for other work to continue: not noticeably in a process with nothing else to do, and some milliseconds in a
   * busy one.
   */
  readonly rest: Effect.Effect<void>
}

/** A scheduler that makes nothing wait. */
export const noTurns: TurnsShape = { begin: () => () => undefined, next: Effect.void, rest: Effect.void }

/** The scheduler of this process. By default nothing waits. */
export const Turns = Context.Reference<TurnsShape>("svc/kernel/Turns", { defaultValue: () => noTurns })

/** How many small pieces of work, each a fraction of a millisecond, run in a turn. */
const partsOfTurn = 4

/** Maps elements by small pieces of work that may wait, a few per turn. A single element does not wait. */
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
