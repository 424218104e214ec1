/**
 * Inputs for values chosen by name: countries, languages, consent states.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useMemo } from "react"
import { useReader } from "../../../app/reader.tsx"
import { choicesIn, type Choice } from "../../../lib/choices.ts"
import { choiceOf } from "../../../lib/segment.ts"
import { IconButton } from "../../../parts/form/Button.tsx"
import { Select } from "../../../parts/form/Field.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { useCompletions } from "./Completions.tsx"
import styles from "./Segment.module.css"

/** The values of a field. A value that a rule has, but that is no longer on the list, is added. */
const useChoices = (fieldKey: string, chosen: ReadonlyArray<string>): ReadonlyArray<Choice> => {
  const { format, texts } = useReader()
  const choice = choiceOf(fieldKey)
  const known = useCompletions(choice === "Language" ? fieldKey : "", "")
  const choices = useMemo(
    () =>
      choice === "Consent"
        ? optionsOf(texts.people.consents)
        : choicesIn(format.locale, choice === "Country" ? "region" : "language", known),
    [choice, format.locale, known, texts]
  )
  const others = chosen.filter((value) => !choices.some((one) => one.value === value))
  return [...others.map((value) => ({ value, label: value })), ...choices]
}

interface InputProps {
  readonly fieldKey: string
  readonly label: string
  readonly isInvalid: boolean
}

/** A single choice. */
export const ChoiceInput = ({
  fieldKey,
  isInvalid,
  label,
  onChange,
  value
}: InputProps & { readonly value: string; readonly onChange: (value: string) => void }) => {
  const { segment: texts } = useEditorTexts()
  const choices = useChoices(fieldKey, value === "" ? [] : [value])
  return (
    <Select
      aria-label={label}
      aria-invalid={isInvalid || undefined}
      value={value}
      options={value === "" ? [{ value: "", label: texts.chooseValue }, ...choices] : choices}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

/** A multiple choice. */
export const ChoicesInput = ({
  fieldKey,
  isInvalid,
  label,
  onChange,
  values
}: InputProps & {
  readonly values: ReadonlyArray<string>
  readonly onChange: (values: ReadonlyArray<string>) => void
}) => {
  const { segment: texts } = useEditorTexts()
  const choices = useChoices(fieldKey, values)
  const nameOf = (value: string) => choices.find((one) => one.value === value)?.label ?? value
  return (
    <div className={styles["values"]}>
      {values.map((value) => (
        <span key={value} className={styles["chip"]}>
          <bdi>{nameOf(value)}</bdi>
          <IconButton
            isSmall
            icon="close"
            label={texts.removeValue(nameOf(value))}
            onClick={() => onChange(values.filter((one) => one !== value))}
          />
        </span>
      ))}
      <Select
        aria-label={label}
        aria-invalid={isInvalid || undefined}
        value=""
        options={[
          { value: "", label: texts.chooseValue },
          ...choices.filter(({ value }) => !values.includes(value))
        ]}
        onChange={({ target: { value } }) => value !== "" && onChange([...values, value])}
      />
    </div>
  )
}
