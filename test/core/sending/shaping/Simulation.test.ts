/**
 * Simulates many lanes to servers that slow down and reject, with processes that die. Limits hold at all times, no reply causes a
 * bounce, every message is accepted once, and slowed lanes recover.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { simulate, unprovenLimit } from "../../../support/laneWorld.ts"

const minute = 60_000

it.effect("sparse mail costs a process two statements in five seconds", () =>
  Effect.gen(function* () {
    const end = 5 * minute
    const { accepted, arrived, statements } = yield* simulate({
      seed: 3,
      lanes: 20,
      processes: 1,
      arrivals: 0.2,
      slowed: null,
      kills: [],
      starts: [],
      mailUntil: end - 10_000,
      end
    })
    expect(accepted.reduce((sum, count) => sum + count, 0)).toBe(arrived)
    expect(arrived).toBeGreaterThan(1_000)
    expect(statements[0]).toBeLessThan((0.4 * end) / 1_000)
  }).pipe(Effect.provide(Layer.fresh(memory)))
)

for (const seed of [1, 2]) {
  it.effect(
    `servers that slow and processes that die keep every limit and lose nothing, by seed ${seed}`,
    () =>
      Effect.gen(function* () {
        const { accepted, arrived, lanes, statements } = yield* simulate({
          seed,
          lanes: 30,
          processes: 4,
          arrivals: 0.5,
          slowed: { from: minute, until: 3 * minute },
          kills: [100_000, 200_000],
          starts: [220_000],
          mailUntil: 7 * minute,
          // A lane may be suspended for 15 minutes and a fifth more, and must then send what has accumulated.
          end: 35 * minute
        })
        const found = lanes.map((lane) => ({
          lane: lane.name,
          isWithin: lane.peak <= lane.bounds.maxLimit,
          isCareful: lane.unprovenPeak <= unprovenLimit,
          waiting: lane.waiting.length + lane.open,
          bounced: lane.bounced,
          twice: lane.twice
        }))
        expect(found).toEqual(
          lanes.map(({ name }) => ({
            lane: name,
            isWithin: true,
            isCareful: true,
            waiting: 0,
            bounced: 0,
            twice: 0
          }))
        )
        const sum = (counts: ReadonlyArray<number>) => counts.reduce((total, count) => total + count, 0)
        expect(sum(accepted)).toBe(arrived)
        // In the last half minute with new mail, at least 70 % of the messages of a half minute before the slowdown are accepted.
        expect(sum(accepted.slice(390, 420))).toBeGreaterThan(0.7 * sum(accepted.slice(30, 60)))
        // The number of statements does not grow with the number of messages.
        for (const one of statements) expect(one).toBeLessThan(4 * accepted.length)
      }).pipe(Effect.provide(Layer.fresh(memory)))
  )
}
