/**
 * A multiple choice: checkboxes with a heading, in a grid.
 *
 * @module
 */
import { useId } from "react"
import { Checkbox } from "./Field.tsx"
import styles from "./Choices.module.css"

/** Checkboxes of which any number may be ticked. */
export const Choices = ({
  error,
  hint,
  label,
  onChange,
  options,
  values
}: {
  readonly label: string
  readonly options: ReadonlyArray<{ readonly value: string; readonly label: string; readonly hint?: string }>
  readonly values: ReadonlySet<string>
  readonly onChange: (values: ReadonlySet<string>) => void
  readonly hint?: string
  readonly error?: string | undefined
}) => {
  const id = useId()
  return (
    <fieldset className={styles["choices"]} aria-describedby={hint === undefined ? undefined : id}>
      <legend>{label}</legend>
      {hint !== undefined && (
        <p id={id} className={styles["hint"]}>
          {hint}
        </p>
      )}
      {options.map(({ hint: more, label: name, value }) => (
        <Checkbox
          key={value}
          label={name}
          {...(more === undefined ? {} : { hint: more })}
          checked={values.has(value)}
          onChange={() => {
            const next = new Set(values)
            if (!next.delete(value)) next.add(value)
            onChange(next)
          }}
        />
      ))}
      {error !== undefined && (
        <p className={styles["error"]} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
