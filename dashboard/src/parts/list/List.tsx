/**
 * Lists. Only the visible rows are rendered, pages are read while the user scrolls, and the arrow keys move between rows.
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
  /** The column's name. For a column of buttons, it is only read out by screen readers. */
  readonly head: string
  readonly isHeadHidden?: boolean
  /** A track of the CSS grid, such as `minmax(12rem, 2fr)` or `8rem`. */
  readonly width: string
  readonly cell: (item: Item) => ReactNode
  /** The field by which the column sorts the list. */
  readonly sort?: string
  readonly isEnd?: boolean
  /**
   * The column's position in the two lines of a row in a narrow window: first line, second line, end of the first line, end of
   * both lines (for buttons), or hidden. By default, the first column is the first line, unless another column claims it, and a
   * column with a hidden heading holds buttons.
   */
  readonly narrow?: "first" | "second" | "end" | "action" | "none"
}

/** The selected rows, for bulk actions. */
export interface Selection<Item> {
  readonly keys: ReadonlySet<string>
  readonly onChange: (keys: ReadonlySet<string>) => void
  /** The label of a row's checkbox, for screen readers. */
  readonly nameOf: (item: Item) => string
}

const toggled = (keys: ReadonlySet<string>, key: string): ReadonlySet<string> => {
  const next = new Set(keys)
  if (!next.delete(key)) next.add(key)
  return next
}

/**
 * How many rows are rendered beyond the visible ones (`overscan`), and how many rows before the end the next page is read
 * (`ahead`).
 */
const overscan = 4
const ahead = 15
/** How many grey rows stand for rows that are still loading. */
const placeholders = 12

/**
 * The height of a row in pixels, which must equal `--row`: in a wide window, in a narrow window or with a coarse pointer, and
 * with a picture.
 */
const rowHeights = { wide: 44, narrow: 60, pictured: 84 }

/** The row from which the user left the list, by the entry of the browser's history. After Back, that row has the focus again. */
const left = new Map<unknown, string>()

/** The key of the current history entry. */
const entryOfHistory = (): unknown => (history.state as { readonly __TSR_key?: string } | null)?.__TSR_key

interface RowProps<Item> {
  /** Undefined while the row is loading. */
  readonly item: Item | undefined
  readonly itemKey: string
  readonly index: number
  readonly size: number
  readonly start: number
  /** The grid tracks of the columns; undefined in a narrow window. */
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

/** A row, memoised so that scrolling renders only the rows that come into view. */
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
  /** What the list contains, for screen readers. */
  readonly label: string
  readonly list: ReadList<Item>
  readonly columns: ReadonlyArray<Column<Item>>
  readonly keyOf: (item: Item) => string
  /** The target of a row's link. */
  readonly linkOf?: (item: Item) => LinkProps
  /** Shown if there are no entries at all. */
  readonly empty: ReactNode
  /** Whether rows have a picture. In a wide window, they are then higher. */
  readonly hasPictures?: boolean
  /** Whether filters are active. An empty list then does not mean an empty account. */
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
  // Rows that scroll out of view are reused for those that come into view. The number of slots is that of the visible rows plus
  // the overscan.
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
        // A list whose rows have no links must itself be focusable, so that the keyboard can scroll it.
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
