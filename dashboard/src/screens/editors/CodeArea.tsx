/**
 * A field for source code, with line numbers, errors at their lines, and completion of Liquid. It is a `textarea`, so the
 * browser's undo, search and spell checking work, and Tab leaves it.
 *
 * @module
 */
import { type KeyboardEvent, type UIEvent, useId, useMemo, useRef, useState } from "react"
import { useFormat } from "../../app/reader.tsx"
import { classes } from "../../lib/classes.ts"
import { completionAt } from "../../lib/liquid.ts"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import styles from "./CodeArea.module.css"

/** An error in a line. */
export interface LineError {
  /** From 1; null if the position is unknown. */
  readonly line: number | null
  readonly message: string
}

/** The line and column of a caret, from 0. */
const placeOf = (text: string, caret: number) => {
  const before = text.slice(0, caret)
  const line = before.split("\n").length - 1
  return { line, column: caret - (before.lastIndexOf("\n") + 1) }
}

/** The most line numbers that are rendered, which is more than are visible. */
const drawnLines = 150

/** The field. */
export const CodeArea = ({
  errors,
  label,
  names,
  onChange,
  value
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly errors: ReadonlyArray<LineError>
  /** The names that Liquid can use here. */
  readonly names: ReadonlyArray<string>
}) => {
  const { template: texts } = useEditorTexts()
  const format = useFormat()
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState<number | null>(null)
  const [chosen, setChosen] = useState(0)
  const [scroll, setScroll] = useState({ left: 0, top: 0, line: 0 })
  const count = useMemo(() => value.split("\n").length, [value])
  const completion = caret === null ? null : completionAt(value, caret, names)
  const at = completion === null ? 0 : Math.min(chosen, completion.options.length - 1)

  const close = () => {
    setCaret(null)
    setChosen(0)
  }

  const accept = (option: string) => {
    const field = area.current
    if (completion === null || field === null || caret === null) return
    onChange(value.slice(0, completion.from) + option + value.slice(caret))
    const end = completion.from + option.length
    close()
    // The selection can only be set after the new text is rendered.
    requestAnimationFrame(() => {
      field.focus()
      field.setSelectionRange(end, end)
    })
  }

  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault()
      setCaret(event.currentTarget.selectionStart)
      return
    }
    if (completion === null) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen((at + step + completion.options.length) % completion.options.length)
    } else if (event.key === "Enter") {
      event.preventDefault()
      accept(completion.options[at]!)
    } else if (event.key === "Escape") {
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  }

  const follow = ({ currentTarget }: UIEvent<HTMLTextAreaElement>) => {
    const { scrollLeft, scrollTop } = currentTarget
    const height = Number.parseFloat(getComputedStyle(currentTarget).lineHeight) || 1
    setScroll({ left: scrollLeft, top: scrollTop, line: Math.floor(scrollTop / height) })
  }

  const wrong = new Set(errors.map(({ line }) => line))
  const place = completion === null ? null : placeOf(value, completion.from)
  return (
    <div className={styles["code"]}>
      <label className={styles["label"]} htmlFor={id}>
        {label}
      </label>
      <div className={styles["frame"]} dir="ltr">
        <div className={styles["numbers"]} aria-hidden="true">
          <div style={{ transform: `translateY(calc(${scroll.line} * var(--code-line) - ${scroll.top}px))` }}>
            {Array.from({ length: Math.min(drawnLines, count - scroll.line) }, (_, index) => {
              const line = scroll.line + index + 1
              return (
                <div key={line} className={classes(wrong.has(line) && styles["wrong"])}>
                  {line}
                </div>
              )
            })}
          </div>
        </div>
        <textarea
          ref={area}
          id={id}
          className={styles["area"]}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          value={value}
          aria-invalid={errors.length > 0 || undefined}
          aria-describedby={`${id}-errors`}
          aria-autocomplete="list"
          aria-controls={completion === null ? undefined : `${id}-options`}
          aria-activedescendant={completion === null ? undefined : `${id}-${at}`}
          onScroll={follow}
          onKeyDown={press}
          onBlur={close}
          onClick={close}
          onChange={({ currentTarget }) => {
            setCaret(currentTarget.selectionStart)
            setChosen(0)
            onChange(currentTarget.value)
          }}
        />
        {completion !== null && place !== null && (
          <div
            id={`${id}-options`}
            role="listbox"
            aria-label={texts.completions}
            className={styles["options"]}
            style={{
              insetBlockStart: `calc(${place.line + 1} * var(--code-line) + var(--space-8) - ${scroll.top}px)`,
              insetInlineStart: `calc(${place.column} * 1ch + var(--code-gutter) - ${scroll.left}px)`
            }}
          >
            {completion.options.map((option, index) => (
              // Keyboard users choose with the arrow keys of the field instead.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
              <div
                key={option}
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === at}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => accept(option)}
              >
                {option}
              </div>
            ))}
          </div>
        )}
      </div>
      <div id={`${id}-errors`} className={styles["below"]}>
        {errors.length === 0 ? (
          <p>{texts.codeHint}</p>
        ) : (
          <ul role="alert" className={styles["errors"]}>
            {errors.map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                {line !== null && <strong>{texts.line(format.number(line))} </strong>}
                {message}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
