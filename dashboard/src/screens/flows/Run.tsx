/**
 * One run of a flow with its log, and what all runs did at a step.
 *
 * @module
 */
import { useRef, useState } from "react"
import { call, type ValueOf } from "../../api/call.ts"
import { type ItemOf, useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Nothing } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Facts } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import type { Texts } from "../../texts/en.ts"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import { PersonLink } from "../people/PersonLink.tsx"
import { runTones } from "./describe.ts"
import type { Mark } from "./edit/Canvas.tsx"
import { follow, marksOf, type Played, Playback, useOutcome, useSkipReason } from "./edit/Playback.tsx"
import { ShownCanvas } from "./edit/ShownCanvas.tsx"
import { useStepNames } from "./edit/useDetails.ts"

const runsRoute = "GET /accounts/:accountId/flows/:id/runs"

/** What runs did at a step, and why some skipped it; null if none has reached it. */
export const stepMark = (
  {
    failed,
    passed,
    skippedBy,
    waiting
  }: ValueOf<"GET /accounts/:accountId/flows/:id/stats">["steps"][number],
  { stepCounts }: Texts["flows"],
  { number }: Pick<ReturnType<typeof useFormat>, "number">,
  reasonOf: (reason: string) => string
): Mark | null => {
  const skips = Object.entries(skippedBy).filter(([, count]) => count > 0)
  const counts = (
    [
      [waiting, stepCounts.waiting],
      [passed, stepCounts.passed],
      [failed, stepCounts.failed],
      [skips.reduce((sum, [, count]) => sum + count, 0), stepCounts.skipped]
    ] as const
  ).filter(([count]) => count > 0)
  return counts.length === 0
    ? null
    : {
        text: counts.map(([count, name]) => `${number(count)} ${name}`).join(" · "),
        notes: skips.map(([reason, count]) => `${number(count)}: ${reasonOf(reason)}`),
        isNow: false
      }
}

/** The steps of a version that is still being read. */
const none: ReadonlyArray<unknown> = []

/** The log of a run, shown on the steps of its version. */
const Replay = ({
  flowId,
  log,
  stepId,
  version
}: {
  readonly flowId: string
  /** The step where the person currently is; null if the run has ended. */
  readonly stepId: string | null
  readonly version: number
  readonly log: ReadonlyArray<Played>
}) => {
  const { flows: texts } = useTexts()
  const { flow: editor } = useEditorTexts()
  const { id: accountId } = useAccount()
  const [shown, setShown] = useState(log.length - 1)
  const canvas = useRef<HTMLDivElement>(null)
  const outcomeOf = useOutcome()
  const params = { accountId, id: flowId, version: String(version) }
  const query = useApi("GET /accounts/:accountId/flows/:id/versions/:version", { params })
  const names = useStepNames(query.data?.steps ?? none)
  const marks = new Map(marksOf(log, shown, outcomeOf))
  const last = log.at(-1)
  if (stepId !== null && shown === log.length - 1) {
    if (last !== undefined) marks.set(last.stepId, { ...marks.get(last.stepId)!, isNow: false })
    marks.set(stepId, { text: outcomeOf("waiting"), isNow: true })
  }
  return (
    <Loaded thing="Version" query={query}>
      {({ steps }) => (
        <>
          {log.length === 0 ? (
            <Card isFlush>
              <Nothing>{texts.noLog}</Nothing>
            </Card>
          ) : (
            <Playback
              names={names}
              path={log}
              shown={shown}
              onShow={(next) => {
                setShown(next)
                follow(canvas)
              }}
            />
          )}
          <ShownCanvas ref={canvas} label={editor.replay} steps={steps} marks={marks} />
        </>
      )}
    </Loaded>
  )
}

/** The dialog of a run. */
export const RunDialog = ({
  flowId,
  onClose,
  run: { contactId, endedAt, id, log, nextAt, reason, startedAt, status, stepId, version }
}: {
  readonly flowId: string
  readonly run: ItemOf<typeof runsRoute>
  readonly onClose: () => void
}) => {
  const { common, events, flows: texts } = useTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const reasonOf = useSkipReason()
  const { isBusy, run } = useAction([runsRoute, "GET /accounts/:accountId/flows/:id/stats"])
  const stop = () =>
    void run(
      () =>
        call("POST /accounts/:accountId/flows/:id/runs/:runId/stop", {
          params: { accountId, id: flowId, runId: id }
        }),
      texts.stoppedRun,
      undefined,
      (one: ItemOf<typeof runsRoute>) => (one.id === id ? { ...one, status: "Stopped" as const } : one)
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
          [events.person, <PersonLink key="person" contactId={contactId} />],
          [
            texts.state,
            <Badge key="state" tone={runTones[status] ?? "neutral"}>
              {texts.runStates[status]}
            </Badge>
          ],
          reason === null ? null : [texts.reason, reasonOf(reason)],
          [texts.version, format.number(version)],
          [texts.startedAt, <RelativeTime key="started" at={startedAt} form="moment" />],
          endedAt === null ? null : [texts.endedAt, <RelativeTime key="ended" at={endedAt} form="moment" />],
          nextAt === null ? null : [texts.nextAt, <RelativeTime key="next" at={nextAt} />]
        ]}
      />
      <Replay flowId={flowId} version={version} log={log} stepId={status === "Active" ? stepId : null} />
    </Dialog>
  )
}
