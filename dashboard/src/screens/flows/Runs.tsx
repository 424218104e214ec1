/**
 * The runs of a flow. The URL has the filters and the run that is open.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi } from "@tanstack/react-router"
import type { QueryOf, ValueOf } from "../../api/call.ts"
import { useApi, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Entries } from "../../parts/list/Entries.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { MissingDialog } from "../../parts/overlay/MissingDialog.tsx"
import { Entry, Row } from "../../parts/page/Columns.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { PersonLink } from "../people/PersonLink.tsx"
import { runTones } from "./describe.ts"
import { useSkipReason } from "./edit/Playback.tsx"
import { useStepNames } from "./edit/useDetails.ts"
import { RunDialog } from "./Run.tsx"

const route = getRouteApi("/shell/a/$accountId/flows/$flowId")

const runsRoute = "GET /accounts/:accountId/flows/:id/runs"

/** How many runs are read at a time. It is low because each person's name is read separately. */
const runsShown = 20

/** How many of the latest versions the filter offers, besides those with active runs. */
const latestVersions = 10

/** The section. */
export const Runs = ({
  flow,
  versions
}: {
  readonly flow: ValueOf<"GET /accounts/:accountId/flows/:id">
  /** The versions with active runs. */
  readonly versions: ReadonlyArray<{ readonly version: number }>
}) => {
  const { flows: texts } = useTexts()
  const format = useFormat()
  const reasonOf = useSkipReason()
  const { id: accountId } = useAccount()
  const { run: openId, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const params = { accountId, id: flow.id }
  const list = useList(runsRoute, {
    params,
    query: { limit: runsShown, ...filters } as QueryOf<typeof runsRoute>
  })
  const listed = list.items.find(({ id }) => id === openId)
  const query = { runId: openId } as QueryOf<typeof runsRoute>
  const found = useApi(
    runsRoute,
    { params, query },
    { enabled: openId !== undefined && !list.isLoading && listed === undefined }
  )
  const open = listed ?? (openId === undefined ? undefined : found.data?.items[0])
  const show = (run: string | undefined) => void navigate({ search: { ...filters, run }, replace: true })
  const names = useStepNames(flow.steps)
  const latest = Array.from({ length: Math.min(latestVersions, flow.version) }, (_, at) => flow.version - at)
  const numbers = new Set([...latest, ...versions.map(({ version }) => version)])
  return (
    <Section title={texts.runs}>
      <FilterBar
        search={filters}
        onChange={(next) => void navigate({ search: next, replace: true })}
        filters={[
          {
            key: "status",
            label: texts.state,
            options: optionsOf(texts.runStates)
          },
          {
            key: "step",
            label: texts.step,
            options: [...names].map(([value, label]) => ({ value, label }))
          },
          {
            key: "version",
            label: texts.version,
            options: [...numbers].map((version) => ({
              value: String(version),
              label: format.number(version)
            }))
          }
        ]}
      />
      {open === undefined && found.data !== undefined && (
        <MissingDialog thing="Run" onClose={() => show(undefined)} />
      )}
      {open !== undefined && <RunDialog flowId={flow.id} run={open} onClose={() => show(undefined)} />}
      <Entries list={list} empty={texts.noRuns}>
        {({ contactId, id, reason, startedAt, status, stepId }) => (
          <Entry
            key={id}
            end={
              <Row>
                <RelativeTime at={startedAt} />
                <Button isSmall onClick={() => show(id)}>
                  {texts.showRun}
                </Button>
              </Row>
            }
            text={[
              stepId === null ? null : (names.get(stepId) ?? stepId),
              reason === null ? null : reasonOf(reason)
            ]
              .filter((part) => part !== null)
              .join(" · ")}
          >
            <PersonLink contactId={contactId} />
            <Badge tone={runTones[status] ?? "neutral"}>{texts.runStates[status]}</Badge>
          </Entry>
        )}
      </Entries>
    </Section>
  )
}
