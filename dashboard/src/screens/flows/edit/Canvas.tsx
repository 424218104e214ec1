/**
 * The steps of a flow as cards from top to bottom, laid out by what they are; paths are beside each other. Everything works by
 * keyboard: a card is a button, and its keys move, copy, paste and delete it.
 *
 * @module
 */
import { type KeyboardEvent, memo } from "react"
import { useFormat } from "../../../app/reader.tsx"
import { classes } from "../../../lib/classes.ts"
import { listsOf, type Place, type Step, stepKinds } from "../../../lib/flow.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Menu, MenuItem } from "../../../parts/overlay/Menu.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import styles from "./Canvas.module.css"

/** What is done with a step. */
export interface CanvasActions {
  readonly select: (place: Place) => void
  readonly add: (place: Place, kind: string) => void
  readonly press: (event: KeyboardEvent, place: Place) => void
}

interface CanvasProps extends CanvasActions {
  readonly steps: ReadonlyArray<Step>
  readonly before: Place
  /** The place that is selected, joined by `-`. */
  readonly selected: string
  /** What each step says, by its id. */
  readonly details: ReadonlyMap<string, string>
  /** The ids of steps with an error. */
  readonly wrong: ReadonlySet<string>
  /** What a simulation, or the runs, did at each step, by its id. */
  readonly marks: ReadonlyMap<string, string>
}

const Adder = ({
  add,
  label,
  place
}: {
  readonly place: Place
  readonly label: string
  readonly add: CanvasActions["add"]
}) => {
  const { flow: texts } = useEditorTexts()
  return (
    <Menu
      trigger={
        <Button isSmall tone="quiet" icon="plus" aria-label={label}>
          {texts.add}
        </Button>
      }
    >
      {stepKinds.map((kind) => (
        <MenuItem key={kind} onSelect={() => add(place, kind)}>
          {texts.kinds[kind] ?? kind}
        </MenuItem>
      ))}
    </Menu>
  )
}

const Card = memo(
  ({
    detail,
    isSelected,
    isWrong,
    mark,
    place,
    press,
    select,
    step
  }: {
    readonly step: Step
    readonly place: Place
    readonly detail: string
    readonly mark: string | undefined
    readonly isSelected: boolean
    readonly isWrong: boolean
    readonly select: CanvasActions["select"]
    readonly press: CanvasActions["press"]
  }) => {
    const { flow: texts } = useEditorTexts()
    return (
      <button
        type="button"
        className={classes(
          styles["card"],
          isSelected && styles["selected"],
          isWrong && styles["wrong"],
          mark !== undefined && styles["marked"]
        )}
        data-place={place.join("-")}
        aria-pressed={isSelected}
        onClick={() => select(place)}
        onKeyDown={(event) => press(event, place)}
      >
        <strong>{texts.kinds[step.kind] ?? step.kind}</strong>
        <bdi>{detail}</bdi>
        {mark !== undefined && <span className={styles["mark"]}>{mark}</span>}
      </button>
    )
  },
  (before, after) =>
    before.step === after.step &&
    before.detail === after.detail &&
    before.mark === after.mark &&
    before.isSelected === after.isSelected &&
    before.isWrong === after.isWrong &&
    before.select === after.select &&
    before.press === after.press &&
    before.place.join("-") === after.place.join("-")
)

/** A list of steps. */
export const Canvas = (props: CanvasProps) => {
  const { before, details, marks, selected, steps, wrong, ...actions } = props
  const { flow: texts } = useEditorTexts()
  const format = useFormat()
  const nameOf = (name: string): string => texts.lists[name] ?? texts.path(format.number(Number(name) + 1))
  return (
    <ol className={styles["steps"]}>
      {steps.map((step, at) => {
        const place = [...before, at]
        const lists = listsOf(step)
        return (
          <li key={step.id}>
            <Card
              step={step}
              place={place}
              detail={details.get(step.id) ?? ""}
              mark={marks.get(step.id)}
              isSelected={selected === place.join("-")}
              isWrong={wrong.has(step.id)}
              select={actions.select}
              press={actions.press}
            />
            {lists.length > 0 && (
              <div className={styles["paths"]}>
                {lists.map(({ name, steps: nested }) => (
                  <section key={name} aria-label={nameOf(name)} className={styles["path"]}>
                    <p>{nameOf(name)}</p>
                    <Canvas {...props} steps={nested} before={[...place, name]} />
                  </section>
                ))}
              </div>
            )}
          </li>
        )
      })}
      <li>
        <Adder add={actions.add} place={[...before, steps.length]} label={texts.add} />
      </li>
    </ol>
  )
}
