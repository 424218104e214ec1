/**
 * Moves the clock of a process, and does what falls due on the way.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { Worker } from "../jobs/Worker.ts"
import type { MovableClock } from "../kernel/ProcessInfo.ts"

/**
 * Moves a clock forward by milliseconds and processes each job at its time, then those that the last ones caused. Returns the
 * time then, epoch milliseconds.
 *
 * @param clock the one that the effect runs with
 */
export const advanceClock = Effect.fn("advanceClock")(function* (clock: MovableClock, millis: number) {
  const worker = yield* Worker
  const target = (yield* Clock.currentTimeMillis) + millis
  for (;;) {
    yield* worker.drain
    const due = yield* worker.nextDue
    if (due === null || due > target) break
    clock.set(Math.max(due, yield* Clock.currentTimeMillis))
  }
  clock.set(target)
  yield* worker.drain
  return yield* Clock.currentTimeMillis
})
