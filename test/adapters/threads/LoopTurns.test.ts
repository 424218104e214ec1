/**
 * Tests the scheduling of work that may wait in favour of work that callers wait for.
 *
 * @module
 */
import { Effect, Fiber } from "effect"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { makeLoopTurns } from "../../../adapters/threads/LoopTurns.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setImmediate", "setTimeout"] }))
afterEach(() => void vi.useRealTimers())

/** Makes effects wait for a turn. Returns those that have had one, and the fibers. */
const wait = (turns: ReturnType<typeof makeLoopTurns>, count: number) => {
  const had: Array<number> = []
  const fibers = Array.from({ length: count }, (_, index) =>
    Effect.runFork(
      Effect.andThen(
        turns.next,
        Effect.sync(() => void had.push(index))
      )
    )
  )
  return { fibers, had }
}

/** One iteration of the event loop. */
const round = () => vi.advanceTimersToNextTimerAsync()

it("one turn is taken in each round of the event loop, in order", async () => {
  const { had } = wait(makeLoopTurns(), 3)
  for (let rounds = 1; rounds <= 3; rounds++) {
    await round()
    expect(had).toEqual(Array.from({ length: rounds }, (_, index) => index))
  }
})

it("turns are some milliseconds apart while a caller waits, and never stop", async () => {
  const turns = makeLoopTurns()
  const end = turns.begin()
  turns.begin()
  const { had } = wait(turns, 200)
  await vi.advanceTimersByTimeAsync(20)
  expect(had.length).toBeGreaterThan(1)
  expect(had.length).toBeLessThan(10)
  end()
  // The other call lasts too long to count.
  await vi.advanceTimersByTimeAsync(600)
  expect(had.length).toBe(200)
})

it("a rest ends after eight rounds of the event loop", async () => {
  let isOver = false
  Effect.runFork(Effect.map(makeLoopTurns().rest, () => void (isOver = true)))
  for (let rounds = 1; rounds <= 7; rounds++) await round()
  expect(isOver).toBe(false)
  await round()
  expect(isOver).toBe(true)
})

it("a turn of one who is gone is that of the next", async () => {
  const turns = makeLoopTurns()
  const { fibers, had } = wait(turns, 2)
  await Effect.runPromise(Fiber.interrupt(fibers[0]!))
  await round()
  expect(had).toEqual([1])
})
