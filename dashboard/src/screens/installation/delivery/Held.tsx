/**
 * What holds mail in the whole installation, with the replies of the servers, for operators.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import type { QueryOf } from "../../../api/call.ts"
import { isAllRead, useList } from "../../../api/queries.ts"
import { usePanel } from "../../../app/panel.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { FilterBar } from "../../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../../parts/list/List.tsx"
import { MissingDialog } from "../../../parts/overlay/MissingDialog.tsx"
import { EmptyState } from "../../../parts/page/Empty.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useDeliveryTexts } from "../../../texts/delivery/useDeliveryTexts.ts"
import { InstallationPage } from "../InstallationPage.tsx"
import { useAccountName } from "../names.ts"
import { ClassifyDialog, ExplainDialog } from "./ExplainDialogs.tsx"
import { type Notice, noticesRoute, useProviderName } from "./lanes.ts"
import { NoticeDialog } from "./NoticeDialog.tsx"
import { SuspendDialog } from "./SuspendDialog.tsx"

const route = getRouteApi("/shell/installation/delivery")

/** How often the list is refreshed, in milliseconds. */
const renewMillis = 15_000

/** The screen. */
export const Held = () => {
  const { people } = useTexts()
  const { held: texts } = useDeliveryTexts()
  const format = useFormat()
  const nameOf = useAccountName()
  const laneName = useProviderName()
  const { shown, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useList(
    noticesRoute,
    { params: {}, query: search as unknown as QueryOf<typeof noticesRoute> },
    { refetchInterval: renewMillis }
  )
  const [dialog, setDialog] = useState<"suspend" | "explain" | "classify" | null>(null)
  const [, setPanel] = usePanel()
  const open = list.items.find(({ id }) => id === shown)
  const columns: ReadonlyArray<Column<Notice>> = [
    {
      key: "lane",
      head: texts.lane,
      width: "minmax(8rem, 1fr)",
      cell: ({ lane }) => <bdi>{laneName(lane)}</bdi>
    },
    {
      key: "words",
      head: texts.words,
      width: "minmax(11rem, 2.4fr)",
      narrow: "second",
      cell: ({ words }) => (
        <span title={words}>
          <bdi>{words}</bdi>
        </span>
      )
    },
    {
      key: "scope",
      head: texts.scope,
      width: "minmax(6.5rem, 0.9fr)",
      cell: ({ accountId }) => <bdi>{accountId === null ? texts.everyone : nameOf(accountId)}</bdi>
    },
    { key: "held", head: texts.held, width: "5.5rem", isEnd: true, cell: ({ held }) => format.number(held) },
    {
      key: "since",
      head: texts.since,
      width: "minmax(6.5rem, 0.8fr)",
      cell: ({ since }) => <RelativeTime at={since} />
    },
    {
      key: "until",
      head: texts.until,
      width: "minmax(6rem, 0.8fr)",
      cell: ({ state, until }) => (state === "Open" ? <RelativeTime at={until} /> : "–")
    },
    {
      key: "state",
      head: texts.state,
      width: "4.5rem",
      narrow: "end",
      cell: ({ state }) => (
        <Badge tone={state === "Open" ? "warning" : "neutral"}>{texts.states[state]}</Badge>
      )
    },
    {
      key: "actions",
      head: people.actions,
      isHeadHidden: true,
      width: "4.5rem",
      isEnd: true,
      cell: ({ id }) => (
        <Button isSmall onClick={() => setPanel(id)}>
          {texts.open}
        </Button>
      )
    }
  ]
  return (
    <InstallationPage
      actions={
        <>
          <Button onClick={() => setDialog("explain")}>{texts.explain}</Button>
          <Button onClick={() => setDialog("classify")}>{texts.classify}</Button>
          <Button tone="primary" onClick={() => setDialog("suspend")}>
            {texts.suspend}
          </Button>
        </>
      }
      bar={
        <FilterBar
          search={search}
          onChange={(next) => void navigate({ search: next, replace: true })}
          filters={[
            {
              key: "state",
              label: texts.state,
              isSingle: true,
              options: optionsOf(texts.states)
            }
          ]}
        />
      }
    >
      <List
        label={texts.tab}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        isFiltered={search.state !== undefined}
        onReset={() => void navigate({ search: {}, replace: true })}
        empty={
          <EmptyState icon="check" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {shown !== undefined && open === undefined && isAllRead(list) && (
        <MissingDialog thing={texts.lane} onClose={() => setPanel(null)} />
      )}
      {open !== undefined && <NoticeDialog notice={open} onClose={() => setPanel(null)} />}
      {dialog === "suspend" && <SuspendDialog onClose={() => setDialog(null)} />}
      {dialog === "explain" && <ExplainDialog onClose={() => setDialog(null)} />}
      {dialog === "classify" && <ClassifyDialog onClose={() => setDialog(null)} />}
    </InstallationPage>
  )
}
