/**
 * Turns by the event loop: one in each of its rounds, so that all input and output that is ready comes between two turns, and one
 * in a few milliseconds while a caller waits.
 *
 * @module
 */
import { Effect } from "effect"
import type { TurnsShape } from "../../core/kernel/Turns.ts"

/** The time between two turns while a caller waits, milliseconds: a turn takes one or two. */
const besideMillis = 4
/** Nothing counts as waited for longer than this, milliseconds: what takes longer waits for others, and not for the processor. */
const longestMillis = 250

/** Makes the turns of a process. */
export const makeLoopTurns = (): TurnsShape => {
  /** What callers wait for, by when it counts no more; the oldest first. */
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
    })
  }
}
