/**
 * A multiple choice: checkboxes with a heading, in a grid.
 *
 * @module
 */
import { Checkbox } from "./Field.tsx"
import styles from "./Choices.module.css"

/** Checkboxes of which any number may be ticked. */
export const Choices = ({
  error,
  label,
  onChange,
  options,
  values
}: {
  readonly label: string
  readonly options: ReadonlyArray<{ readonly value: string; readonly label: string; readonly hint?: string }>
  readonly values: ReadonlySet<string>
  readonly onChange: (values: ReadonlySet<string>) => void
  readonly error?: string | undefined
}) => (
  <fieldset className={styles["choices"]}>
    <legend>{label}</legend>
    {options.map(({ hint, label: name, value }) => (
      <Checkbox
        key={value}
        label={name}
        {...(hint === undefined ? {} : { hint })}
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
