/**
 * Tests of group commit: concurrent requests are written together, and each caller gets its own result.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, References, Result } from "effect"
import * as fc from "fast-check"
import { makeGroupCommit } from "../../../core/kernel/GroupCommit.ts"

interface Written {
  readonly key: string
  readonly requests: ReadonlyArray<number>
}

/** A group commit that doubles numbers, rejects negative ones and records each batch. `before` runs before each batch. */
const makeDoubler = (
  before: (written: Written) => Effect.Effect<unknown, string> = () => Effect.void,
  maxBatch = 100,
  rest?: Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const batches: Array<Written> = []
    const submit = yield* makeGroupCommit<number, number, string, string>({
      maxBatch,
      ...(rest !== undefined && { rest }),
      run: (key, requests) => {
        const written = { key, requests }
        batches.push(written)
        return Effect.as(
          before(written),
          requests.map((n) => (n < 0 ? Result.fail(`refused ${n}`) : Result.succeed(n * 2)))
        )
      }
    })
    return { batches, submit }
  })

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Lets every fiber progress as far as it can. */
const settle = Effect.forEach(times(20), () => Effect.yieldNow, { discard: true })

/** Requests that wait for a first batch, which continues when the gate is opened. */
const gated = (requests: ReadonlyArray<number>, maxBatch?: number) =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const made = yield* makeDoubler(() => Deferred.await(gate), maxBatch)
    const first = yield* Effect.forkChild(made.submit("key", 0))
    yield* settle
    const waiting: Array<Fiber.Fiber<number, string>> = []
    for (const n of requests) {
      waiting.push(yield* Effect.forkChild(made.submit("key", n)))
      yield* settle
    }
    return { ...made, first, waiting, open: Deferred.succeed(gate, undefined) }
  })

describe("GroupCommit", () => {
  it.effect("gives callers their results in the order of the batches, even if a batch takes no time", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const order: Array<number> = []
      const { submit } = yield* makeDoubler(
        ({ requests }) => (requests[0] === 0 ? Deferred.await(gate) : Effect.void),
        1
      )
      const fibers = yield* Effect.forEach(times(6), (n) =>
        Effect.forkChild(Effect.map(submit("key", n), (doubled) => void order.push(doubled)))
      )
      yield* settle
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.forEach(fibers, Fiber.join)
      expect(order).toEqual(times(6).map((n) => 2 * n))
    })
  )

  it.effect("collects requests during a rest, and writes the first after it at once", () =>
    Effect.gen(function* () {
      const over = yield* Deferred.make<void>()
      const { batches, submit } = yield* makeDoubler(undefined, undefined, Deferred.await(over))
      // The first is answered before the rest ends.
      expect(yield* submit("key", 1)).toBe(2)
      const waiting: Array<Fiber.Fiber<number, string>> = []
      for (const n of [2, 3, 4]) {
        waiting.push(yield* Effect.forkChild(submit("key", n)))
        yield* settle
      }
      expect(batches.map(({ requests }) => requests)).toEqual([[1]])
      yield* Deferred.succeed(over, undefined)
      expect(yield* Effect.forEach(waiting, Fiber.join)).toEqual([4, 6, 8])
      yield* settle
      expect(yield* submit("key", 5)).toBe(10)
      expect(batches.map(({ requests }) => requests)).toEqual([[1], [2, 3, 4], [5]])
    })
  )

  it.effect("runs a single call at once, in a batch of its own", () =>
    Effect.gen(function* () {
      const { batches, submit } = yield* makeDoubler()
      expect(yield* submit("key", 1)).toBe(2)
      expect(yield* submit("key", 2)).toBe(4)
      expect(batches.map((batch) => batch.requests)).toEqual([[1], [2]])
    })
  )

  it.effect("writes calls that arrive meanwhile in one batch, in order", () =>
    Effect.gen(function* () {
      const { batches, first, open, waiting } = yield* gated([1, 2, 3])
      expect(batches.map((batch) => batch.requests)).toEqual([[0]])
      yield* open
      expect(yield* Fiber.join(first)).toBe(0)
      expect(yield* Effect.forEach(waiting, Fiber.join)).toEqual([2, 4, 6])
      expect(batches.map((batch) => batch.requests)).toEqual([[0], [1, 2, 3]])
    })
  )

  it.effect("returns to each caller its own result or error", () =>
    Effect.gen(function* () {
      const { first, open, waiting } = yield* gated([1, -2, 3])
      yield* open
      yield* Fiber.join(first)
      const results = yield* Effect.forEach(waiting, (fiber) => Effect.result(Fiber.join(fiber)))
      expect(results).toEqual([Result.succeed(2), Result.fail("refused -2"), Result.succeed(6)])
    })
  )

  it.effect("writes at most maxBatch calls in a batch, and the rest in the next", () =>
    Effect.gen(function* () {
      const { batches, open, waiting } = yield* gated([1, 2, 3, 4, 5], 2)
      yield* open
      expect(yield* Effect.forEach(waiting, Fiber.join)).toEqual([2, 4, 6, 8, 10])
      expect(batches.map((batch) => batch.requests)).toEqual([[0], [1, 2], [3, 4], [5]])
    })
  )

  it.effect("continues the batch of a caller that is interrupted, waiting or running", () =>
    Effect.gen(function* () {
      const { batches, first, open, waiting } = yield* gated([1, 2, 3])
      yield* Fiber.interrupt(first)
      yield* Fiber.interrupt(waiting[1]!)
      yield* open
      expect(yield* Fiber.join(waiting[0]!)).toBe(2)
      expect(yield* Fiber.join(waiting[2]!)).toBe(6)
      expect(batches.map((batch) => batch.requests)).toEqual([[0], [1, 2, 3]])
    })
  )

  it.effect("fails all calls of a failed batch, and no other batch", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { batches, submit } = yield* makeDoubler(
        ({ requests }) =>
          requests.includes(13)
            ? Effect.fail("down")
            : requests[0] === 0
              ? Deferred.await(gate)
              : Effect.void,
        2
      )
      const fibers: Array<Fiber.Fiber<number, string>> = []
      for (const n of [0, 12, 13, 14]) {
        fibers.push(yield* Effect.forkChild(submit("key", n)))
        yield* settle
      }
      yield* Deferred.succeed(gate, undefined)
      const results = yield* Effect.forEach(fibers, (fiber) => Effect.result(Fiber.join(fiber)))
      expect(results).toEqual([
        Result.succeed(0),
        Result.fail("down"),
        Result.fail("down"),
        Result.succeed(28)
      ])
      expect(batches.map((batch) => batch.requests)).toEqual([[0], [12, 13], [14]])
    })
  )

  it.effect.each(["dies", "throws"])("fails the callers when a batch %s, and the key keeps working", (how) =>
    Effect.gen(function* () {
      const bug = new Error("bug")
      const submit = yield* makeGroupCommit<number, number, string, never>({
        maxBatch: 10,
        run: (_, requests) => {
          if (requests.includes(13)) {
            if (how === "throws") throw bug
            return Effect.die(bug)
          }
          return Effect.succeed(requests.map((n) => Result.succeed(n)))
        }
      })
      const exits = yield* Effect.forEach([1, 13, 2], (n) => Effect.exit(submit("key", n)))
      expect([exits[0], exits[2]]).toEqual([Exit.succeed(1), Exit.succeed(2)])
      const failed = exits[1]!
      expect(Exit.isFailure(failed) && Cause.squash(failed.cause)).toBe(bug)
    })
  )

  it.effect("never lets one key wait for another", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { batches, submit } = yield* makeDoubler(({ key }) =>
        key === "slow" ? Deferred.await(gate) : Effect.void
      )
      const slow = yield* Effect.forkChild(
        Effect.all([submit("slow", 1), submit("slow", 2)], { concurrency: 2 })
      )
      yield* settle
      expect(yield* submit("quick", 3)).toBe(6)
      expect(yield* submit("quick", 4)).toBe(8)
      expect(slow.pollUnsafe()).toBeUndefined()
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Fiber.join(slow)).toEqual([2, 4])
      for (const { key, requests } of batches) {
        expect(requests.every((n) => n <= 2 === (key === "slow"))).toBe(true)
      }
    })
  )

  it("returns to each caller once, in order, for any arrival", async () => {
    const anyCall = fc.record({
      key: fc.constantFrom("a", "b"),
      n: fc.integer({ min: -50, max: 50 }),
      wait: fc.nat({ max: 3 })
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCall, { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        (calls, maxBatch) =>
          Effect.gen(function* () {
            const { batches, submit } = yield* makeDoubler(() => Effect.yieldNow, maxBatch)
            const fibers: Array<Fiber.Fiber<number, string>> = []
            for (const { key, n, wait } of calls) {
              fibers.push(yield* Effect.forkChild(submit(key, n)))
              yield* Effect.forEach(times(wait), () => Effect.yieldNow)
            }
            const results = yield* Effect.forEach(fibers, (fiber) => Effect.result(Fiber.join(fiber)))
            expect(results).toEqual(
              calls.map(({ n }) => (n < 0 ? Result.fail(`refused ${n}`) : Result.succeed(n * 2)))
            )
            for (const key of ["a", "b"]) {
              const written = batches.filter((batch) => batch.key === key)
              expect(written.flatMap((batch) => batch.requests)).toEqual(
                calls.filter((call) => call.key === key).map((call) => call.n)
              )
              for (const batch of written) expect(batch.requests.length).toBeLessThanOrEqual(maxBatch)
            }
          }).pipe(Effect.scoped, Effect.runPromise)
      )
    )
  })

  it.effect("writes heavy calls in batches of their own", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const batches: Array<ReadonlyArray<number>> = []
      const submit = yield* makeGroupCommit<number, number, never, never>({
        maxBatch: 3,
        maxWeight: 10,
        weightOf: (n) => n,
        run: (_lane, requests) => {
          batches.push(requests)
          return Effect.as(
            Deferred.await(gate),
            requests.map((n) => Result.succeed(n))
          )
        }
      })
      const fibers: Array<Fiber.Fiber<number>> = []
      for (const n of [1, 4, 5, 2, 50, 9, 1, 0, 0, 0]) {
        fibers.push(yield* Effect.forkChild(submit("key", n)))
        yield* settle
      }
      yield* Deferred.succeed(gate, undefined)
      for (const fiber of fibers) yield* Fiber.join(fiber)
      expect(batches).toEqual([[1], [4, 5], [2], [50], [9, 1, 0], [0, 0]])
    })
  )

  it.effect("fails the callers when a run returns too few results, and the key keeps working", () =>
    Effect.gen(function* () {
      let short = true
      const submit = yield* makeGroupCommit<number, number, never, never>({
        maxBatch: 10,
        run: (_lane, requests) => {
          const results = requests.map((n) => Result.succeed(n))
          return Effect.succeed(short ? results.slice(1) : results)
        }
      })
      const exit = yield* Effect.exit(submit("key", 1))
      expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
      short = false
      expect(yield* submit("key", 2)).toBe(2)
    })
  )

  it.effect("keeps the key working when a caller is interrupted at any time", () =>
    Effect.gen(function* () {
      for (const steps of times(60)) {
        const { submit } = yield* makeDoubler()
        const fiber = yield* Effect.forkChild(
          Effect.provideService(submit("key", 1), References.MaxOpsBeforeYield, (steps % 30) + 10)
        )
        for (let step = 0; step < steps / 10; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        expect(yield* submit("key", 2)).toBe(4)
      }
    })
  )
})
