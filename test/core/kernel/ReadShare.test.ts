/**
 * Tests of limiting expensive reads: how many run at the same time, the order among accounts, and how long a read waits.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeReadShare } from "../../../core/kernel/ReadShare.ts"
import { Problem } from "../../../core/shared/Problem.ts"

/** Reads of accounts that end on request, limited as given. */
const openReads = (total: number, perAccount: number) => {
  const share = makeReadShare({ total, perAccount, wait: "10 seconds" })
  const running: Array<string> = []
  const began: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  return {
    running,
    began,
    /** Starts the read `<account><number>`. */
    start: (name: string) => {
      const end = Deferred.makeUnsafe<void>()
      ends.set(name, end)
      const read = Effect.gen(function* () {
        running.push(name)
        began.push(name)
        yield* Deferred.await(end)
      }).pipe(Effect.ensuring(Effect.sync(() => running.splice(running.indexOf(name), 1))))
      return Effect.andThen(
        Effect.forkChild(share.run(name.slice(0, 1), read), { startImmediately: true }),
        (fiber) => Effect.as(settled, fiber)
      )
    },
    end: (name: string) => Effect.andThen(Deferred.succeed(ends.get(name)!, undefined), settled)
  }
}

const settled = Effect.forEach(Array.from({ length: 10 }), () => Effect.yieldNow, { discard: true })

describe("ReadShare", () => {
  it.effect("runs one read of an account and three of all, and lets accounts take turns", () =>
    Effect.gen(function* () {
      const { began, end, running, start } = openReads(3, 1)
      for (const name of ["a1", "a2", "a3", "a4", "b1", "b2", "c1", "d1", "d2", "e1"]) yield* start(name)
      expect(running.toSorted()).toEqual(["a1", "b1", "c1"])
      while (running.length > 0) {
        yield* end(running[0]!)
        expect(running.length).toBeLessThanOrEqual(3)
        expect(new Set(running.map((name) => name.slice(0, 1))).size).toBe(running.length)
      }
      expect(began).toHaveLength(10)
      // Even forty waiting reads of one account would delay another account's first read by no more than the running one.
      expect(began.indexOf("d1")).toBeLessThan(began.indexOf("a3"))
      expect(began.indexOf("e1")).toBeLessThan(began.indexOf("a3"))
      expect(began.filter((name) => name.startsWith("a"))).toEqual(["a1", "a2", "a3", "a4"])
    })
  )

  it.effect("lets the place of an account rest for as long as a read took behind which a crowd waits", () =>
    Effect.gen(function* () {
      const { began, end, start } = openReads(3, 1)
      for (let index = 0; index < 8; index++) {
        yield* start(`a${index}`)
        yield* start(`c${index}`)
      }
      // The pause after a short read is longer than the read.
      yield* TestClock.adjust("1 millis")
      yield* end("c0")
      yield* TestClock.adjust("9 millis")
      expect(began).toEqual(["a0", "c0"])
      yield* TestClock.adjust("1 millis")
      yield* settled
      expect(began.splice(1)).toEqual(["c0", "c1"])
      yield* TestClock.adjust("29 millis")
      yield* end("a0")
      expect(began).toEqual(["a0"])
      // Reads that arrive meanwhile do not start either, except those of another account.
      yield* start("a8")
      yield* start("b0")
      yield* TestClock.adjust("39 millis")
      expect(began).toEqual(["a0", "b0"])
      yield* TestClock.adjust("1 millis")
      yield* settled
      expect(began).toEqual(["a0", "b0", "a1"])
      // A read that took no time causes no pause, and a read of many seconds only a short one.
      yield* end("a1")
      expect(began.at(-1)).toBe("a2")
      yield* TestClock.adjust("8 seconds")
      yield* end("a2")
      yield* TestClock.adjust("499 millis")
      expect(began.at(-1)).toBe("a2")
      yield* TestClock.adjust("1 millis")
      yield* settled
      expect(began.at(-1)).toBe("a3")
      // Five waiting reads are too few to cause a pause.
      yield* TestClock.adjust("10 millis")
      yield* end("a3")
      expect(began.at(-1)).toBe("a4")
    })
  )

  it.effect("has no rest on a clock that was moved during the read", () =>
    Effect.gen(function* () {
      const { began, end, start } = openReads(1, 1)
      const clock = yield* Clock.Clock
      const moved = { offset: 0 }
      const other: Clock.Clock = {
        ...clock,
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + moved.offset,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe()
      }
      for (let index = 0; index < 8; index++) {
        yield* Effect.provideService(start(`a${index}`), Clock.Clock, other)
      }
      moved.offset = 60_000
      yield* end("a0")
      expect(began).toEqual(["a0", "a1"])
    })
  )

  it.effect("fails with common.too_many_reads when no place is free within 10 seconds", () =>
    Effect.gen(function* () {
      const { end, running, start } = openReads(2, 1)
      yield* start("a1")
      const late = yield* start("a2")
      yield* TestClock.adjust("9999 millis")
      expect(late.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      expect(yield* Effect.flip(Fiber.join(late))).toEqual(Problem.of("common.too_many_reads"))
      // The place is free for the next read, and no longer reserved for the one that gave up.
      yield* start("a3")
      yield* end("a1")
      expect(running).toEqual(["a3"])
    })
  )

  it.effect("gives back the place of a read that fails or is interrupted, waiting or running", () =>
    Effect.gen(function* () {
      const { running, start } = openReads(1, 1)
      const first = yield* start("a1")
      const second = yield* start("b1")
      yield* start("c1")
      yield* Fiber.interrupt(second)
      yield* Fiber.interrupt(first)
      yield* settled
      expect(running).toEqual(["c1"])
      const share = makeReadShare({ total: 1, perAccount: 1, wait: "10 seconds" })
      for (let round = 0; round < 3; round++) {
        expect(Exit.isFailure(yield* Effect.exit(share.run("a", Effect.die("broken"))))).toBe(true)
      }
      expect(yield* share.run("a", Effect.succeed("read"))).toBe("read")
    })
  )
})
