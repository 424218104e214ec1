/**
 * The undo and redo history of a value that is edited.
 *
 * @module
 */

/** A value with its earlier states and the undone ones. */
export interface History<Value> {
  readonly past: ReadonlyArray<Value>
  readonly now: Value
  readonly future: ReadonlyArray<Value>
  /**
   * Names the last change, so that consecutive changes with the same name, such as typed letters, are undone together. Null ends
   * the series.
   */
  readonly run: string | null
}

/** The most changes that can be undone. */
export const maxPast = 200

/** The history of a value that has not been changed. */
export const historyOf = <Value>(now: Value): History<Value> => ({ past: [], now, future: [], run: null })

/** Records a change. One with the same name as the last change replaces it. */
export const changed = <Value>(
  { now, past, run: last }: History<Value>,
  next: Value,
  run: string | null = null
): History<Value> => ({
  past: run !== null && run === last ? past : [...past, now].slice(-maxPast),
  now: next,
  future: [],
  run
})

/** Undoes the last change; returns the same history if there is none. */
export const undone = <Value>(history: History<Value>): History<Value> => {
  const { future, now, past } = history
  const before = past.at(-1)
  return before === undefined
    ? history
    : { past: past.slice(0, -1), now: before, future: [now, ...future], run: null }
}

/** Redoes the last undone change; returns the same history if there is none. */
export const redone = <Value>(history: History<Value>): History<Value> => {
  const { future, now, past } = history
  const [next, ...rest] = future
  return next === undefined ? history : { past: [...past, now], now: next, future: rest, run: null }
}
