/**
 * Counts of how many runs wait at each step of a flow, and how many left it with which outcome.
 *
 * @module
 */
import type { Run } from "./Run.ts"

/** A change of one of a step's counts. */
export interface StepCount {
  readonly flowId: string
  readonly stepId: string
  /** `waiting`, `passed`, `failed`, or `skipped: <reason>`. */
  readonly outcome: string
  readonly count: number
}

const skipped = "skipped: "
const failed = "failed: "

/** The outcome under which a logged outcome is counted. */
export const countedOutcome = (logged: string): string =>
  logged.startsWith(skipped) ? logged : logged.startsWith(failed) ? "failed" : "passed"

/** The reason in a counted outcome of a skipped step; null for any other outcome. */
export const skippedReason = (outcome: string): string | null =>
  outcome.startsWith(skipped) ? outcome.slice(skipped.length) : null

/** The latest logged outcome of each step that a run has left, and `waiting` for the step at which it waits. */
const outcomesOf = (run: Run | null): ReadonlyMap<string, string> => {
  const outcomes = new Map<string, string>()
  if (run === null) return outcomes
  for (const { outcome, stepId } of run.log) outcomes.set(stepId, countedOutcome(outcome))
  if (run.isWaiting && run.stepId !== null) outcomes.set(run.stepId, "waiting")
  return outcomes
}

/** The changes of step counts that follow from changes of runs; a new run changes from null. */
export const stepCountsOf = (
  changes: Iterable<readonly [before: Run | null, after: Run]>
): ReadonlyArray<StepCount> => {
  const sums = new Map<string, StepCount>()
  const add = ({ flowId }: Run, stepId: string, outcome: string, by: number) => {
    const key = JSON.stringify([flowId, stepId, outcome])
    sums.set(key, { flowId, stepId, outcome, count: (sums.get(key)?.count ?? 0) + by })
  }
  for (const [before, after] of changes) {
    const [earlier, later] = [outcomesOf(before), outcomesOf(after)]
    for (const [stepId, outcome] of earlier) {
      if (later.get(stepId) !== outcome) add(after, stepId, outcome, -1)
    }
    for (const [stepId, outcome] of later) {
      if (earlier.get(stepId) !== outcome) add(after, stepId, outcome, 1)
    }
  }
  return [...sums.values()].filter(({ count }) => count !== 0)
}

/** The changes of step counts when runs are removed: they no longer wait, and the outcomes of passed steps stay counted. */
export const removedStepCounts = (runs: ReadonlyArray<Run>): ReadonlyArray<StepCount> =>
  stepCountsOf(runs.map((run) => [run, { ...run, isWaiting: false }]))
