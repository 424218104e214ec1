/**
 * The events reported by a store, the rejected ones with the reason, and their replay.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { call, type QueryOf } from "../../api/call.ts"
import { type ItemOf, useExtra, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { narrow, useMedia } from "../../lib/media.ts"
import { Button } from "../../parts/form/Button.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Missing } from "../../parts/page/Missing.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useRecordTexts } from "../../texts/records/useRecordTexts.ts"
import { Said } from "../../texts/said/Said.tsx"

const route = getRouteApi("/shell/a/$accountId/stores/$storeId")

const listRoute = "GET /accounts/:accountId/stores/:id/events"

type Event = ItemOf<typeof listRoute>

/** The most stores that an account can have. */
const maxStores = 100

/** The screen. */
export const Store = () => {
  const { commerce, people, stores } = useTexts()
  const { storeEvents: texts } = useRecordTexts()
  const format = useFormat()
  const { can } = useAccount()
  const { accountId, storeId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const isNarrow = useMedia(narrow)
  const [isReplaying, setReplaying] = useState(false)
  const params = { accountId, id: storeId }
  const store = useExtra("GET /accounts/:accountId/stores", {
    params: { accountId },
    query: { limit: maxStores }
  })?.items.find(({ id }) => id === storeId)
  const list = useList(listRoute, { params, query: search as unknown as QueryOf<typeof listRoute> })
  const isMissing = list.error?.status === 404
  const failed =
    useExtra(listRoute, { params, query: { status: ["Failed"], limit: 1 } }, { enabled: !isMissing })
      ?.totalCount ?? 0
  const { isBusy, run } = useAction([
    listRoute,
    "GET /accounts/:accountId/stores",
    "GET /accounts/:accountId/jobs"
  ])
  const mayReplay = can("stores:write")
  const replay = (ids?: ReadonlyArray<string>) =>
    run(
      () =>
        call("POST /accounts/:accountId/stores/:id/events/replay", {
          params,
          body: ids === undefined ? {} : { ids }
        }),
      texts.started
    )
  const columns: ReadonlyArray<Column<Event>> = [
    {
      key: "event",
      head: texts.event,
      width: "minmax(10rem, 1fr)",
      cell: ({ id, name }) => (
        <span title={id}>
          <bdi>{name ?? texts.unnamed}</bdi>
        </span>
      )
    },
    {
      key: "why",
      head: texts.why,
      width: "minmax(12rem, 2fr)",
      narrow: "second",
      cell: ({ failure, receivedAt }) => {
        if (failure === null) return isNarrow ? <RelativeTime at={receivedAt} /> : "–"
        const { code, field, message } = failure
        return (
          <span title={code}>
            <Said field={field} text={message} />
          </span>
        )
      }
    },
    {
      key: "received",
      head: texts.received,
      width: "minmax(7rem, 0.7fr)",
      cell: ({ receivedAt }) => <RelativeTime at={receivedAt} />
    },
    {
      key: "state",
      head: texts.state,
      width: "8rem",
      narrow: "end",
      cell: ({ status }) => (
        <Badge tone={status === "Accepted" ? "good" : "bad"}>{texts.states[status]}</Badge>
      )
    },
    ...(mayReplay
      ? [
          {
            key: "actions",
            head: people.actions,
            isHeadHidden: true,
            width: "8rem",
            isEnd: true,
            cell: ({ id, isReplayable, status }: Event) =>
              status === "Failed" &&
              isReplayable && (
                <Button isSmall icon="retry" isBusy={isBusy} onClick={() => void replay([id])}>
                  {texts.replay}
                </Button>
              )
          }
        ]
      : [])
  ]
  const back = { link: { to: "/a/$accountId/stores" as const, params: { accountId } }, label: commerce.title }
  if (isMissing)
    return (
      <Page title={stores.name} back={back}>
        <Missing thing="Store" />
      </Page>
    )
  return (
    <Page
      isList
      title={store?.name ?? stores.name}
      back={back}
      badge={
        store !== undefined && (
          <Badge tone={store.status === "Connected" ? "good" : "neutral"}>
            {stores.states[store.status]}
          </Badge>
        )
      }
      {...(store === undefined
        ? {}
        : {
            text: [store.domain, store.platform, store.currency].filter((part) => part !== null).join(" · ")
          })}
      actions={
        mayReplay &&
        failed > 0 && (
          <Button icon="retry" onClick={() => setReplaying(true)}>
            {texts.replayAll}
          </Button>
        )
      }
    >
      <FilterBar
        search={search}
        onChange={(next) => void navigate({ search: next, replace: true })}
        filters={[
          {
            key: "status",
            label: texts.state,
            options: optionsOf(texts.states)
          }
        ]}
      />
      <List
        label={texts.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        isFiltered={search.status !== undefined}
        onReset={() => void navigate({ search: {}, replace: true })}
        empty={
          <EmptyState icon="store" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {isReplaying && (
        <ConfirmDialog
          isOpen
          tone="primary"
          title={texts.replayTitle(format.number(failed), failed)}
          text={texts.replayText}
          action={texts.replay}
          isBusy={isBusy}
          onClose={() => setReplaying(false)}
          onConfirm={() => void replay().then(() => setReplaying(false))}
        />
      )}
    </Page>
  )
}
