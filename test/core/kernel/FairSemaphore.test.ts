/**
 * Tests of a semaphore that holders share fairly: who waits, and who does not.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { FairSemaphore } from "../../../core/kernel/FairSemaphore.ts"

/** Holds permits until its gate opens; `hasBegun` is set once it has them. */
const holding = (semaphore: FairSemaphore, holder: string, amount: number) =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const state = { hasBegun: false, release: () => undefined as void }
    const fiber = yield* Effect.forkChild(
      semaphore.withPermits(holder, amount, (release) => {
        state.hasBegun = true
        state.release = release
        return Deferred.await(gate)
      })
    )
    yield* Effect.yieldNow
    return { end: Effect.andThen(Deferred.succeed(gate, undefined), Fiber.join(fiber)), fiber, state }
  })

describe("a fair semaphore", () => {
  it.effect("makes one holder wait at its share, and no other", () =>
    Effect.gen(function* () {
      const semaphore = new FairSemaphore(100)
      const [first, second] = [yield* holding(semaphore, "a", 60), yield* holding(semaphore, "a", 10)]
      expect([first.state.hasBegun, second.state.hasBegun]).toEqual([true, false])
      const other = yield* holding(semaphore, "b", 10)
      expect(other.state.hasBegun).toBe(true)
      yield* first.end
      yield* Effect.yieldNow
      expect(second.state.hasBegun).toBe(true)
      yield* second.end
      yield* other.end
    })
  )

  it.effect("gives permits back once: early, at the end, and when interrupted while waiting or running", () =>
    Effect.gen(function* () {
      const semaphore = new FairSemaphore(100)
      for (let round = 0; round < 10; round++) {
        const running = yield* holding(semaphore, "a", 100)
        expect(running.state.hasBegun).toBe(true)
        const waiting = yield* holding(semaphore, "b", 1)
        expect(waiting.state.hasBegun).toBe(false)
        if (round % 2 === 0) {
          yield* Fiber.interrupt(waiting.fiber)
          yield* Fiber.interrupt(running.fiber)
        } else {
          running.state.release()
          yield* Effect.yieldNow
          expect(waiting.state.hasBegun).toBe(true)
          yield* running.end
          yield* waiting.end
        }
      }
    })
  )
})
