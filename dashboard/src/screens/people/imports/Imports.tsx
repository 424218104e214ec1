/**
 * The list of imports, with an area to drop a file for a new one.
 *
 * @module
 */
import { Suspense, useEffect } from "react"
import { lazyPart } from "../../../app/newVersion.ts"
import { type ItemOf, useList } from "../../../api/queries.ts"
import { AreaTabs } from "../../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../../app/panel.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { type Column, List } from "../../../parts/list/List.tsx"
import { EmptyState } from "../../../parts/page/Empty.tsx"
import { Page } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { importTones, isGoing, pollMillis } from "./states.ts"

const ImportDialog = lazyPart(() => import("./ImportDialog.tsx"), "ImportDialog")

const listRoute = "GET /accounts/:accountId/imports"

type OneImport = ItemOf<typeof listRoute>

/** The screen. */
export const Imports = () => {
  const { imports: texts, people } = useTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const list = useList(listRoute, { params: { accountId } })
  const [panel, show] = usePanel()
  const { reload } = list
  const goes = list.items.some(isGoing)
  useEffect(() => {
    if (!goes) return undefined
    const timer = setInterval(reload, pollMillis)
    return () => clearInterval(timer)
  })
  const columns: ReadonlyArray<Column<OneImport>> = [
    {
      key: "file",
      head: texts.file,
      width: "minmax(10rem, 2fr)",
      cell: ({ dryRun, name }) => (
        <>
          <bdi>{name ?? texts.unnamed}</bdi> {dryRun && <Badge tone="warning">{texts.dryRun}</Badge>}
        </>
      )
    },
    {
      key: "state",
      head: texts.state,
      width: "7rem",
      narrow: "end",
      cell: ({ status }) => <Badge tone={importTones[status] ?? "neutral"}>{texts.states[status]}</Badge>
    },
    ...(["created", "updated", "failed"] as const).map((key) => ({
      key,
      head: texts[key],
      width: "6rem",
      isEnd: true,
      cell: ({ rows }: OneImport) => format.number(rows[key])
    })),
    {
      key: "started",
      head: texts.started,
      width: "minmax(7rem, 1fr)",
      narrow: "second",
      isEnd: true,
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />
    }
  ]
  const mayImport = can("contacts:import")
  const add = mayImport && (
    <Button tone="primary" icon="plus" onClick={() => show(newPanel)}>
      {texts.add}
    </Button>
  )
  return (
    <Page isList title={people.title} actions={add}>
      <AreaTabs area="people" />
      <List
        label={people.tabs.imports}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({
          to: "/a/$accountId/people/imports/$importId",
          params: { accountId, importId: id }
        })}
        empty={
          <EmptyState icon="inbox" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {panel === newPanel && mayImport && (
        <Suspense fallback={null}>
          <ImportDialog accountId={accountId} onClose={() => show(null)} />
        </Suspense>
      )}
    </Page>
  )
}
