/**
 * The queues: what waits in each of them, and which accounts' jobs are late.
 *
 * @module
 */
import type { ValueOf } from "../../api/call.ts"
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { ButtonLink } from "../../parts/form/Button.tsx"
import { Nothing } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { Table, type TableColumn } from "../../parts/show/Table.tsx"
import { InstallationPage, Scrolled } from "./InstallationPage.tsx"
import { useAccountName } from "./names.ts"

type Read = ValueOf<"GET /queues">

/** How often the queues are refreshed, in milliseconds. */
const renewMillis = 10_000

/** The screen. */
export const Queues = () => {
  const { installation: texts } = useTexts()
  const format = useFormat()
  const nameOf = useAccountName()
  const query = useApi("GET /queues", {}, { refetchInterval: renewMillis })
  const queues: ReadonlyArray<TableColumn<Read["queues"][number]>> = [
    {
      key: "queue",
      head: texts.queue,
      cell: ({ queue }) => <span title={queue}>{texts.queueNames[queue] ?? queue}</span>
    },
    { key: "pending", head: texts.waiting, isEnd: true, cell: ({ pending }) => format.number(pending) },
    {
      key: "buried",
      head: texts.buried,
      isEnd: true,
      cell: ({ buried, queue }) =>
        buried === 0 ? (
          format.number(0)
        ) : (
          <ButtonLink isSmall to="/installation/jobs" search={{ queue, state: "Buried" }}>
            <Badge tone="bad">{format.number(buried)}</Badge>
            {texts.showJobs}
          </ButtonLink>
        )
    },
    {
      key: "next",
      head: texts.nextRun,
      isEnd: true,
      cell: ({ nextRunAt }) => <RelativeTime at={nextRunAt} />
    }
  ]
  const late: ReadonlyArray<TableColumn<Read["waiting"][number]>> = [
    { key: "account", head: texts.account, cell: ({ accountId }) => <bdi>{nameOf(accountId)}</bdi> },
    { key: "queue", head: texts.queue, cell: ({ queue }) => texts.queueNames[queue] ?? queue },
    { key: "due", head: texts.due, isEnd: true, cell: ({ dueAt }) => <RelativeTime at={dueAt} /> }
  ]
  return (
    <InstallationPage>
      <Scrolled>
        <Loaded query={query}>
          {({ queues: rows, waiting }) => (
            <>
              <Section title={texts.tabs.queues} text={texts.queuesText}>
                <Table label={texts.tabs.queues} columns={queues} rows={rows} keyOf={({ queue }) => queue} />
              </Section>
              <Section title={texts.late} text={texts.lateText}>
                {waiting.length === 0 ? (
                  <Card isFlush>
                    <Nothing>{texts.nothingLate}</Nothing>
                  </Card>
                ) : (
                  <Table
                    label={texts.late}
                    columns={late}
                    rows={waiting}
                    keyOf={({ accountId, queue }) => `${queue} ${accountId}`}
                  />
                )}
              </Section>
            </>
          )}
        </Loaded>
      </Scrolled>
    </InstallationPage>
  )
}
