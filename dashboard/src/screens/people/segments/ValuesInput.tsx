/**
 * An input for several strings. Enter adds one, and its button removes it. Existing values are suggested.
 *
 * @module
 */
import { useId, useState } from "react"
import { Button, IconButton } from "../../../parts/form/Button.tsx"
import { Input } from "../../../parts/form/Field.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import styles from "./Segment.module.css"
import { Completions, useCompletions } from "./Completions.tsx"

/** The input. */
export const ValuesInput = ({
  fieldKey,
  isInvalid,
  label,
  onChange,
  values
}: {
  readonly fieldKey: string
  readonly label: string
  readonly values: ReadonlyArray<string>
  readonly onChange: (values: ReadonlyArray<string>) => void
  readonly isInvalid: boolean
}) => {
  const { segment: texts } = useEditorTexts()
  const [typed, setTyped] = useState("")
  const id = useId()
  const completions = useCompletions(fieldKey, typed)
  const add = () => {
    const value = typed.trim()
    if (value === "") return
    if (!values.includes(value)) onChange([...values, value])
    setTyped("")
  }
  return (
    <div className={styles["values"]}>
      {values.map((value) => (
        <span key={value} className={styles["chip"]}>
          <bdi>{value}</bdi>
          <IconButton
            isSmall
            icon="close"
            label={texts.removeValue(value)}
            onClick={() => onChange(values.filter((one) => one !== value))}
          />
        </span>
      ))}
      <span className={styles["adding"]}>
        <Input
          aria-label={label}
          aria-invalid={isInvalid || undefined}
          list={id}
          value={typed}
          autoComplete="off"
          placeholder={texts.valuesHint}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.nativeEvent.isComposing) {
              event.preventDefault()
              add()
            } else if (event.key === "Backspace" && typed === "" && values.length > 0) {
              onChange(values.slice(0, -1))
            }
          }}
        />
        {typed.trim() !== "" && (
          <Button isSmall onClick={add}>
            {texts.addValue}
          </Button>
        )}
      </span>
      <Completions id={id} values={completions.filter((value) => !values.includes(value))} />
    </div>
  )
}
