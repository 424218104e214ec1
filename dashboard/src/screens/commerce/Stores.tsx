/**
 * The stores that are connected to the account.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useExtra, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useRecordTexts } from "../../texts/records/useRecordTexts.ts"
import { ConnectStore } from "./ConnectStore.tsx"

const listRoute = "GET /accounts/:accountId/stores"

type Store = ItemOf<typeof listRoute>

/** The screen. */
export const Stores = () => {
  const { commerce, people, stores: texts } = useTexts()
  const { storeEvents: events } = useRecordTexts()
  const format = useFormat()
  const { can, id: accountId, mode } = useAccount()
  const list = useList(listRoute, { params: { accountId } })
  const [leaving, setLeaving] = useState<Store | null>(null)
  const [panel, show] = usePanel()
  const { run } = useAction([listRoute])
  const orders = useExtra(
    "GET /accounts/:accountId/orders",
    {
      params: { accountId },
      query: { storeId: [leaving?.id ?? ""], limit: 1, count: "exact" }
    },
    { enabled: leaving !== null }
  )?.totalCount
  const disconnect = ({ id, name }: Store) => {
    setLeaving(null)
    void run(
      () => call("DELETE /accounts/:accountId/stores/:id", { params: { accountId, id } }),
      texts.disconnected(name),
      undefined,
      (one: Store): Store => (one.id === id ? { ...one, status: "Disconnected" } : one)
    )
  }
  const columns: ReadonlyArray<Column<Store>> = [
    { key: "name", head: texts.name, width: "minmax(9rem, 1.5fr)", cell: ({ name }) => <bdi>{name}</bdi> },
    {
      key: "domain",
      head: texts.domain,
      width: "minmax(9rem, 1.3fr)",
      narrow: "second",
      cell: ({ domain }) => domain
    },
    {
      key: "consent",
      head: texts.consent,
      width: "minmax(7.5rem, 1fr)",
      cell: ({ consentMode }) => texts.modes[consentMode]
    },
    {
      key: "connected",
      head: texts.connected,
      width: "minmax(7rem, 0.8fr)",
      cell: ({ connectedAt }) => <RelativeTime at={connectedAt} />
    },
    {
      key: "lastEvent",
      head: events.lastEvent,
      width: "minmax(8rem, 1fr)",
      cell: ({ failedEvents, lastEventAt }) =>
        failedEvents > 0 ? (
          <Badge tone="bad">{events.failed(format.number(failedEvents))}</Badge>
        ) : lastEventAt === null ? (
          events.never
        ) : (
          <RelativeTime at={lastEventAt} />
        )
    },
    {
      key: "state",
      head: texts.state,
      width: "7.5rem",
      narrow: "end",
      cell: ({ status }) => (
        <Badge tone={status === "Connected" ? "good" : "neutral"}>{texts.states[status]}</Badge>
      )
    },
    ...(can("stores:write")
      ? [
          {
            key: "actions",
            head: people.actions,
            isHeadHidden: true,
            width: "7.5rem",
            isEnd: true,
            cell: (store: Store) =>
              store.status === "Connected" && (
                <Button isSmall tone="quiet" onClick={() => setLeaving(store)}>
                  {texts.disconnect}
                </Button>
              )
          }
        ]
      : [])
  ]
  const mayConnect = can("stores:write")
  const connect = mayConnect && (
    <Button tone="primary" icon="plus" onClick={() => show(newPanel)}>
      {texts.connect}
    </Button>
  )
  return (
    <Page isList title={commerce.title} actions={connect}>
      <AreaTabs area="stores" />
      <List
        label={texts.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({
          to: "/a/$accountId/stores/$storeId",
          params: { accountId, storeId: id },
          search: {}
        })}
        empty={
          <EmptyState icon="store" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {panel === newPanel && mayConnect && <ConnectStore onClose={() => show(null)} />}
      {leaving !== null && (
        <ConfirmDialog
          isOpen
          title={texts.disconnectTitle(leaving.name)}
          text={orders === undefined ? null : texts.disconnectText(format.number(orders), orders)}
          action={texts.disconnect}
          {...(mode === "live" ? { name: leaving.domain } : {})}
          onClose={() => setLeaving(null)}
          onConfirm={() => disconnect(leaving)}
        />
      )}
    </Page>
  )
}
