/**
 * Tests of the counts per step, with random histories of runs.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { newRun, type Run } from "../../../../core/model/Run.ts"
import { removedStepCounts, type StepCount, stepCountsOf } from "../../../../core/model/StepCount.ts"

const start = newRun(
  {
    id: "r",
    accountId: "a",
    flowId: "f",
    version: 1,
    contactId: "c",
    event: { name: "e", occurredAt: 0, properties: {} }
  },
  "s0",
  0
)

/** Successive states of a run, each with a longer log, waiting or not. */
const histories = fc
  .array(
    fc.record({
      stepId: fc.constantFrom("s0", "s1", "s2"),
      outcome: fc.constantFrom("sent", "called", "skipped: x", "skipped: y", "failed: z"),
      waits: fc.boolean()
    }),
    { maxLength: 8 }
  )
  .map((entries) => {
    const runs: Array<Run> = [start]
    for (const { outcome, stepId, waits } of entries) {
      const log = [...runs.at(-1)!.log, { stepId, at: 0, outcome }]
      runs.push({ ...start, log, stepId: "next", isWaiting: waits })
    }
    return runs
  })

const summed = (changes: ReadonlyArray<StepCount>): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>()
  for (const { count, outcome, stepId } of changes) {
    const key = `${stepId} ${outcome}`
    sums.set(key, (sums.get(key) ?? 0) + count)
  }
  return new Map([...sums].filter(([, count]) => count !== 0).toSorted())
}

const changesOf = (runs: ReadonlyArray<Run>): ReadonlyArray<StepCount> =>
  runs.flatMap((run, index) => stepCountsOf([[runs[index - 1] ?? null, run]]))

describe("stepCountsOf", () => {
  it("sums to the state of the runs, however many changes led to it", () => {
    fc.assert(
      fc.property(histories, (runs) => {
        expect(summed(changesOf(runs))).toEqual(summed(stepCountsOf([[null, runs.at(-1)!]])))
      })
    )
  })

  it("counts a run once at each step it left, by the latest outcome, and once where it waits", () => {
    fc.assert(
      fc.property(histories, (runs) => {
        const last = runs.at(-1)!
        const counts = [...summed(changesOf(runs))]
        const left = new Set(last.log.map(({ stepId }) => stepId))
        expect(counts).toHaveLength(left.size + (last.isWaiting ? 1 : 0))
        expect(counts.every(([, count]) => count === 1)).toBe(true)
      })
    )
  })

  it("ends the wait of a removed run, and keeps what it passed", () => {
    fc.assert(
      fc.property(histories, (runs) => {
        const last = runs.at(-1)!
        const after = summed([...changesOf(runs), ...removedStepCounts([last])])
        expect(after).toEqual(summed(stepCountsOf([[null, { ...last, isWaiting: false }]])))
      })
    )
  })
})
