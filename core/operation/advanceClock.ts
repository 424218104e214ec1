/**
 * Moves the clock of a process forward, and processes the jobs that become due on the way.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { Worker } from "../jobs/Worker.ts"
import type { MovableClock } from "../kernel/ProcessInfo.ts"

/**
 * Moves a clock forward by `millis` and processes each job at its time, including the jobs that these enqueue. Returns the
 * resulting time, epoch milliseconds.
 *
 * @param clock the clock that the effect runs with
 */
export const advanceClock = Effect.fn("advanceClock")(function* (clock: MovableClock, millis: number) {
  const worker = yield* Worker
  const target = (yield* Clock.currentTimeMillis) + millis
  for (;;) {
    yield* worker.drain
    const now = yield* Clock.currentTimeMillis
    const due = yield* worker.nextDue
    // Fibers that the clock woke may have enqueued jobs after the drain.
    if (due !== null && due <= target) clock.set(Math.max(due, now))
    else if (now < target) clock.set(target)
    else return now
  }
})
