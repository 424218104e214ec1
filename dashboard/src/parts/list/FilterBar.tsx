/**
 * The filters of a list, which are kept in the URL: a search text, and values to choose from.
 *
 * @module
 */
import { type ComponentType, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from "react"
import { lazyPart } from "../../app/newVersion.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { isolated } from "../../lib/isolate.ts"
import { type Search, toggleValue, valuesOf } from "../../lib/search.ts"
import { Button } from "../form/Button.tsx"
import { MenuButton } from "../overlay/MenuButton.tsx"
import { Icon } from "../page/Icon.tsx"
import styles from "./FilterBar.module.css"
import type { MoreFiltersProps } from "./MoreFilters.tsx"

/** A filter with values to choose from. */
export interface Filter {
  /** The name of the filter's search parameter. */
  readonly key: string
  readonly label: string
  readonly options: ReadonlyArray<{ readonly value: string; readonly label: string }>
  /** Whether only one value can be chosen. */
  readonly isSingle?: boolean
}

/** Filters that share a dialog instead of having a button each. */
export interface FurtherFilters {
  /** The names of the filters' search parameters. */
  readonly keys: ReadonlyArray<string>
  /** The dialog, which is loaded when it is first opened. */
  readonly Dialog: ComponentType<MoreFiltersProps>
}

const FilterMenu = lazyPart(() => import("./FilterMenu.tsx"), "FilterMenu")

/** The label of a filter's button, with the chosen values. */
const labelOf = ({ label }: Filter, summary: string): string =>
  summary === "" ? label : `${label}: ${summary}`

const noFilters: ReadonlyArray<Filter> = []

/** How long after the last keystroke the list is searched, in milliseconds. */
const restMillis = 200

/** The filters of a list. `search` has the parameters of the URL; `onChange` replaces them. */
export const FilterBar = <S extends Search>({
  children,
  filters = noFilters,
  more,
  onChange,
  placeholder,
  search,
  searchKey = "q"
}: {
  readonly filters?: ReadonlyArray<Filter>
  readonly more?: FurtherFilters
  readonly search: S
  readonly onChange: (search: S) => void
  /** More buttons, after the filters. */
  readonly children?: ReactNode
  /** Names the fields that the text is searched in. */
  readonly placeholder?: string
  readonly searchKey?: string
}) => {
  const texts = useTexts()
  const format = useFormat()
  const [typed, setTyped] = useState(search[searchKey] ?? "")
  const latest = useRef({ onChange, search })
  useEffect(() => {
    latest.current = { onChange, search }
  })
  // The URL may change without typing, for example with Back.
  const [shown, setShown] = useState(search[searchKey] ?? "")
  if (shown !== (search[searchKey] ?? "")) {
    setShown(search[searchKey] ?? "")
    setTyped(search[searchKey] ?? "")
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** Starts the search for the typed text. */
  const apply = useCallback(
    (text: string) => {
      clearTimeout(timer.current)
      const wanted = text.trim() === "" ? undefined : text.trim()
      const { onChange: change, search: current } = latest.current
      if (wanted !== current[searchKey]) change({ ...current, [searchKey]: wanted })
    },
    [searchKey]
  )
  useEffect(() => {
    timer.current = setTimeout(() => apply(typed), restMillis)
    return () => clearTimeout(timer.current)
  }, [apply, typed])
  const [isOpen, setOpen] = useState(false)
  const further = (more?.keys ?? []).filter((key) => search[key] !== undefined)
  const set = (key: string, value: string | undefined) => onChange({ ...search, [key]: value })
  return (
    <div className={styles["bar"]} role="search">
      {placeholder !== undefined && (
        <div className={styles["search"]}>
          <Icon name="search" size={14} />
          <input
            type="search"
            value={typed}
            placeholder={placeholder}
            aria-label={placeholder}
            data-list-search
            dir="auto"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
            // A click elsewhere may leave the list. A search that started later would navigate back to it.
            onBlur={() => apply(typed)}
          />
        </div>
      )}
      {filters.map((filter) => {
        const chosen = valuesOf(search[filter.key])
        const names = filter.options
          .filter(({ value }) => chosen.includes(value))
          .map(({ label }) => isolated(label))
        const summary = names.length > 2 ? String(names.length) : format.list(names)
        return (
          <MenuButton
            key={filter.key}
            button={(open) => (
              <Button isSmall iconAfter="down" aria-haspopup="menu" onClick={open}>
                {labelOf(filter, summary)}
              </Button>
            )}
            menu={
              <FilterMenu
                filter={filter}
                chosen={chosen}
                label={labelOf(filter, summary)}
                onToggle={(value) => {
                  const single = search[filter.key] === value ? undefined : value
                  set(filter.key, filter.isSingle === true ? single : toggleValue(search[filter.key], value))
                }}
                onClear={() => set(filter.key, undefined)}
              />
            }
          />
        )
      })}
      {more !== undefined && (
        <Button isSmall icon="filter" onClick={() => setOpen(true)}>
          {further.length === 0 ? texts.list.moreFilters : `${texts.list.moreFilters} (${further.length})`}
        </Button>
      )}
      {isOpen && more !== undefined && (
        <Suspense fallback={null}>
          <more.Dialog
            search={search}
            onClose={() => setOpen(false)}
            onApply={(values) => onChange({ ...search, ...values })}
          />
        </Suspense>
      )}
      {children}
      {(further.length > 0 || filters.some(({ key }) => search[key] !== undefined)) && (
        <Button
          isSmall
          tone="quiet"
          icon="close"
          onClick={() => {
            const keys = [...filters.map(({ key }) => key), ...further]
            const cleared = Object.fromEntries(keys.map((key) => [key, undefined]))
            onChange({ ...search, ...cleared })
          }}
        >
          {texts.common.clear}
        </Button>
      )}
    </div>
  )
}
