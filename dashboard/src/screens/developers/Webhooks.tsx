/**
 * The webhooks of the account.
 *
 * @module
 */
import { Suspense } from "react"
import { lazyPart } from "../../app/newVersion.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"

const AddWebhook = lazyPart(() => import("./AddWebhook.tsx"), "AddWebhook")

const listRoute = "GET /accounts/:accountId/webhooks"

type Hook = ItemOf<typeof listRoute>

/** The screen. */
export const Webhooks = () => {
  const { developers, webhooks: texts } = useTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const list = useList(listRoute, { params: { accountId } })
  const [panel, show] = usePanel()
  const columns: ReadonlyArray<Column<Hook>> = [
    {
      key: "url",
      head: texts.url,
      width: "minmax(14rem, 2.5fr)",
      cell: ({ url }) => <span title={url}>{url}</span>
    },
    {
      key: "description",
      head: texts.description,
      width: "minmax(7rem, 1fr)",
      cell: ({ description }) => <span dir="auto">{description ?? "–"}</span>
    },
    {
      key: "events",
      head: texts.events,
      width: "minmax(9rem, 1.5fr)",
      narrow: "second",
      cell: ({ events }) =>
        events.length === 0 ? texts.allEvents : events.map((one) => texts.eventTexts[one] ?? one).join(", ")
    },
    {
      key: "failures",
      head: texts.failures,
      width: "8rem",
      isEnd: true,
      cell: ({ failuresInARow }) => format.number(failuresInARow)
    },
    {
      key: "state",
      head: texts.state,
      width: "6.5rem",
      narrow: "end",
      cell: ({ status }) => <Badge tone={status === "Active" ? "good" : "bad"}>{texts.states[status]}</Badge>
    }
  ]
  const mayWrite = can("webhooks:write")
  const add = mayWrite && (
    <Button tone="primary" icon="plus" onClick={() => show(newPanel)}>
      {texts.add}
    </Button>
  )
  return (
    <Page isList title={developers.title} actions={add}>
      <AreaTabs area="developers" />
      <List
        label={developers.tabs.webhooks}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({
          to: "/a/$accountId/developers/webhooks/$webhookId",
          params: { accountId, webhookId: id }
        })}
        empty={
          <EmptyState icon="webhook" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {panel === newPanel && mayWrite && (
        <Suspense fallback={null}>
          <AddWebhook accountId={accountId} onClose={() => show(null)} />
        </Suspense>
      )}
    </Page>
  )
}
