/**
 * The steps of a flow as cards from top to bottom, with branches side by side. Everything works with the keyboard: a card is a
 * button, and keys move, copy, paste and delete it.
 *
 * @module
 */
import { type KeyboardEvent, memo, useState } from "react"
import { useFormat } from "../../../app/reader.tsx"
import { classes } from "../../../lib/classes.ts"
import { listsOf, type Place, type Step, stepKinds } from "../../../lib/flow.ts"
import { Menu, MenuItem, MenuLine } from "../../../parts/overlay/Menu.tsx"
import { Icon } from "../../../parts/page/Icon.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import styles from "./Canvas.module.css"

/** The actions on a step. */
export interface CanvasActions {
  readonly select: (place: Place) => void
  readonly add: (place: Place, kind: string) => void
  readonly press: (event: KeyboardEvent, place: Place) => void
  /** Pastes the copied step at a place; null if none was copied. */
  readonly paste: ((place: Place) => void) | null
}

/** What runs or a simulation did at a step. */
export interface Mark {
  readonly text: string
  /** Further notes, one per line. */
  readonly notes?: ReadonlyArray<string>
  /** Whether a person is currently there. */
  readonly isNow: boolean
  readonly isSkipped?: boolean
}

interface CanvasProps {
  readonly steps: ReadonlyArray<Step>
  /** The place of the list within the flow. */
  readonly before?: Place
  /** The selected place, joined by `-`. */
  readonly selected?: string
  /** The one-line summary of each step, by its id. */
  readonly details: ReadonlyMap<string, string>
  /** The ids of steps with errors. */
  readonly wrong?: ReadonlySet<string>
  /** The marks, by step id. */
  readonly marks: ReadonlyMap<string, Mark>
  /** The actions; null if the steps are read-only. */
  readonly actions: CanvasActions | null
}

const none: ReadonlySet<string> = new Set()

/** A place in the form of an element's id. */
export const nameOfPlace = (place: Place): string => place.join("-")

/** The button that adds a step at a place. There is one per step, so its menu is rendered only when opened. */
const Adder = memo(
  ({
    add,
    at,
    isEnd,
    paste
  }: {
    /** The place, joined by `-`. */
    readonly at: string
    /** Whether it is at the end of a list. The buttons between steps are not tab stops; a key of the previous card opens them. */
    readonly isEnd: boolean
    readonly add: CanvasActions["add"]
    readonly paste: CanvasActions["paste"]
  }) => {
    const { flow: texts } = useEditorTexts()
    const [isUsed, setUsed] = useState(false)
    const place = placeOfName(at)
    const attributes = {
      type: "button",
      className: classes(styles["adder"], !isEnd && styles["between"]),
      "aria-label": isEnd ? texts.add : texts.addHere,
      title: isEnd ? texts.add : texts.addHere,
      "data-slot": at,
      tabIndex: isEnd ? 0 : -1
    } as const
    if (!isUsed)
      return (
        <button {...attributes} aria-haspopup="menu" aria-expanded={false} onClick={() => setUsed(true)}>
          <Icon name="plus" />
        </button>
      )
    return (
      <Menu
        startsOpen
        trigger={
          <button {...attributes}>
            <Icon name="plus" />
          </button>
        }
      >
        {paste !== null && (
          <>
            <MenuItem onSelect={() => paste(place)}>{texts.paste}</MenuItem>
            <MenuLine />
          </>
        )}
        {stepKinds.map((kind) => (
          <MenuItem key={kind} onSelect={() => add(place, kind)}>
            {texts.kinds[kind] ?? kind}
          </MenuItem>
        ))}
      </Menu>
    )
  }
)

/** The place in an element's id. */
export const placeOfName = (name: string): Place =>
  name.split("-").map((part, at) => (at % 2 === 0 ? Number(part) : part))

const Card = memo(
  ({
    at,
    detail,
    isNow,
    isSelected,
    isSkipped,
    isWrong,
    kind,
    mark,
    notes,
    press,
    select
  }: {
    readonly kind: string
    readonly at: string
    readonly detail: string
    readonly mark: string | undefined
    readonly notes: ReadonlyArray<string> | undefined
    readonly isNow: boolean
    readonly isSelected: boolean
    readonly isSkipped: boolean
    readonly isWrong: boolean
    readonly select: CanvasActions["select"] | undefined
    readonly press: CanvasActions["press"] | undefined
  }) => {
    const { flow: texts } = useEditorTexts()
    const className = classes(
      styles["card"],
      isSelected && styles["selected"],
      isWrong && styles["wrong"],
      mark !== undefined && styles["marked"],
      isNow && styles["now"],
      isSkipped && styles["skipped"]
    )
    const content = (
      <>
        <strong>{texts.kinds[kind] ?? kind}</strong>
        {detail !== "" && <bdi>{detail}</bdi>}
        {mark !== undefined && <span className={styles["mark"]}>{mark}</span>}
        {notes?.map((note) => (
          <small key={note} className={styles["note"]}>
            {note}
          </small>
        ))}
      </>
    )
    if (select === undefined || press === undefined)
      return (
        <div className={className} data-now={isNow || undefined} aria-current={isNow ? "step" : undefined}>
          {content}
        </div>
      )
    return (
      <button
        type="button"
        className={className}
        data-place={at}
        data-now={isNow || undefined}
        aria-pressed={isSelected}
        onClick={() => select(placeOfName(at))}
        onKeyDown={(event) => press(event, placeOfName(at))}
      >
        {content}
      </button>
    )
  }
)

/** Scrolls a canvas that is wider than its container to the middle, where the first steps are. */
const centre = (list: HTMLElement | null): void => {
  const area = list?.parentElement
  if (!area) return
  const excess = area.scrollWidth - area.clientWidth
  area.scrollLeft = (getComputedStyle(area).direction === "rtl" ? -excess : excess) / 2
}

/** A list of steps. */
export const Canvas = (props: CanvasProps) => {
  const { actions, before = [], details, marks, selected = "", steps, wrong = none } = props
  const { flow: texts } = useEditorTexts()
  const format = useFormat()
  const nameOf = (name: string): string => texts.lists[name] ?? texts.path(format.number(Number(name) + 1))
  return (
    <ol ref={before.length === 0 ? centre : null} className={styles["steps"]}>
      {steps.map((step, index) => {
        const place = [...before, index]
        const at = nameOfPlace(place)
        const lists = listsOf(step)
        const mark = marks.get(step.id)
        return (
          <li key={step.id}>
            {actions !== null && <Adder isEnd={false} at={at} add={actions.add} paste={actions.paste} />}
            <Card
              kind={step.kind}
              at={at}
              detail={details.get(step.id) ?? ""}
              mark={mark?.text}
              notes={mark?.notes}
              isNow={mark?.isNow ?? false}
              isSelected={selected === at}
              isSkipped={mark?.isSkipped ?? false}
              isWrong={wrong.has(step.id)}
              select={actions?.select}
              press={actions?.press}
            />
            {lists.length > 0 && (
              <div className={styles["paths"]}>
                {lists.map(({ name, steps: nested }) => (
                  <div
                    key={name}
                    role="group"
                    aria-label={nameOf(name)}
                    className={styles["path"]}
                    data-end={nameOfPlace([...place, name, nested.length])}
                  >
                    <p>{nameOf(name)}</p>
                    <Canvas {...props} steps={nested} before={[...place, name]} />
                  </div>
                ))}
              </div>
            )}
          </li>
        )
      })}
      {actions !== null && (
        <li>
          <Adder isEnd at={nameOfPlace([...before, steps.length])} add={actions.add} paste={actions.paste} />
        </li>
      )}
    </ol>
  )
}
