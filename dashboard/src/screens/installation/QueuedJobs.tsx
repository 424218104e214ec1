/**
 * The jobs of the queues: running, waiting, and buried after their last attempt.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { call, type QueryOf } from "../../api/call.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { narrow, useMedia } from "../../lib/media.ts"
import { Button } from "../../parts/form/Button.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Row } from "../../parts/page/Columns.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { InstallationPage } from "./InstallationPage.tsx"
import { useAccountName } from "./names.ts"

const route = getRouteApi("/shell/installation/jobs")

const listRoute = "GET /jobs"

type Job = ItemOf<typeof listRoute>

const tones: Readonly<Record<string, Tone>> = { Running: "accent", Buried: "bad" }

/** The screen. */
export const QueuedJobs = () => {
  const { installation: texts, people } = useTexts()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const nameOf = useAccountName()
  const { sort, ...filter } = search
  const list = useList(listRoute, { params: {}, query: search as unknown as QueryOf<typeof listRoute> })
  const isNarrow = useMedia(narrow)
  const [dropping, setDropping] = useState<Job | null>(null)
  const { isBusy, run } = useAction([listRoute, "GET /queues"])
  const retry = ({ id }: Job) => run(() => call("POST /jobs/:id/retry", { params: { id } }), texts.jobRetried)
  const drop = ({ id }: Job) => {
    setDropping(null)
    void run(
      () => call("DELETE /jobs/:id", { params: { id } }),
      texts.jobDropped,
      undefined,
      (job: Job) => (job.id === id ? null : job)
    )
  }
  const columns: ReadonlyArray<Column<Job>> = [
    {
      key: "queue",
      head: texts.queue,
      width: "minmax(9.5rem, 1.2fr)",
      cell: ({ queue }) => texts.queueNames[queue] ?? queue
    },
    {
      key: "account",
      head: texts.account,
      width: "minmax(9rem, 1.2fr)",
      cell: ({ accountId }) => <bdi>{nameOf(accountId)}</bdi>
    },
    {
      key: "reason",
      head: texts.why,
      width: "minmax(8rem, 2fr)",
      narrow: "second",
      cell: ({ at, reason }) =>
        reason !== null ? <span title={reason}>{reason}</span> : isNarrow ? <RelativeTime at={at} /> : "–"
    },
    {
      key: "attempts",
      head: texts.attempts,
      width: "5rem",
      isEnd: true,
      cell: ({ attempts }) => attempts
    },
    {
      key: "at",
      head: texts.due,
      width: "minmax(7rem, 0.8fr)",
      sort: "age",
      cell: ({ at }) => <RelativeTime at={at} />
    },
    {
      key: "state",
      head: texts.state,
      width: "6.5rem",
      narrow: "end",
      cell: ({ state }) => <Badge tone={tones[state] ?? "neutral"}>{texts.jobStates[state]}</Badge>
    },
    {
      key: "actions",
      head: people.actions,
      isHeadHidden: true,
      width: "11rem",
      isEnd: true,
      cell: (job) =>
        job.state === "Buried" && (
          <Row>
            <Button isSmall icon="retry" onClick={() => void retry(job)}>
              {texts.retry}
            </Button>
            <Button isSmall tone="quiet" onClick={() => setDropping(job)}>
              {texts.drop}
            </Button>
          </Row>
        )
    }
  ]
  return (
    <InstallationPage
      bar={
        <FilterBar
          search={search}
          onChange={(next) => void navigate({ search: next, replace: true })}
          filters={[
            { key: "state", label: texts.state, options: optionsOf(texts.jobStates) },
            { key: "queue", label: texts.queue, options: optionsOf(texts.queueNames) }
          ]}
        />
      }
    >
      <List
        label={texts.tabs.jobs}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        sort={sort ?? "age"}
        onSort={(next) => void navigate({ search: { ...search, sort: next ?? "-age" }, replace: true })}
        isFiltered={Object.keys(filter).length > 0}
        onReset={() => void navigate({ search: {}, replace: true })}
        empty={
          <EmptyState icon="check" title={texts.noJobs}>
            {texts.noJobsText}
          </EmptyState>
        }
      />
      {dropping !== null && (
        <ConfirmDialog
          isOpen
          title={texts.dropTitle}
          text={texts.dropText(
            texts.queueNames[dropping.queue] ?? dropping.queue,
            nameOf(dropping.accountId)
          )}
          action={texts.drop}
          isBusy={isBusy}
          onClose={() => setDropping(null)}
          onConfirm={() => drop(dropping)}
        />
      )}
    </InstallationPage>
  )
}
