/**
 * One run of a flow with what it did, and what all runs did at a step.
 *
 * @module
 */
import { call, type ValueOf } from "../../api/call.ts"
import type { ItemOf } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Card, Facts } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { runTones } from "./describe.ts"

const runsRoute = "GET /accounts/:accountId/flows/:id/runs"

/** What runs did at a step, in a line; nothing where none has come to it. */
export const StepCounts = ({
  counts
}: {
  readonly counts: ValueOf<"GET /accounts/:accountId/flows/:id/stats">["steps"][number] | undefined
}) => {
  const { flows: texts } = useTexts()
  const format = useFormat()
  if (counts === undefined) return null
  const { failed, passed, skippedBy, waiting } = counts
  const parts = [
    ...([
      [waiting, texts.stepCounts.waiting],
      [passed, texts.stepCounts.passed],
      [failed, texts.stepCounts.failed]
    ] as const),
    ...Object.entries(skippedBy).map(([reason, count]) => [count, texts.stepCounts.skipped(reason)] as const)
  ].filter(([count]) => count > 0)
  if (parts.length === 0) return null
  return <div>{parts.map(([count, name]) => `${format.number(count)} ${name}`).join(" · ")}</div>
}

/** The dialog of a run. */
export const RunDialog = ({
  flowId,
  onClose,
  run: { endedAt, id, log, nextAt, reason, startedAt, status, version }
}: {
  readonly flowId: string
  readonly run: ItemOf<typeof runsRoute>
  readonly onClose: () => void
}) => {
  const { common, flows: texts } = useTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const { isBusy, run } = useAction([runsRoute, "GET /accounts/:accountId/flows/:id/stats"])
  const stop = () =>
    void run(
      () =>
        call("POST /accounts/:accountId/flows/:id/runs/:runId/stop", {
          params: { accountId, id: flowId, runId: id }
        }),
      texts.stoppedRun
    )
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={texts.run}
      actions={
        <>
          {status === "Active" && can("flows:publish") && (
            <Button tone="danger" isBusy={isBusy} onClick={stop}>
              {texts.stopRun}
            </Button>
          )}
          <Button onClick={onClose}>{common.close}</Button>
        </>
      }
    >
      <Facts
        facts={[
          [
            texts.state,
            <Badge key="state" tone={runTones[status] ?? "neutral"}>
              {texts.runStates[status]}
            </Badge>
          ],
          reason === null ? null : [texts.reason, reason],
          [texts.version, format.number(version)],
          [texts.startedAt, <RelativeTime key="started" at={startedAt} form="moment" />],
          endedAt === null ? null : [texts.endedAt, <RelativeTime key="ended" at={endedAt} form="moment" />],
          nextAt === null ? null : [texts.nextAt, <RelativeTime key="next" at={nextAt} />]
        ]}
      />
      <Card isFlush>
        {log.length === 0 && <Nothing>{texts.noLog}</Nothing>}
        <Rows>
          {log.map(({ at, outcome, stepId }) => (
            <Entry
              key={`${stepId} ${at} ${outcome}`}
              text={outcome}
              end={<RelativeTime at={at} form="moment" />}
            >
              <code>{stepId}</code>
            </Entry>
          ))}
        </Rows>
      </Card>
    </Dialog>
  )
}
