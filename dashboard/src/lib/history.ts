/**
 * What was edited, to undo and to redo it.
 *
 * @module
 */

/** A value with those before it and those that were undone. */
export interface History<Value> {
  readonly past: ReadonlyArray<Value>
  readonly now: Value
  readonly future: ReadonlyArray<Value>
  /** Names the last change, so that letters typed one after the other are undone together; null ends the run. */
  readonly run: string | null
}

/** The most changes that can be undone. */
export const maxPast = 200

/** The history of a value that has not been changed. */
export const historyOf = <Value>(now: Value): History<Value> => ({ past: [], now, future: [], run: null })

/** A change. One with the same name as the last takes its place. */
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

/** The last change undone; the same where there is none. */
export const undone = <Value>(history: History<Value>): History<Value> => {
  const { future, now, past } = history
  const before = past.at(-1)
  return before === undefined
    ? history
    : { past: past.slice(0, -1), now: before, future: [now, ...future], run: null }
}

/** The last undone change made again; the same where there is none. */
export const redone = <Value>(history: History<Value>): History<Value> => {
  const { future, now, past } = history
  const [next, ...rest] = future
  return next === undefined ? history : { past: [...past, now], now: next, future: rest, run: null }
}
