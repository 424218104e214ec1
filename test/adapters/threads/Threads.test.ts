/**
 * Tests that a run in the pool of threads is limited by its own use, not by that of the machine or the rest of the process.
 *
 * @module
 */
import { getPriority } from "node:os"
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { layer, type Limits } from "../../../adapters/threads/Threads.ts"
import { Threads } from "../../../core/ports/Threads.ts"
import { tasks } from "../../contract/threadTasks.ts"
import { idleTask, priorityTask } from "./idleTask.ts"

describe("the pool of threads", () => {
  it.live("lets a run continue that waits for the processor", () =>
    Effect.gen(function* () {
      const { run } = yield* Threads
      expect(yield* run(idleTask, 300, { bytes: 0 })).toBe(300)
    }).pipe(Effect.provide(layer()))
  )

  it.live("ends a run that waits for many times as long as it may run", () =>
    Effect.gen(function* () {
      const { run } = yield* Threads
      const error = yield* Effect.flip(run(idleTask, 120_000, { bytes: 0 }))
      expect(error).toMatchObject({ bound: "Time" })
    }).pipe(Effect.provide(layer()))
  )

  it.live("keeps a run while the rest of the process takes memory", () =>
    Effect.gen(function* () {
      const { run } = yield* Threads
      const running = yield* Effect.forkChild(run(tasks.spin, 500, { bytes: 0 }))
      yield* Effect.sleep(100)
      const taken = Buffer.alloc(300 * 1024 * 1024, 1)
      expect(yield* Fiber.join(running)).toBe(500)
      expect(taken).toHaveLength(300 * 1024 * 1024)
    }).pipe(Effect.provide(layer()))
  )

  it.live.skipIf(process.platform !== "linux")(
    "gives its threads less of the processor than the others",
    () =>
      Effect.gen(function* () {
        const before = getPriority()
        const priorityOf = (limits: Partial<Limits>) =>
          Effect.provide(
            Effect.flatMap(Threads, ({ run }) => run(priorityTask, null, { bytes: 0 })),
            layer(limits)
          )
        expect(yield* priorityOf({})).toBe(before + 3)
        expect(yield* priorityOf({ niceness: 10 })).toBe(before + 10)
        expect(getPriority()).toBe(before)
      })
  )
})
