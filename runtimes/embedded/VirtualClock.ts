/**
 * A clock that starts at a chosen time, runs with real time or stands still, and can be moved forward.
 *
 * @module
 */
import { type Clock, Duration, Effect } from "effect"

/** A clock that can be moved. */
export interface VirtualClock extends Clock.Clock {
  /** Moves to a time, epoch milliseconds; never back. */
  readonly set: (millis: number) => void
}

/** The longest time of a timer, milliseconds. */
const longest = 2 ** 31 - 1

/**
 * Creates a clock at `startAt`. A sleep ends when real time or `set` passes its end; on a clock that stands still only
 * `set` ends it.
 */
export const makeVirtualClock = (startAt: number, stands = false): VirtualClock => {
  let offset = stands ? startAt : startAt - Date.now()
  const sleepers = new Set<() => void>()
  const millis = () => (stands ? offset : Math.floor(Date.now() + offset))
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => process.hrtime.bigint(),
    monotonicTimeNanos: Effect.sync(() => process.hrtime.bigint()),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const until = millis() + Duration.toMillis(duration)
        let timer: NodeJS.Timeout | undefined
        const wait = (left: number) => {
          if (stands || left === Infinity) return
          const next = () => (left <= longest ? finish() : wait(left - longest))
          // Background work waits most of the time, and must not keep a process alive that is done with the service.
          timer = setTimeout(next, Math.min(left, longest)).unref()
        }
        const check = () => {
          if (millis() >= until) finish()
        }
        const finish = () => {
          clearTimeout(timer)
          sleepers.delete(check)
          resume(Effect.void)
        }
        sleepers.add(check)
        wait(Duration.toMillis(duration))
        return Effect.sync(() => {
          clearTimeout(timer)
          sleepers.delete(check)
        })
      }),
    set: (time) => {
      offset += Math.max(0, time - millis())
      for (const check of sleepers) check()
    }
  }
}
