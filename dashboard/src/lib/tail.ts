/**
 * The latest changes of a stream, newest first: shown as they come, or held back while the reader looks at some.
 *
 * @module
 */

/** The most changes that are kept, so that a screen that stays open for hours needs no more memory. */
export const maxKept = 500

/** What is kept. */
export interface Tail<Entry> {
  /** Newest first. */
  readonly shown: ReadonlyArray<Entry>
  /** What came while it was paused, newest first; null where it is not. */
  readonly held: ReadonlyArray<Entry> | null
  /** How many came while it was paused, those included that are no longer kept. */
  readonly heldCount: number
}

/** One that shows what comes. */
export const emptyTail: Tail<never> = { shown: [], held: null, heldCount: 0 }

const before = <Entry>(newest: ReadonlyArray<Entry>, others: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  [...newest, ...others].slice(0, maxKept)

/** With changes in the order in which they came. */
export const withChanges = <Entry>(tail: Tail<Entry>, came: ReadonlyArray<Entry>): Tail<Entry> => {
  const newest = came.toReversed()
  return tail.held === null
    ? { ...tail, shown: before(newest, tail.shown) }
    : { ...tail, held: before(newest, tail.held), heldCount: tail.heldCount + came.length }
}

/** Holding back what comes. */
export const paused = <Entry>(tail: Tail<Entry>): Tail<Entry> => ({ ...tail, held: tail.held ?? [] })

/** Showing what was held back and what comes. */
export const resumed = <Entry>({ held, shown }: Tail<Entry>): Tail<Entry> => ({
  shown: before(held ?? [], shown),
  held: null,
  heldCount: 0
})

/** Without what is shown. */
export const cleared = <Entry>(tail: Tail<Entry>): Tail<Entry> => ({ ...tail, shown: [] })
