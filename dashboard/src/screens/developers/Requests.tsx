/**
 * The request log: calls to the public API with the account's keys.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { Suspense, useMemo } from "react"
import { lazyPart } from "../../app/newVersion.ts"
import type { QueryOf } from "../../api/call.ts"
import { type ItemOf, useExtra, useList } from "../../api/queries.ts"
import { useShownEntry } from "./useShownEntry.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { toneOfStatus } from "../../lib/statusTone.ts"
import { ButtonAnchor } from "../../parts/form/Button.tsx"
import { queryOf, type Search } from "../../lib/search.ts"
import { FilteredList } from "../../parts/list/FilteredList.tsx"
import type { Column } from "../../parts/list/List.tsx"
import { MissingDialog } from "../../parts/overlay/MissingDialog.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import styles from "./Requests.module.css"

const RequestDialog = lazyPart(() => import("./RequestDialog.tsx"), "RequestDialog")

const route = getRouteApi("/shell/a/$accountId/developers/requests")

const listRoute = "GET /accounts/:accountId/requests"

type Request = ItemOf<typeof listRoute>

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

/** The statuses with which the public API responds. */
const statuses = ["200", "201", "202", "400", "401", "403", "404", "409", "413", "422", "429", "500", "503"]

/** The filters that share a dialog. */
const more = {
  keys: ["code", "route", "since", "until"],
  Dialog: lazyPart(() => import("./RequestFilters.tsx"), "RequestFilters")
}

/** The screen. */
export const Requests = () => {
  const { developers, requests: texts } = useTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const { columns: chosen, shown, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useList(listRoute, {
    params: { accountId },
    query: queryOf(search) as unknown as QueryOf<typeof listRoute>
  })
  const keys = useExtra(
    "GET /accounts/:accountId/api-keys",
    { params: { accountId } },
    { enabled: can("keys:read") }
  )
  const names = useMemo(() => new Map(keys?.map(({ id, name }) => [id, name])), [keys])
  const show = (next: Search) => void navigate({ search: next, replace: true })
  const open = useShownEntry(list, shown, ({ requestId }) => requestId, listRoute, accountId)
  const columns: ReadonlyArray<Column<Request>> = [
    {
      key: "call",
      head: texts.call,
      width: "minmax(14rem, 3fr)",
      cell: ({ method, requestId, route: called }) => (
        <button
          type="button"
          className={styles["open"]}
          onClick={() => void navigate({ search: { ...search, columns: chosen, shown: requestId } })}
        >
          <code>
            {method} {called ?? texts.unknownRoute}
          </code>
        </button>
      )
    },
    {
      key: "status",
      head: texts.status,
      width: "5rem",
      narrow: "end",
      cell: ({ status }) => <Badge tone={toneOfStatus(status)}>{String(status)}</Badge>
    },
    {
      key: "code",
      head: texts.code,
      width: "minmax(8rem, 1.5fr)",
      cell: ({ code }) => (code === null ? "–" : <code>{code}</code>)
    },
    {
      key: "key",
      head: texts.key,
      width: "minmax(7rem, 1fr)",
      cell: ({ keyId }) => <bdi>{names.get(keyId) ?? "–"}</bdi>
    },
    {
      key: "duration",
      head: texts.duration,
      width: "6rem",
      isEnd: true,
      cell: ({ durationMillis }) => `${format.number(Math.round(durationMillis))} ms`
    },
    {
      key: "time",
      head: texts.time,
      width: "minmax(7rem, 0.8fr)",
      narrow: "second",
      sort: "time",
      isEnd: true,
      cell: ({ at }) => <RelativeTime at={at} />
    }
  ]
  const optionsOf = (values: ReadonlyArray<string>) => values.map((value) => ({ value, label: value }))
  return (
    <Page isList title={developers.title}>
      <FilteredList
        head={<AreaTabs area="developers" />}
        view="requests"
        search={{ ...search, columns: chosen }}
        onSearch={show}
        placeholder={texts.search}
        filters={[
          { key: "method", label: texts.method, options: optionsOf(methods) },
          { key: "status", label: texts.status, options: optionsOf(statuses) },
          ...(keys === undefined || keys.length === 0
            ? []
            : [
                {
                  key: "keyId",
                  label: texts.key,
                  options: keys.map(({ id, name }) => ({ value: id, label: name }))
                }
              ])
        ]}
        more={more}
        label={developers.tabs.requests}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState
            icon="code"
            title={texts.empty}
            action={
              <ButtonAnchor href="/docs/using-the-api" target="_blank" rel="noreferrer" iconAfter="external">
                {texts.guide}
              </ButtonAnchor>
            }
          >
            {texts.emptyText}
          </EmptyState>
        }
      />
      {open === null && (
        <MissingDialog thing="Request" onClose={() => show({ ...search, columns: chosen })} />
      )}
      {open && (
        <Suspense fallback={null}>
          <RequestDialog
            request={open}
            keyName={names.get(open.keyId) ?? null}
            onClose={() => show({ ...search, columns: chosen })}
          />
        </Suspense>
      )}
    </Page>
  )
}
