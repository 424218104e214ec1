/**
 * The visual composer: a column of blocks, which are added, moved and edited with mouse or keyboard.
 *
 * @module
 */
import { type DragEvent, type KeyboardEvent, useRef, useState } from "react"
import { useFormat } from "../../../app/reader.tsx"
import {
  type Block,
  blockAt,
  type BlockDocument,
  blockKinds,
  columnsOf,
  documentOf,
  moved,
  newBlock,
  pathOf,
  placeBeside,
  type Place,
  relocated,
  sourceOf,
  withAdded,
  withBlock,
  without
} from "../../../lib/blocks.ts"
import { classes } from "../../../lib/classes.ts"
import { changed, historyOf, redone, undone } from "../../../lib/history.ts"
import { Button, IconButton } from "../../../parts/form/Button.tsx"
import { Field, Input } from "../../../parts/form/Field.tsx"
import { Menu, MenuItem } from "../../../parts/overlay/Menu.tsx"
import { Row } from "../../../parts/page/Columns.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { BlockForm } from "./BlockForm.tsx"
import styles from "./Composer.module.css"

const isSame = (a: Place | null, b: Place): boolean => a !== null && a.join() === b.join()

/** The most columns of a block. */
const maxColumns = 3

const defaults = { accent: "#1f4fd8", background: "#f4f5f7", surface: "#ffffff", text: "#1f2933" }

/** The first line of a block's text. */
const summaryOf = (block: Block): string => {
  const said = [block["text"], block["label"], block["alt"], block["itemId"]].find(
    (value) => typeof value === "string" && value !== ""
  )
  return typeof said === "string" ? (said.split("\n")[0] ?? "").slice(0, 80) : ""
}

/** The composer. */
export const Composer = ({
  fields,
  onChange,
  source
}: {
  readonly source: string
  readonly onChange: (source: string) => void
  /** The service's errors, by path. */
  readonly fields: Readonly<Record<string, string>>
}) => {
  const { blocks: texts } = useEditorTexts()
  const format = useFormat()
  const [history, setHistory] = useState(() => historyOf(documentOf(source)))
  const [selected, setSelected] = useState<Place | null>(null)
  const [dragged, setDragged] = useState<Place | null>(null)
  const [over, setOver] = useState<Place | null>(null)
  const root = useRef<HTMLDivElement>(null)
  const document = history.now

  const take = (next: typeof history) => {
    setHistory(next)
    if (next.now !== history.now) onChange(sourceOf(next.now))
  }
  const edit = (next: BlockDocument, run: string | null = null) => take(changed(history, next, run))

  /** Focuses a block's button once it is rendered. */
  const focus = (place: Place | null) => {
    setSelected(place)
    if (place !== null)
      requestAnimationFrame(() =>
        root.current?.querySelector<HTMLElement>(`[data-place="${place.join("-")}"]`)?.focus()
      )
  }

  const add = (at: Place, kind: string) => {
    // New blocks are inserted before the footer, which stays last.
    const isLast = at.length === 1 && at[0] === document.blocks.length
    const place = isLast && document.blocks.at(-1)?.kind === "Footer" ? [at[0]! - 1] : at
    edit(withAdded(document, place, newBlock(kind, texts.samples)))
    focus(place)
  }

  const remove = (place: Place) => {
    edit(without(document, place))
    const last = place.at(-1)!
    focus(last > 0 ? [...place.slice(0, -1), last - 1] : null)
  }

  const moveTo = (place: Place, to: Place | null) => {
    if (to === null) return
    const next = relocated(document, place, to)
    if (sourceOf(next.document) === sourceOf(document)) return
    edit(next.document)
    focus(next.place)
  }

  /** Moves a block up or down. At the end of a column, it moves out of it. */
  const move = (place: Place, by: -1 | 1) => {
    const next = moved(document, place, by)
    if (next.document === document) {
      if (place.length > 1) moveTo(place, [place[0]! + (by < 0 ? 0 : 1)])
      return
    }
    edit(next.document)
    focus(next.place)
  }

  const press = (event: KeyboardEvent) => {
    const isCommand = event.ctrlKey || event.metaKey
    // In a field, the browser's own undo applies to the typed text.
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
    if (isCommand && !isTyping && event.key.toLowerCase() === "z") {
      event.preventDefault()
      take(event.shiftKey ? redone(history) : undone(history))
    } else if (isCommand && !isTyping && event.key.toLowerCase() === "y") {
      event.preventDefault()
      take(redone(history))
    }
  }

  /** Where a block dragged over another would be inserted. */
  const placeOver = (event: DragEvent, place: Place, isEnd: boolean): Place => {
    const { height, top } = event.currentTarget.getBoundingClientRect()
    return isEnd || event.clientY < top + height / 2 ? place : [...place.slice(0, -1), place.at(-1)! + 1]
  }

  /** The handlers that accept a block dragged onto another, or onto the end of a list. */
  const dropsAt = (place: Place, isEnd = false) => ({
    "data-drop": over !== null && isSame(over, place) ? "" : undefined,
    onDragOver: (event: DragEvent) => {
      if (dragged === null) return
      event.preventDefault()
      event.stopPropagation()
      const to = placeOver(event, place, isEnd)
      if (!isSame(over, to)) setOver(to)
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      event.stopPropagation()
      setDragged(null)
      setOver(null)
      if (dragged !== null) moveTo(dragged, placeOver(event, place, isEnd))
    }
  })

  const errorsOf = (place: Place) => {
    const path = pathOf(place)
    return (field: string): string | undefined => fields[`${path}.${field}`]
  }

  const hasError = (place: Place): boolean =>
    Object.keys(fields).some((field) => field.startsWith(`${pathOf(place)}.`) || field === pathOf(place))

  const adder = (place: Place) => (
    <div className={styles["adder"]} {...dropsAt(place, true)}>
      <Menu
        trigger={
          <Button isSmall icon="plus">
            {texts.add}
          </Button>
        }
      >
        {blockKinds
          .filter((kind) => place.length === 1 || kind !== "Columns")
          .map((kind) => (
            <MenuItem key={kind} onSelect={() => add(place, kind)}>
              {texts.kinds[kind] ?? kind}
            </MenuItem>
          ))}
      </Menu>
    </div>
  )

  const shown = (block: Block, place: Place) => {
    const isOpen = isSame(selected, place)
    const name = texts.block(format.number(place.at(-1)! + 1), texts.kinds[block.kind] ?? block.kind)
    const columns = columnsOf(block)
    return (
      <li
        key={place.join("-")}
        className={classes(
          styles["block"],
          isOpen && styles["open"],
          isSame(dragged, place) && styles["dragged"]
        )}
        {...dropsAt(place)}
      >
        <div className={styles["head"]}>
          <span
            className={styles["handle"]}
            draggable
            title={texts.drag}
            aria-hidden="true"
            onDragStart={() => setDragged(place)}
            onDragEnd={() => {
              setDragged(null)
              setOver(null)
            }}
          >
            ⠿
          </span>
          <button
            type="button"
            className={styles["name"]}
            data-place={place.join("-")}
            aria-expanded={isOpen}
            onClick={() => setSelected(isOpen ? null : place)}
            onKeyDown={(event) => {
              const isFromRight = getComputedStyle(event.currentTarget).direction === "rtl"
              if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
                event.preventDefault()
                move(place, event.key === "ArrowUp" ? -1 : 1)
              } else if (event.altKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
                event.preventDefault()
                const by = (event.key === "ArrowRight") === isFromRight ? -1 : 1
                moveTo(place, placeBeside(document, place, by))
              } else if (event.key === "Delete") remove(place)
            }}
          >
            <strong>{name}</strong>
            <bdi>{summaryOf(block)}</bdi>
          </button>
          {isOpen && (
            <Row>
              <IconButton isSmall icon="up" label={texts.up} onClick={() => move(place, -1)} />
              <IconButton isSmall icon="down" label={texts.down} onClick={() => move(place, 1)} />
              <IconButton
                isSmall
                icon="copy"
                label={texts.copy}
                onClick={() => edit(withAdded(document, place, blockAt(document, place) ?? block))}
              />
              <IconButton isSmall icon="trash" label={texts.remove} onClick={() => remove(place)} />
            </Row>
          )}
        </div>
        {hasError(place) && !isOpen && (
          <p className={styles["error"]} role="alert">
            {Object.entries(fields).find(([field]) => field.startsWith(pathOf(place)))?.[1]}
          </p>
        )}
        {isOpen && block.kind !== "Columns" && (
          <BlockForm
            block={block}
            errorOf={errorsOf(place)}
            onChange={(next, run) =>
              edit(withBlock(document, place, next), run === null ? null : `${place.join()} ${run}`)
            }
          />
        )}
        {block.kind === "Columns" && (
          <>
            <div className={styles["columns"]}>
              {columns.map((column, at) => (
                // Columns have no ids, and their order never changes.
                // oxlint-disable-next-line react/no-array-index-key
                <section key={at} aria-label={texts.column(format.number(at + 1))}>
                  <ul className={styles["list"]}>
                    {column.map((one, within) => shown(one, [place[0]!, at, within]))}
                  </ul>
                  {adder([place[0]!, at, column.length])}
                </section>
              ))}
            </div>
            {isOpen && (
              <Row>
                <Button
                  isSmall
                  disabled={columns.length >= maxColumns}
                  onClick={() => edit(withBlock(document, place, { ...block, columns: [...columns, []] }))}
                >
                  {texts.addColumn}
                </Button>
                <Button
                  isSmall
                  disabled={columns.length <= 1}
                  onClick={() =>
                    edit(withBlock(document, place, { ...block, columns: columns.slice(0, -1) }))
                  }
                >
                  {texts.removeColumn}
                </Button>
              </Row>
            )}
          </>
        )}
      </li>
    )
  }

  return (
    // The keys are handled for the buttons inside.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div ref={root} className={styles["composer"]} onKeyDown={press}>
      <Row>
        <IconButton
          icon="undo"
          label={texts.undo}
          disabled={history.past.length === 0}
          onClick={() => take(undone(history))}
        />
        <IconButton
          icon="redo"
          label={texts.redo}
          disabled={history.future.length === 0}
          onClick={() => take(redone(history))}
        />
      </Row>
      <p className={styles["soft"]}>{document.blocks.length === 0 ? texts.empty : texts.keys}</p>
      <ul className={styles["list"]} aria-label={texts.title}>
        {document.blocks.map((block, at) => shown(block, [at]))}
      </ul>
      {adder([document.blocks.length])}
      <fieldset className={styles["colors"]}>
        <legend>{texts.colors}</legend>
        {Object.entries(defaults).map(([name, color]) => (
          <Field key={name} label={texts.colorNames[name] ?? name} error={fields[`source.colors.${name}`]}>
            <Input
              type="color"
              value={document.colors?.[name] ?? color}
              onChange={({ target: { value } }) =>
                edit(
                  { ...document, colors: { ...defaults, ...document.colors, [name]: value } },
                  `color ${name}`
                )
              }
            />
          </Field>
        ))}
      </fieldset>
    </div>
  )
}
