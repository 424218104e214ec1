/**
 * The items of the catalogue, including those of stores.
 *
 * @module
 */
import { lazyPart } from "../../app/newVersion.ts"
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi } from "@tanstack/react-router"
import { Suspense } from "react"
import type { QueryOf } from "../../api/call.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button, ButtonAnchor } from "../../parts/form/Button.tsx"
import type { Search } from "../../lib/search.ts"
import { FilteredList } from "../../parts/list/FilteredList.tsx"
import type { Column } from "../../parts/list/List.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useCatalogueTexts } from "../../texts/catalogue/useCatalogueTexts.ts"
import { useStores } from "./useStores.ts"

const ItemDialog = lazyPart(() => import("./ItemDialog.tsx"), "ItemDialog")
const ItemImport = lazyPart(() => import("./ItemImport.tsx"), "ItemImport")

const route = getRouteApi("/shell/a/$accountId/stores/items")

const listRoute = "GET /accounts/:accountId/items"

type Item = ItemOf<typeof listRoute>

/** The screen. */
export const Items = () => {
  const { commerce, items: texts, orders } = useTexts()
  const format = useFormat()
  const { importing } = useCatalogueTexts()
  const { can, id: accountId } = useAccount()
  const { columns: chosen, of, panel: _panel, shown, ...search } = route.useSearch()
  const [panel, open] = usePanel("panel")
  const navigate = route.useNavigate()
  const { filters, nameOf } = useStores(orders.store)
  const list = useList(listRoute, {
    params: { accountId },
    query: search as unknown as QueryOf<typeof listRoute>
  })
  const show = (next: Search) => void navigate({ search: next, replace: true })
  const columns: ReadonlyArray<Column<Item>> = [
    {
      key: "name",
      head: texts.name,
      width: "minmax(9rem, 2.4fr)",
      sort: "name",
      cell: ({ name }) => <bdi>{name}</bdi>
    },
    {
      key: "kind",
      head: texts.kind,
      width: "minmax(5rem, 0.6fr)",
      cell: ({ kind }) => texts.kinds[kind]
    },
    {
      key: "source",
      head: texts.source,
      width: "minmax(6rem, 1fr)",
      cell: ({ source, storeId }) => <bdi>{storeId === null ? texts.sources[source] : nameOf(storeId)}</bdi>
    },
    {
      key: "price",
      head: texts.price,
      width: "6.5rem",
      narrow: "second",
      isEnd: true,
      cell: ({ currency, price }) =>
        price === null || currency === null ? "–" : format.money(price, currency)
    },
    {
      key: "stock",
      head: texts.stock,
      width: "6.5rem",
      isEnd: true,
      cell: ({ inStock, stockQuantity }) =>
        stockQuantity === null ? (inStock ? texts.inStock : texts.outOfStock) : format.number(stockQuantity)
    },
    {
      key: "state",
      head: texts.state,
      width: "9rem",
      narrow: "end",
      cell: ({ active }) => (
        <Badge tone={active ? "good" : "neutral"}>{texts.states[active ? "Active" : "Inactive"]}</Badge>
      )
    },
    {
      key: "added",
      head: texts.added,
      width: "8rem",
      sort: "time",
      isEnd: true,
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />
    }
  ]
  const mayImport = can("catalog:write")
  return (
    <Page
      isList
      title={commerce.title}
      actions={
        mayImport && (
          <Button tone="primary" icon="plus" onClick={() => open(newPanel)}>
            {importing.open}
          </Button>
        )
      }
    >
      <FilteredList
        head={<AreaTabs area="stores" />}
        view="items"
        search={{ ...search, columns: chosen }}
        onSearch={show}
        placeholder={texts.search}
        filters={[
          { key: "kind", label: texts.kind, options: optionsOf(texts.kinds) },
          { key: "status", label: texts.state, isSingle: true, options: optionsOf(texts.states) },
          ...filters
        ]}
        label={texts.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ externalId, storeId }) => ({
          to: "/a/$accountId/stores/items",
          params: { accountId },
          search: { ...search, columns: chosen, shown: externalId, of: storeId ?? "" },
          resetScroll: false
        })}
        empty={
          <EmptyState
            icon="store"
            title={texts.empty}
            action={
              <ButtonAnchor href="/docs/catalogue" target="_blank" rel="noreferrer" iconAfter="external">
                {texts.guide}
              </ButtonAnchor>
            }
          >
            {texts.emptyText}
          </EmptyState>
        }
      />
      {panel === newPanel && mayImport && (
        <Suspense fallback={null}>
          <ItemImport accountId={accountId} onClose={() => open(null)} />
        </Suspense>
      )}
      {shown !== undefined && (
        <Suspense fallback={null}>
          <ItemDialog
            externalId={shown}
            storeId={of ?? null}
            nameOf={nameOf}
            onClose={() => show({ ...search, columns: chosen })}
          />
        </Suspense>
      )}
    </Page>
  )
}
