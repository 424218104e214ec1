/**
 * A clock that starts at a chosen time, runs with real time or does not run, and can be moved forward.
 *
 * @module
 */
import { type Clock, Duration, Effect } from "effect"

/** A clock that can be moved. */
export interface VirtualClock extends Clock.Clock {
  /** Moves the clock to a time in epoch milliseconds, but never back. */
  readonly set: (millis: number) => void
}

/** The longest duration of a timer, in milliseconds. */
const longest = 2 ** 31 - 1

/**
 * Creates a clock at `startAt`. A sleep ends when real time or `set` reaches its end; on a clock that does not run, only `set`
 * ends it.
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
          // Background work waits most of the time, and must not keep alive a process that no longer uses the service.
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
