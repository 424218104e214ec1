/**
 * Tests of retries after conflicts: a decision is repeated at most 30 times.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { WriteConflict } from "../../../core/ports/Transaction.ts"
import { refuseOn, retryConflicts } from "../../../core/kernel/Conflicts.ts"
import { Problem, Unavailable } from "../../../core/shared/Problem.ts"

const conflict = new WriteConflict({ constraint: "contacts_email" })

/** An attempt that conflicts the given number of times and then succeeds, with a count of its runs. */
const conflicting = (conflicts: number) => {
  const counter = { runs: 0 }
  const cycle = Effect.suspend(() =>
    ++counter.runs <= conflicts ? Effect.fail(conflict) : Effect.succeed("written")
  )
  return { counter, cycle }
}

describe("retryConflicts", () => {
  it.effect("repeats the effect until it succeeds", () =>
    Effect.gen(function* () {
      for (const conflicts of [0, 1, 7, 29]) {
        const { counter, cycle } = conflicting(conflicts)
        expect(yield* retryConflicts(cycle)).toBe("written")
        expect(counter.runs).toBe(conflicts + 1)
      }
    })
  )

  it.effect("fails with Unavailable after the last attempt", () =>
    Effect.gen(function* () {
      const { counter, cycle } = conflicting(Number.POSITIVE_INFINITY)
      const error = yield* Effect.flip(retryConflicts(cycle))
      expect(error).toBeInstanceOf(Unavailable)
      expect(error.cause).toBe(conflict)
      expect(counter.runs).toBe(30)
    })
  )

  it.effect("repeats only after a conflict", () =>
    Effect.gen(function* () {
      for (const error of [Problem.of("common.not_found"), new Unavailable({ cause: "down" })]) {
        let runs = 0
        const cycle = Effect.suspend(() => {
          runs++
          return Effect.fail(error)
        })
        expect(yield* Effect.flip(retryConflicts(cycle))).toBe(error)
        expect(runs).toBe(1)
      }
    })
  )
})

describe("refuseOn", () => {
  it.effect("turns the conflict of its constraint into a problem and keeps others", () =>
    Effect.gen(function* () {
      const meaning = Problem.of("deliverability.domain_exists")
      const turned = <E>(error: E) =>
        Effect.flip(refuseOn("contacts_email", () => meaning)(Effect.fail(error as E | WriteConflict)))
      expect(yield* turned(conflict)).toBe(meaning)
      const other = new WriteConflict({ constraint: "domains_name" })
      expect(yield* turned(other)).toBe(other)
      const down = new Unavailable({ cause: conflict })
      expect(yield* turned(down)).toBe(down)
      expect(yield* Effect.result(refuseOn("contacts_email", () => meaning)(Effect.succeed(1)))).toEqual(
        Result.succeed(1)
      )
    })
  )
})
