/**
 * Jobs on many contacts, with their progress and results.
 *
 * @module
 */
import { useEffect } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useActorName } from "../../app/useActorName.ts"
import { useAccount } from "../../app/session.ts"
import { Button, ButtonAnchor } from "../../parts/form/Button.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"

const listRoute = "GET /accounts/:accountId/jobs"

type Job = ItemOf<typeof listRoute>

const tones: Readonly<Record<string, Tone>> = { Done: "good", Running: "accent", Failed: "bad" }

/** How often running jobs are refreshed, in milliseconds. */
const pollMillis = 2_000

const isGoing = ({ state }: Job): boolean => state === "Queued" || state === "Running"

/** The screen. */
export const Jobs = () => {
  const { jobs: texts, people } = useTexts()
  const nameOfActor = useActorName()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const list = useList(listRoute, { params: { accountId } })
  const { run } = useAction([listRoute])
  const { reload } = list
  const goes = list.items.some(isGoing)
  useEffect(() => {
    if (!goes) return undefined
    const timer = setInterval(reload, pollMillis)
    return () => clearInterval(timer)
  })
  const columns: ReadonlyArray<Column<Job>> = [
    {
      key: "kind",
      head: texts.job,
      width: "minmax(9rem, 1.2fr)",
      cell: ({ kind }) => people.bulk[kind] ?? kind
    },
    {
      key: "state",
      head: texts.state,
      width: "7rem",
      narrow: "end",
      cell: ({ state }) => <Badge tone={tones[state] ?? "neutral"}>{texts.states[state]}</Badge>
    },
    {
      key: "progress",
      head: texts.progress,
      width: "minmax(9rem, 1.2fr)",
      narrow: "second",
      cell: ({ done, failed, total }) =>
        [
          total === null ? format.number(done) : texts.of(format.number(done), format.number(total)),
          ...(failed === 0 ? [] : [texts.failed(format.number(failed))])
        ].join(", ")
    },
    {
      key: "by",
      head: texts.by,
      width: "minmax(7rem, 1fr)",
      cell: ({ createdBy }) => <span dir="auto">{nameOfActor(createdBy)}</span>
    },
    {
      key: "started",
      head: texts.started,
      width: "minmax(7rem, 0.8fr)",
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />
    },
    {
      key: "actions",
      head: people.actions,
      isHeadHidden: true,
      width: "8rem",
      isEnd: true,
      cell: (job) =>
        isGoing(job)
          ? can("contacts:write") && (
              <Button
                isSmall
                tone="quiet"
                onClick={() =>
                  void run(
                    () => call("DELETE /accounts/:accountId/jobs/:id", { params: { accountId, id: job.id } }),
                    texts.cancelled,
                    undefined,
                    (one: Job) => (one.id === job.id ? { ...one, state: "Cancelled" as const } : one)
                  )
                }
              >
                {texts.cancel}
              </Button>
            )
          : job.reportUrl !== null && (
              <ButtonAnchor isSmall tone="quiet" icon="download" href={job.reportUrl} download>
                {job.kind === "Export" || job.kind === "ExportRecipients" ? texts.download : texts.report}
              </ButtonAnchor>
            )
    }
  ]
  return (
    <Page isList title={people.title}>
      <AreaTabs area="people" />
      <List
        label={people.tabs.jobs}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="clock" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
    </Page>
  )
}
