/**
 * Names with values in rows, which programs get as JSON.
 *
 * @module
 */
import { useId, useState } from "react"
import { useFormat } from "../../../app/reader.tsx"
import { typedOf, valueOf } from "../../../lib/pairs.ts"
import { Button, IconButton } from "../../../parts/form/Button.tsx"
import { Input } from "../../../parts/form/Field.tsx"
import { Row } from "../../../parts/page/Columns.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { Completions } from "../../people/segments/Completions.tsx"
import styles from "./Canvas.module.css"

interface Pair {
  readonly key: number
  readonly name: string
  readonly typed: string
}

type Values = Readonly<Record<string, unknown>>

const noNames: ReadonlyArray<string> = []

let lastKey = 0

/** The rows. The text that was typed is kept as long as it yields the current values. */
export const PairsField = ({
  addLabel,
  error,
  errorOf,
  label,
  names = noNames,
  onChange,
  texts: textNames = noNames,
  values
}: {
  readonly label: string
  readonly addLabel: string
  readonly values: Values
  readonly onChange: (values: Values) => void
  /** Suggested names. */
  readonly names?: ReadonlyArray<string>
  /** The names whose values are always strings. */
  readonly texts?: ReadonlyArray<string>
  readonly error?: string | undefined
  readonly errorOf?: (name: string) => string | undefined
}) => {
  const { flow: texts } = useEditorTexts()
  const format = useFormat()
  const id = useId()
  const pairsOf = (all: Values): ReadonlyArray<Pair> =>
    Object.entries(all).map(([name, value]) => ({
      key: ++lastKey,
      name,
      typed: typedOf(value, textNames.includes(name))
    }))
  const valuesOf = (all: ReadonlyArray<Pair>): Values =>
    Object.fromEntries(
      all.flatMap(({ name, typed }) =>
        name.trim() === "" ? [] : [[name.trim(), valueOf(typed, textNames.includes(name.trim()))]]
      )
    )
  const [pairs, setPairs] = useState(() => pairsOf(values))
  // After an undo, or for another step, the rows are built from the values again.
  const shown = JSON.stringify(valuesOf(pairs)) === JSON.stringify(values) ? pairs : pairsOf(values)
  const set = (next: ReadonlyArray<Pair>) => {
    setPairs(next)
    onChange(valuesOf(next))
  }
  return (
    <div role="group" aria-label={label} className={styles["pairs"]}>
      <p className={styles["label"]}>{label}</p>
      {shown.map((pair, at) => {
        const wrong = errorOf?.(pair.name)
        const number = format.number(at + 1)
        return (
          <div key={pair.key} className={styles["pair"]}>
            <Input
              aria-label={texts.pairName(number)}
              list={id}
              value={pair.name}
              autoComplete="off"
              placeholder={texts.pairNameHint}
              onChange={({ target: { value } }) => set(shown.with(at, { ...pair, name: value }))}
            />
            <Input
              aria-label={texts.pairValue(number)}
              aria-invalid={wrong !== undefined || undefined}
              value={pair.typed}
              autoComplete="off"
              placeholder={texts.pairValueHint}
              onChange={({ target: { value } }) => set(shown.with(at, { ...pair, typed: value }))}
            />
            <IconButton
              icon="trash"
              label={texts.removePair(number)}
              onClick={() => set(shown.toSpliced(at, 1))}
            />
            {wrong !== undefined && (
              <p className={styles["error"]} role="alert">
                {wrong}
              </p>
            )}
          </div>
        )
      })}
      {error !== undefined && (
        <p className={styles["error"]} role="alert">
          {error}
        </p>
      )}
      <Row>
        <Button
          isSmall
          icon="plus"
          onClick={() => setPairs([...shown, { key: ++lastKey, name: "", typed: "" }])}
        >
          {addLabel}
        </Button>
      </Row>
      <Completions id={id} values={names} />
    </div>
  )
}
