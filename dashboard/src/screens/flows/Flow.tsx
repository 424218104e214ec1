/**
 * One flow: its counts, its steps and its runs.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { call, type ValueOf } from "../../api/call.ts"
import { useApi, useExtra } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button, ButtonLink, IconButton } from "../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { Menu, MenuItem } from "../../parts/overlay/Menu.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Columns, Figures } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Facts, Page, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import { FlowVersions } from "./FlowVersions.tsx"
import { FlowToken } from "./FlowToken.tsx"
import { stepMark } from "./Run.tsx"
import { Runs } from "./Runs.tsx"
import { useTriggerText } from "./useTriggerText.ts"
import { ShownCanvas } from "./edit/ShownCanvas.tsx"
import { useSkipReason } from "./edit/Playback.tsx"
import { FlowFunnel } from "./FlowFunnel.tsx"
import { flowTones } from "./describe.ts"

const route = getRouteApi("/shell/a/$accountId/flows/$flowId")

const readRoute = "GET /accounts/:accountId/flows/:id"
type Shown = ValueOf<typeof readRoute>
const statsRoute = "GET /accounts/:accountId/flows/:id/stats"

const figures = [
  "started",
  "active",
  "completed",
  "stopped",
  "failed",
  "opened",
  "clicked",
  "conversions"
] as const

/** The screen. */
export const Flow = () => {
  const texts = useTexts()
  const { flow: editor } = useEditorTexts()
  const format = useFormat()
  const { accountId, flowId } = route.useParams()
  const { can } = useAccount()
  const [isArchiving, setArchiving] = useState(false)
  const reasonOf = useSkipReason()
  const params = { accountId, id: flowId }
  const query = useApi(readRoute, { params })
  // If the flow does not exist, the screen says so itself.
  const stats = useExtra(statsRoute, { params }, { enabled: query.error?.status !== 404 })
  const { isBusy, run } = useAction([readRoute, statsRoute, "GET /accounts/:accountId/flows"])
  const flow = query.data
  const triggerText = useTriggerText([flow?.trigger])
  const name = flow?.name ?? ""
  /** The flow with another state. */
  const isNow =
    (status: Shown["status"]) =>
    (one: Shown): Shown =>
      one.id === flowId ? { ...one, status } : one
  const archive = () => {
    setArchiving(false)
    void run(
      () => call("POST /accounts/:accountId/flows/:id/archive", { params }),
      texts.flows.archived(name),
      undefined,
      isNow("Archived")
    )
  }
  const active = stats?.active
  const publishing = (status: string) => (
    <>
      {status === "Published" ? (
        <Button
          isBusy={isBusy}
          onClick={() =>
            void run(
              () => call("POST /accounts/:accountId/flows/:id/pause", { params }),
              texts.flows.paused(name),
              undefined,
              isNow("Paused")
            )
          }
        >
          {texts.flows.pause}
        </Button>
      ) : (
        <Button
          tone="primary"
          title={texts.flows.publishText}
          isBusy={isBusy}
          onClick={() =>
            void run(
              () => call("POST /accounts/:accountId/flows/:id/publish", { params }),
              texts.flows.published(name)
            )
          }
        >
          {texts.flows.publish}
        </Button>
      )}
      <Menu align="end" trigger={<IconButton tone="plain" icon="more" label={texts.people.actions} />}>
        <MenuItem isDanger onSelect={() => setArchiving(true)}>
          {texts.flows.archive}
        </MenuItem>
      </Menu>
    </>
  )
  return (
    <Page
      title={flow?.name ?? texts.flows.name}
      back={{ link: { to: "/a/$accountId/flows", params: { accountId } }, label: texts.flows.title }}
      badge={
        flow !== undefined && (
          <Badge tone={flowTones[flow.status] ?? "neutral"}>{texts.flows.states[flow.status]}</Badge>
        )
      }
      actions={
        flow !== undefined &&
        flow.status !== "Archived" && (
          <>
            {can("flows:write") && (
              <ButtonLink to="/a/$accountId/flows/$flowId/edit" params={{ accountId, flowId }}>
                {editor.edit}
              </ButtonLink>
            )}
            {can("flows:publish") && publishing(flow.status)}
          </>
        )
      }
    >
      <Loaded thing="Flow" query={query}>
        {(shown) => (
          <>
            {stats !== undefined && (
              <Figures
                figures={figures.map((key) => ({
                  name: texts.flows.figures[key],
                  value: format.number(stats[key])
                }))}
              />
            )}
            <Columns
              aside={
                <>
                  <Section title={texts.flows.details}>
                    <Card>
                      <Facts
                        facts={[
                          [texts.flows.trigger, <bdi key="trigger">{triggerText(shown.trigger)}</bdi>],
                          [texts.flows.version, shown.version === 0 ? "–" : format.number(shown.version)],
                          [texts.flows.changed, <RelativeTime key="at" at={shown.updatedAt} />],
                          [texts.templates.created, <RelativeTime key="at" at={shown.createdAt} />]
                        ]}
                      />
                    </Card>
                  </Section>
                  {can("flows:write") && shown.status !== "Archived" && <FlowToken flowId={flowId} />}
                </>
              }
            >
              <Section title={texts.flows.steps}>
                <ShownCanvas
                  label={texts.flows.steps}
                  steps={shown.steps}
                  marks={
                    new Map(
                      (stats?.steps ?? []).flatMap((counts) => {
                        const mark = stepMark(counts, texts.flows, format, reasonOf)
                        return mark === null ? [] : [[counts.stepId, mark]]
                      })
                    )
                  }
                />
              </Section>
              {stats !== undefined && <FlowFunnel stats={stats} steps={shown.steps} />}
              <FlowVersions flow={shown} active={stats?.versions ?? []} />
              <Runs flow={shown} versions={stats?.versions ?? []} />
            </Columns>
          </>
        )}
      </Loaded>
      {isArchiving && (
        <ConfirmDialog
          isOpen
          title={texts.flows.archiveTitle(name)}
          text={
            active === undefined
              ? null
              : texts.flows.archiveText(texts.flows.activeRuns(format.number(active), active))
          }
          action={texts.flows.archive}
          onClose={() => setArchiving(false)}
          onConfirm={archive}
        />
      )}
    </Page>
  )
}
