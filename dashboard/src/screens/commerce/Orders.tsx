/**
 * The orders of connected stores.
 *
 * @module
 */
import { lazyPart } from "../../app/newVersion.ts"
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi } from "@tanstack/react-router"
import type { QueryOf } from "../../api/call.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { ButtonLink } from "../../parts/form/Button.tsx"
import { queryOf, type Search } from "../../lib/search.ts"
import { FilteredList } from "../../parts/list/FilteredList.tsx"
import type { Column } from "../../parts/list/List.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { orderTones } from "./states.ts"
import { useStores } from "./useStores.ts"

const route = getRouteApi("/shell/a/$accountId/stores/orders")

const listRoute = "GET /accounts/:accountId/orders"

type OneOrder = ItemOf<typeof listRoute>

/** The filters that share a dialog. */
const more = {
  keys: ["view", "since", "until"],
  Dialog: lazyPart(() => import("./OrderFilters.tsx"), "OrderFilters")
}

/** The screen. */
export const Orders = () => {
  const { commerce, orders: texts } = useTexts()
  const format = useFormat()
  const { id: accountId } = useAccount()
  const { columns: chosen, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const { filters, nameOf } = useStores(texts.store)
  // Search results can only be listed newest first.
  const { sort: _sort, ...filter } = search
  const isSorted = search.q === undefined
  const list = useList(listRoute, {
    params: { accountId },
    query: queryOf(isSorted ? search : filter) as unknown as QueryOf<typeof listRoute>
  })
  const show = (next: Search) => void navigate({ search: next, replace: true })
  const columns: ReadonlyArray<Column<OneOrder>> = [
    {
      key: "order",
      head: texts.order,
      width: "minmax(7rem, 1fr)",
      sort: "name",
      cell: ({ id, number }) => <bdi>{number ?? id}</bdi>
    },
    {
      key: "customer",
      head: texts.customer,
      width: "minmax(11rem, 2fr)",
      narrow: "second",
      cell: ({ customerName, email }) => <bdi>{customerName ?? email ?? texts.noCustomer}</bdi>
    },
    {
      key: "status",
      head: texts.status,
      width: "8rem",
      narrow: "end",
      cell: ({ status }) => <Badge tone={orderTones[status] ?? "neutral"}>{texts.states[status]}</Badge>
    },
    {
      key: "store",
      head: texts.store,
      width: "minmax(8rem, 1.2fr)",
      cell: ({ storeId }) => <bdi>{nameOf(storeId)}</bdi>
    },
    {
      key: "lines",
      head: texts.lines,
      width: "5rem",
      isEnd: true,
      cell: ({ lineCount }) => format.number(lineCount)
    },
    {
      key: "total",
      head: texts.total,
      width: "8rem",
      isEnd: true,
      cell: ({ currency, total }) => format.money(total, currency)
    },
    {
      key: "placed",
      head: texts.placed,
      width: "8.5rem",
      sort: "time",
      isEnd: true,
      cell: ({ placedAt }) => <RelativeTime at={placedAt} />
    }
  ]
  return (
    <Page isList title={commerce.title}>
      <FilteredList
        head={<AreaTabs area="stores" />}
        view="orders"
        search={{ ...search, columns: chosen }}
        onSearch={show}
        placeholder={texts.search}
        filters={[
          {
            key: "status",
            label: texts.status,
            options: optionsOf(texts.states)
          },
          ...filters
        ]}
        isSortable={isSorted}
        more={more}
        label={texts.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({
          to: "/a/$accountId/stores/orders/$orderId",
          params: { accountId, orderId: id }
        })}
        empty={
          <EmptyState
            icon="store"
            title={texts.empty}
            action={
              <ButtonLink to="/a/$accountId/stores" params={{ accountId }}>
                {commerce.tabs.stores}
              </ButtonLink>
            }
          >
            {texts.emptyText}
          </EmptyState>
        }
      />
    </Page>
  )
}
