/**
 * The latest changes of a stream, newest first. New ones are shown as they arrive, or held back while the reader has paused.
 *
 * @module
 */

/** The most changes that are kept, which bounds the memory of a screen that stays open for hours. */
export const maxKept = 500

/** The changes that are kept. */
export interface Tail<Entry> {
  /** Newest first. */
  readonly shown: ReadonlyArray<Entry>
  /** What arrived during a pause, newest first; null if not paused. */
  readonly held: ReadonlyArray<Entry> | null
  /** How many arrived during the pause, including those that are no longer kept. */
  readonly heldCount: number
}

/** An empty tail that is not paused. */
export const emptyTail: Tail<never> = { shown: [], held: null, heldCount: 0 }

const before = <Entry>(newest: ReadonlyArray<Entry>, others: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  [...newest, ...others].slice(0, maxKept)

/** The tail with more changes, given in the order in which they arrived. */
export const withChanges = <Entry>(tail: Tail<Entry>, came: ReadonlyArray<Entry>): Tail<Entry> => {
  const newest = came.toReversed()
  return tail.held === null
    ? { ...tail, shown: before(newest, tail.shown) }
    : { ...tail, held: before(newest, tail.held), heldCount: tail.heldCount + came.length }
}

/** The tail, paused. */
export const paused = <Entry>(tail: Tail<Entry>): Tail<Entry> => ({ ...tail, held: tail.held ?? [] })

/** The tail, resumed, with the changes held back now shown. */
export const resumed = <Entry>({ held, shown }: Tail<Entry>): Tail<Entry> => ({
  shown: before(held ?? [], shown),
  held: null,
  heldCount: 0
})

/** The tail without the changes shown so far. */
export const cleared = <Entry>(tail: Tail<Entry>): Tail<Entry> => ({ ...tail, shown: [] })
