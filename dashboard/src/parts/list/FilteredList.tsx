/**
 * A list with its filters above it. Filters, order and columns are in the URL, and can be saved as views.
 *
 * @module
 */
import type { ComponentProps, ReactNode } from "react"
import { hasFilters, type Search } from "../../lib/search.ts"
import { shownColumns } from "../../lib/view.ts"
import { type Filter, FilterBar, type FurtherFilters } from "./FilterBar.tsx"
import { List } from "./List.tsx"
import { ViewButton, type Viewed } from "./ViewButton.tsx"

type ListProps<Item> = ComponentProps<typeof List<Item>>

/** The filters and the list. */
export const FilteredList = <Item,>({
  bar = false,
  columns,
  filters,
  head,
  isSortable = true,
  more,
  onSearch,
  placeholder,
  search: { columns: chosen, ...search },
  view,
  ...list
}: Omit<ListProps<Item>, "isFiltered" | "onReset" | "onSort" | "sort"> & {
  /** Content above the filters, such as tabs. */
  readonly head?: ReactNode
  /** Names the fields that are searched. */
  readonly placeholder: string
  readonly filters: ReadonlyArray<Filter>
  readonly more?: FurtherFilters
  /** Replaces the filters; false for none. */
  readonly bar?: ReactNode
  /** The key under which the list's views are saved. */
  readonly view: Viewed["list"]
  /** The parameters of the URL, including `columns`. */
  readonly search: Search
  readonly onSearch: (search: Search) => void
  readonly isSortable?: boolean
}) => {
  const set = (next: Search) => onSearch({ ...next, columns: chosen })
  return (
    <>
      <div>
        {head}
        {bar !== false ? (
          bar
        ) : (
          <FilterBar
            search={search}
            onChange={set}
            placeholder={placeholder}
            filters={filters}
            {...(more === undefined ? {} : { more })}
          >
            <ViewButton
              list={view}
              search={{ ...search, columns: chosen }}
              columns={columns}
              onShow={onSearch}
            />
          </FilterBar>
        )}
      </div>
      <List
        {...list}
        columns={shownColumns(columns, chosen)}
        {...(isSortable
          ? { sort: search["sort"], onSort: (sort) => set({ ...search, sort: sort ?? "" }) }
          : {})}
        isFiltered={hasFilters(search)}
        onReset={() => set({})}
      />
    </>
  )
}
