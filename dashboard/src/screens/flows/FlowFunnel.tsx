/**
 * How far the runs of a flow got: from the start, through the steps that every run passes, to the end.
 *
 * @module
 */
import type { ValueOf } from "../../api/call.ts"
import { useTexts } from "../../app/reader.tsx"
import type { Step } from "../../lib/flow.ts"
import { Card, Section } from "../../parts/page/Page.tsx"
import { Funnel } from "../../parts/show/Funnel.tsx"
import { useStepNames } from "./edit/useDetails.ts"

type Stats = ValueOf<"GET /accounts/:accountId/flows/:id/stats">

/** The section; nothing if no run has started. */
export const FlowFunnel = ({
  stats,
  steps
}: {
  readonly stats: Stats
  readonly steps: ReadonlyArray<unknown>
}) => {
  const { flows: texts } = useTexts()
  const names = useStepNames(steps)
  if (stats.started === 0) return null
  const counted = new Map(
    stats.steps.map(({ failed, passed, skippedBy, stepId, waiting }) => [
      stepId,
      failed + passed + waiting + Object.values(skippedBy).reduce((sum, count) => sum + count, 0)
    ])
  )
  return (
    <Section title={texts.funnel}>
      <Card>
        <Funnel
          steps={[
            { key: "started", name: texts.figures.started, count: stats.started },
            ...(steps as ReadonlyArray<Step>).map(({ id }) => ({
              key: `step ${id}`,
              name: <bdi>{names.get(id)}</bdi>,
              count: counted.get(id) ?? 0
            })),
            { key: "completed", name: texts.figures.completed, count: stats.completed },
            { key: "conversions", name: texts.figures.conversions, count: stats.conversions }
          ]}
        />
      </Card>
    </Section>
  )
}
