/**
 * The steps of a flow as cards from top to bottom, laid out by what they are; paths are beside each other. Everything works by
 * keyboard: a card is a button, and its keys move, copy, paste and delete it.
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

/** What is done with a step. */
export interface CanvasActions {
  readonly select: (place: Place) => void
  readonly add: (place: Place, kind: string) => void
  readonly press: (event: KeyboardEvent, place: Place) => void
  /** Puts what was copied at a place; null where nothing was. */
  readonly paste: ((place: Place) => void) | null
}

/** What a simulation, or runs, did at a step. */
export interface Mark {
  readonly text: string
  /** What else there is to say of it, line by line. */
  readonly notes?: ReadonlyArray<string>
  /** Whether a person is there now. */
  readonly isNow: boolean
  readonly isSkipped?: boolean
}

interface CanvasProps {
  readonly steps: ReadonlyArray<Step>
  /** The place of the list. */
  readonly before?: Place
  /** The place that is selected, joined by `-`. */
  readonly selected?: string
  /** What each step says, by its id. */
  readonly details: ReadonlyMap<string, string>
  /** The ids of steps with an error. */
  readonly wrong?: ReadonlySet<string>
  /** By the id of a step. */
  readonly marks: ReadonlyMap<string, Mark>
  /** What can be done; null where the steps are only shown. */
  readonly actions: CanvasActions | null
}

const none: ReadonlySet<string> = new Set()

/** The name of a place in the document. */
export const nameOfPlace = (place: Place): string => place.join("-")

/** Adds a step at a place. Its menu is made when it is opened, since there are as many as steps. */
const Adder = memo(
  ({
    add,
    at,
    isEnd,
    paste
  }: {
    /** The place, joined by `-`. */
    readonly at: string
    /** Whether it ends a list; one between steps is reached by a key of the step before it. */
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

/** The place of a name. */
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

/** Shows the middle of a canvas that is wider than its place, where the first steps are. */
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
