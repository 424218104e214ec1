/**
 * The contract of `core/ports/Threads`: runs end within their limits, and waiting runs are scheduled fairly by owner.
 *
 * @module
 */
import type { Vitest } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { describe, expect } from "vitest"
import { RunOwner, type RunOptions, Threads, type ThreadTask } from "../../core/ports/Threads.ts"
import { tasks } from "./threadTasks.ts"

const small: RunOptions = { bytes: 10 }

const runAs = <Input, Output>(owner: string, task: ThreadTask<Input, Output>, input: Input) =>
  Effect.flatMap(Threads, ({ run }) => Effect.provideService(run(task, input, small), RunOwner, owner))

/** Tests of the port `Threads`. */
export const threadsContract = (it: Vitest.MethodsNonLive<Threads>): void => {
  describe("Threads", () => {
    it.effect("moves bytes to a thread and back", () =>
      Effect.gen(function* () {
        const { run } = yield* Threads
        const bytes = new Uint8Array(300_000).fill(1)
        bytes[0] = 7
        const reversed = yield* run(tasks.reverse, bytes, { bytes: bytes.length, transfer: [bytes.buffer] })
        expect(bytes).toHaveLength(0)
        expect(reversed).toHaveLength(300_000)
        expect(reversed.at(-1)).toBe(7)
      })
    )

    it.effect("ends a run that takes too long, and runs the next", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(runAs("a", tasks.spinTooLong, 120_000))
        expect(error).toMatchObject({ _tag: "RunEnded", bound: "Time" })
        expect(yield* runAs("a", tasks.spin, 1)).toBe(1)
      })
    )

    it.effect("ends a run that takes too much memory, and runs the next", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(runAs("a", tasks.hoard, null))
        expect(error).toMatchObject({ _tag: "RunEnded", bound: "Memory" })
        expect(yield* runAs("a", tasks.spin, 1)).toBe(1)
      })
    )

    it.effect("reports a task that throws as a defect", () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(runAs("a", tasks.fail, null))
        expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
      })
    )

    it.effect("runs the task of an owner while another's take the thread that it may have", () =>
      Effect.gen(function* () {
        const ended: Array<string> = []
        const record = (name: string) => Effect.sync(() => ended.push(name))
        const heavy = yield* Effect.forEach([1, 2, 3, 4, 5], () =>
          Effect.forkChild(Effect.andThen(runAs("heavy", tasks.spin, 300), record("heavy")))
        )
        yield* Effect.andThen(runAs("light", tasks.spin, 1), record("light"))
        expect(ended.length).toBeLessThan(4)
        yield* Effect.forEach(heavy, Fiber.join)
        expect(ended).toHaveLength(6)
      })
    )

    it.effect("gives waiting owners their turns", () =>
      Effect.gen(function* () {
        const ended: Array<string> = []
        const fork = (owner: string, millis: number) =>
          Effect.forkChild(
            Effect.andThen(
              runAs(owner, tasks.spin, millis),
              Effect.sync(() => ended.push(owner))
            )
          )
        // Two owners hold the threads and have more runs waiting when a third owner arrives.
        const before = yield* Effect.forEach(["a", "b", "a", "b", "a", "b"], (owner) => fork(owner, 150))
        const third = yield* fork("c", 1)
        yield* Effect.forEach([...before, third], Fiber.join)
        expect(ended.indexOf("c")).toBeLessThan(5)
      })
    )

    it.effect("does not begin a run when too much of its owner waits", () =>
      Effect.gen(function* () {
        const { run } = yield* Threads
        const owned = (bytes: number) =>
          Effect.provideService(run(tasks.spin, 20, { bytes }), RunOwner, "large")
        const results = yield* Effect.forEach(
          Array.from({ length: 12 }, () => 10_000_000),
          (bytes) => Effect.exit(owned(bytes)),
          { concurrency: "unbounded" }
        )
        const refused = results.filter(
          (exit) => Exit.isFailure(exit) && JSON.stringify(exit.cause).includes('"Queue"')
        )
        expect(refused.length).toBeGreaterThan(0)
        expect(refused.length).toBeLessThan(12)
        expect(yield* owned(10)).toBe(20)
      })
    )

    it.effect("withdraws a run that waits when its caller is interrupted", () =>
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(runAs("a", tasks.spin, 300))
        const second = yield* Effect.forkChild(runAs("a", tasks.spinTooLong, 120_000))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(second)
        yield* Fiber.join(first)
        expect(yield* runAs("a", tasks.spin, 1)).toBe(1)
      })
    )
  })
}
