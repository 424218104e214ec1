/**
 * The statistics of a flow: the results of its runs and emails, and the outcomes at each of its steps.
 *
 * @module
 */
import { type FlowDefinition, listsOf, type Step } from "../../model/FlowDefinition.ts"
import type { Amount } from "../../model/Order.ts"
import type { RunStatus } from "../../model/Run.ts"
import { skippedReason, type StepCount } from "../../model/StepCount.ts"
import type { VisitedCounts } from "../../ports/VisitStore.ts"

/** The outcomes of runs at a step. */
export interface StepStats {
  readonly stepId: string
  /** The number of runs that are waiting there. */
  readonly waiting: number
  /** The number of runs that left it, without skipped and failed ones. */
  readonly passed: number
  /** The number of runs whose email was not sent, by the code of the reason. */
  readonly skippedBy: Readonly<Record<string, number>>
  readonly failed: number
}

/** The results of a flow's runs and emails. */
export interface FlowStats extends VisitedCounts {
  /** The number of runs by status, until retention deletes them. */
  readonly runs: Readonly<Record<RunStatus, number>>
  /** The number of orders attributed to a click in one of its emails. */
  readonly conversions: number
  /** The current value of those orders, by currency. */
  readonly revenue: ReadonlyArray<Amount>
  /** The steps of the edited definition in order, followed by other steps that runs reached. */
  readonly steps: ReadonlyArray<StepStats>
  /** The versions with Active runs, newest first. */
  readonly versions: ReadonlyArray<{ readonly version: number; readonly active: number }>
}

/** The ids of a definition's steps in order; a step precedes those in its lists. */
export const stepIdsOf = ({ steps }: Pick<FlowDefinition, "steps">): ReadonlyArray<string> => {
  const idsOf = (step: Step): ReadonlyArray<string> => [
    step.id,
    ...listsOf(step).flatMap((nested) => nested.steps.flatMap(idsOf))
  ]
  return steps.flatMap(idsOf)
}

/** The statistics of the given steps, 0 without counts, followed by those of all other steps with counts. */
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
