/**
 * What became of a flow's runs and emails, and what runs did at each of its steps.
 *
 * @module
 */
import { type FlowDefinition, listsOf, type Step } from "../../model/FlowDefinition.ts"
import type { Amount } from "../../model/Order.ts"
import type { RunStatus } from "../../model/Run.ts"
import { skippedReason, type StepCount } from "../../model/StepCount.ts"
import type { VisitedCounts } from "../../ports/VisitStore.ts"

/** What runs did at a step. */
export interface StepStats {
  readonly stepId: string
  /** The runs that wait there now. */
  readonly waiting: number
  /** The runs that left it, apart from the skipped and the failed. */
  readonly passed: number
  /** The runs whose email was not sent, by the code of the reason. */
  readonly skippedBy: Readonly<Record<string, number>>
  readonly failed: number
}

/** What became of a flow's runs and emails. */
export interface FlowStats extends VisitedCounts {
  /** Runs, until retention deletes them, by status. */
  readonly runs: Readonly<Record<RunStatus, number>>
  /** Orders attributed to a click in one of its emails. */
  readonly conversions: number
  /** What those orders are worth now, by currency. */
  readonly revenue: ReadonlyArray<Amount>
  /** The steps of the edited definition in their order, then those of others that runs came to. */
  readonly steps: ReadonlyArray<StepStats>
  /** The versions that have Active runs, the newest first. */
  readonly versions: ReadonlyArray<{ readonly version: number; readonly active: number }>
}

/** The ids of a definition's steps in their order, each before those of its lists. */
export const stepIdsOf = ({ steps }: Pick<FlowDefinition, "steps">): ReadonlyArray<string> => {
  const idsOf = (step: Step): ReadonlyArray<string> => [
    step.id,
    ...listsOf(step).flatMap((nested) => nested.steps.flatMap(idsOf))
  ]
  return steps.flatMap(idsOf)
}

/** The statistics of those steps, which are 0 without counts, and of all others that have counts. */
export const stepStatsOf = (
  stepIds: ReadonlyArray<string>,
  counts: ReadonlyArray<StepCount>
): ReadonlyArray<StepStats> => {
  const counted = Map.groupBy(counts, ({ stepId }) => stepId)
  const others = [...counted.keys()].filter((stepId) => !stepIds.includes(stepId)).toSorted()
  return [...stepIds, ...others].map((stepId) => {
    const ofStep = counted.get(stepId) ?? []
    const sum = (outcome: string) => ofStep.find((one) => one.outcome === outcome)?.count ?? 0
    return {
      stepId,
      waiting: sum("waiting"),
      passed: sum("passed"),
      skippedBy: Object.fromEntries(
        ofStep.flatMap(({ count, outcome }) => {
          const reason = skippedReason(outcome)
          return reason === null ? [] : [[reason, count]]
        })
      ),
      failed: sum("failed")
    }
  })
}
