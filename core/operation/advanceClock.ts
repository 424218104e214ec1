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
    const now = yield* Clock.currentTimeMillis
    const due = yield* worker.nextDue
    // What fibers did that the clock woke can fall due after the drain.
    if (due !== null && due <= target) clock.set(Math.max(due, now))
    else if (now < target) clock.set(target)
    else return now
  }
})
