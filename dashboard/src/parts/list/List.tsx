/**
 * Lists: rows that are drawn only where they are seen, read page by page while one scrolls, moved between by the arrow keys.
 *
 * @module
 */
import { Link, type LinkProps } from "@tanstack/react-router"
import { useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, memo, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react"
import type { List as ReadList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { classes } from "../../lib/classes.ts"
import { narrow, useMedia } from "../../lib/media.ts"
import { nextSort } from "../../lib/search.ts"
import { Tick } from "../form/Tick.tsx"
import { ErrorBanner } from "../page/Banner.tsx"
import { Icon } from "../page/Icon.tsx"
import { Skeleton } from "../page/Empty.tsx"
import styles from "./List.module.css"

/** A column. */
export interface Column<Item> {
  readonly key: string
  /** Its name; one of actions is named for screen readers alone. */
  readonly head: string
  readonly isHeadHidden?: boolean
  /** A track of a grid, such as `minmax(12rem, 2fr)` or `8rem`. */
  readonly width: string
  readonly cell: (item: Item) => ReactNode
  /** The field by which the list can be sorted. */
  readonly sort?: string
  readonly isEnd?: boolean
  /**
   * Where it is in the two lines of a narrow window: the first line, the second, at the end of the first, at the end of both
   * for buttons, or nowhere. The first column is the first line unless another is; one whose head is hidden has buttons.
   */
  readonly narrow?: "first" | "second" | "end" | "action" | "none"
}

/** Rows that are chosen, for actions on several. */
export interface Selection<Item> {
  readonly keys: ReadonlySet<string>
  readonly onChange: (keys: ReadonlySet<string>) => void
  /** Names a row's box for screen readers. */
  readonly nameOf: (item: Item) => string
}

const toggled = (keys: ReadonlySet<string>, key: string): ReadonlySet<string> => {
  const next = new Set(keys)
  if (!next.delete(key)) next.add(key)
  return next
}

/** How many rows beyond those that are seen are drawn, and before the end the next page is read. */
const overscan = 4
const ahead = 15
/** How many grey rows stand for those that are not read yet. */
const placeholders = 12

/** The height of a row in pixels, by the width of the window and the pointer: `--row`; of one with a picture. */
const rowHeights = { wide: 44, narrow: 60, pictured: 84 }

/** The rows by which one left, by the entry of the browser's history: going back, one is there again. */
const left = new Map<unknown, string>()

/** The entry of the history that is shown. */
const entryOfHistory = (): unknown => (history.state as { readonly __TSR_key?: string } | null)?.__TSR_key

interface RowProps<Item> {
  /** Undefined for one that is not read yet. */
  readonly item: Item | undefined
  readonly itemKey: string
  readonly index: number
  readonly size: number
  readonly start: number
  /** The tracks of the columns; undefined in a narrow window. */
  readonly template: string | undefined
  readonly columns: ReadonlyArray<Column<Item>>
  readonly linkOf: ((item: Item) => LinkProps) | undefined
  readonly selection: Selection<Item> | undefined
  readonly isSelected: boolean
}

const PlainRow = <Item,>({
  columns,
  index,
  isSelected,
  item,
  itemKey,
  linkOf,
  selection,
  size,
  start,
  template
}: RowProps<Item>) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    data-row={index}
    className={classes(
      styles["row"],
      item !== undefined && linkOf !== undefined && styles["isLink"],
      template === undefined && styles["isNarrow"],
      selection !== undefined && styles["isSelectable"],
      isSelected && styles["isSelected"]
    )}
    style={{
      height: size,
      transform: `translateY(${start}px)`,
      ...(template === undefined ? {} : { gridTemplateColumns: template })
    }}
  >
    {selection !== undefined && (
      <div role="cell" className={styles["check"]}>
        {item !== undefined && (
          <Tick
            label={selection.nameOf(item)}
            checked={isSelected}
            onChange={() => selection.onChange(toggled(selection.keys, itemKey))}
          />
        )}
      </div>
    )}
    {columns.map(
      ({ cell, isEnd, isHeadHidden, key, narrow: line = isHeadHidden === true ? "action" : "none" }, at) => {
        const content = item === undefined ? <Skeleton width={at === 0 ? "60%" : "40%"} /> : cell(item)
        const isFocus = at === 0 && item !== undefined && linkOf !== undefined
        return (
          <div
            key={key}
            role="cell"
            className={classes(
              styles["cell"],
              isEnd && styles["isEnd"],
              at === 0 && styles["name"],
              styles[at === 0 && line === "none" ? "first" : line]
            )}
          >
            {isFocus ? (
              <Link
                {...linkOf(item)}
                onClick={() => left.set(entryOfHistory(), itemKey)}
                className={styles["link"]}
                data-row-focus
                tabIndex={index === 0 ? 0 : -1}
              >
                {content}
              </Link>
            ) : (
              content
            )}
          </div>
        )
      }
    )}
  </div>
)

/** A row. While one scrolls, only those that come into sight are drawn. */
const Row = memo(PlainRow) as typeof PlainRow

/** A list. */
export const List = <Item,>({
  columns,
  empty,
  hasPictures = false,
  isFiltered = false,
  keyOf,
  label,
  linkOf,
  list,
  onReset,
  onSort,
  selection,
  sort
}: {
  /** What the list is of, for screen readers. */
  readonly label: string
  readonly list: ReadList<Item>
  readonly columns: ReadonlyArray<Column<Item>>
  readonly keyOf: (item: Item) => string
  /** Where a row leads. */
  readonly linkOf?: (item: Item) => LinkProps
  /** What is shown where there is no entry at all. */
  readonly empty: ReactNode
  /** Whether rows have a picture, and the height for it where the window is wide. */
  readonly hasPictures?: boolean
  /** Whether filters hide entries, so that an empty list is another than an empty account. */
  readonly isFiltered?: boolean
  readonly onReset?: () => void
  /** Makes the rows selectable. */
  readonly selection?: Selection<Item>
  readonly sort?: string | undefined
  readonly onSort?: (sort: string | undefined) => void
}) => {
  const texts = useTexts()
  const format = useFormat()
  const isNarrow = useMedia(narrow)
  const rowHeight = rowHeights[isNarrow ? "narrow" : hasPictures ? "pictured" : "wide"]
  const scroller = useRef<HTMLDivElement>(null)
  const { error, hasMore, isLoading, items, loadMore, reload, total } = list
  const shown = items.length + (isLoading ? placeholders : hasMore ? 3 : 0)
  const rows = useVirtualizer({
    count: shown,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan
  })
  // Rows that leave sight become those that come into it: as many are drawn as are seen at once.
  const slots = Math.ceil((rows.scrollRect?.height ?? 0) / rowHeight) + 1 + 2 * overscan
  const last = rows.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (!isLoading && last >= items.length - ahead) loadMore()
  }, [isLoading, items.length, last, loadMore])
  useEffect(() => rows.measure(), [isNarrow, rows])
  const focusableOf = (at: number) =>
    scroller.current?.querySelector<HTMLElement>(`[data-row="${at}"] [data-row-focus]`)
  const [returnedTo] = useState(() => left.get(entryOfHistory()))
  const returnedAt = returnedTo === undefined ? -1 : items.findIndex((item) => keyOf(item) === returnedTo)
  const isFound = returnedAt >= 0
  const returnFocus = useEffectEvent(() => {
    rows.scrollToIndex(returnedAt)
    requestAnimationFrame(() => {
      if (document.activeElement?.closest("a, button, input, [role=dialog]") == null)
        focusableOf(returnedAt)?.focus({ preventScroll: true })
    })
  })
  useEffect(() => {
    if (isFound) returnFocus()
  }, [isFound])

  const move = (event: KeyboardEvent) => {
    const { activeElement } = document
    const at = Number(activeElement?.closest("[data-row]")?.getAttribute("data-row") ?? Number.NaN)
    if (Number.isNaN(at) || activeElement?.hasAttribute("data-row-focus") !== true) return
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key]
    if (target === undefined || target < 0 || target >= items.length) return
    event.preventDefault()
    const row = focusableOf(target)
    rows.scrollToIndex(target)
    if (row == null) requestAnimationFrame(() => focusableOf(target)?.focus({ preventScroll: true }))
    else row.focus({ preventScroll: true })
  }

  if (!isLoading && error === null && items.length === 0) {
    return isFiltered ? (
      <div className={styles["noMatch"]}>
        <h2>{texts.list.noMatch}</h2>
        <p>{texts.list.noMatchText}</p>
        {onReset !== undefined && (
          <button type="button" className={styles["reset"]} onClick={onReset}>
            {texts.common.reset}
          </button>
        )}
      </div>
    ) : (
      empty
    )
  }

  const template = [
    ...(selection === undefined ? [] : ["1.125rem"]),
    ...columns.map(({ width }) => width)
  ].join(" ")
  const chosen = selection === undefined ? 0 : items.filter((item) => selection.keys.has(keyOf(item))).length
  return (
    <div className={styles["frame"]}>
      {error !== null && (
        <div className={styles["error"]}>
          <ErrorBanner error={error} onRetry={reload} />
        </div>
      )}
      <div
        ref={scroller}
        className={styles["scroller"]}
        onKeyDown={move}
        role="table"
        aria-label={label}
        aria-rowcount={total === null ? -1 : total.count + 1}
        aria-busy={isLoading || undefined}
        // Where rows have no links, the keyboard scrolls it by itself.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={linkOf === undefined || items.length === 0 ? 0 : -1}
      >
        <div role="rowgroup" className={styles["head"]}>
          <div role="row" className={styles["row"]} style={isNarrow ? {} : { gridTemplateColumns: template }}>
            {selection !== undefined && (
              <div role="columnheader" className={styles["check"]}>
                <Tick
                  label={texts.list.selectAll}
                  checked={items.length > 0 && chosen === items.length}
                  isPartial={chosen > 0 && chosen < items.length}
                  onChange={() =>
                    selection.onChange(
                      chosen === items.length ? new Set() : new Set(items.map((item) => keyOf(item)))
                    )
                  }
                />
              </div>
            )}
            {columns.map(({ head, isEnd, isHeadHidden = false, key, sort: field }) => (
              <div
                key={key}
                role="columnheader"
                className={classes(styles["cell"], isEnd && styles["isEnd"])}
                aria-sort={
                  sort === field && field !== undefined
                    ? "ascending"
                    : sort === `-${field}`
                      ? "descending"
                      : undefined
                }
              >
                {field === undefined || onSort === undefined ? (
                  <span className={isHeadHidden ? styles["hidden"] : undefined}>{head}</span>
                ) : (
                  <button
                    type="button"
                    className={styles["sort"]}
                    title={texts.common.sortBy(head)}
                    onClick={() => onSort(nextSort(sort, field))}
                  >
                    {head}
                    {sort === field && <Icon name="up" size={12} />}
                    {sort === `-${field}` && <Icon name="down" size={12} />}
                  </button>
                )}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className={styles["body"]} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, size, start }) => {
            const item = items[index]
            const key = item === undefined ? `loading ${index}` : keyOf(item)
            return (
              <Row
                key={index % slots}
                item={item}
                itemKey={key}
                index={index}
                size={size}
                start={start}
                template={isNarrow ? undefined : template}
                columns={columns}
                linkOf={linkOf}
                selection={selection}
                isSelected={item !== undefined && selection?.keys.has(key) === true}
              />
            )
          })}
        </div>
      </div>
      <p className={styles["foot"]} role="status">
        {total !== null &&
          (total.isExact
            ? texts.list.count(format.number(total.count), total.count)
            : texts.list.about(format.number(total.count)))}
      </p>
    </div>
  )
}
