/**
 * Implements `Turns` of the kernel with the event loop. Background work gets one turn in each iteration, so that all input and
 * output that is ready is handled between two turns. While a caller waits, it gets one turn in a few milliseconds.
 *
 * @module
 */
import { Effect } from "effect"
import type { TurnsShape } from "../../core/kernel/Turns.ts"

/** The time between two turns while a caller waits, in milliseconds. A turn takes one or two. */
const besideMillis = 4
/** A caller counts as waiting for at most this time, in milliseconds. After that it waits for others, not for the processor. */
const longestMillis = 250

/** The number of iterations of the event loop in a rest. With 24 instead of 8, batches of a busy process were no larger. */
const iterationsOfRest = 8

/** Waits for a number of iterations of the event loop. */
const afterIterations = (count: number, done: () => void): void => {
  setImmediate(count <= 1 ? done : () => afterIterations(count - 1, done))
}

/** Makes the scheduler of turns in a process. */
export const makeLoopTurns = (): TurnsShape => {
  /** The callers that wait, each with the time at which it no longer counts; oldest first. */
  const urgent = new Map<symbol, number>()
  const waiting = new Set<() => void>()
  let isPlanned = false

  const isBeside = (): boolean => {
    const now = performance.now()
    for (const [one, until] of urgent) {
      if (until > now) return true
      urgent.delete(one)
    }
    return false
  }

  const plan = (): void => {
    if (isPlanned || waiting.size === 0) return
    isPlanned = true
    if (isBeside()) setTimeout(take, besideMillis)
    else setImmediate(take)
  }

  const take = (): void => {
    isPlanned = false
    const [first] = waiting
    waiting.delete(first!)
    first?.()
    plan()
  }

  return {
    begin: () => {
      const one = Symbol("urgent")
      urgent.set(one, performance.now() + longestMillis)
      return () => void urgent.delete(one)
    },
    next: Effect.callback<void>((resume) => {
      const granted = () => resume(Effect.void)
      waiting.add(granted)
      plan()
      return Effect.sync(() => void waiting.delete(granted))
    }),
    rest: Effect.callback<void>((resume) => afterIterations(iterationsOfRest, () => resume(Effect.void)))
  }
}
