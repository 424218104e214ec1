/**
 * The fields for what a person has consented to.
 *
 * @module
 */
import { useTexts } from "../../app/reader.tsx"
import { Field, Select, TextArea } from "../../parts/form/Field.tsx"

/** The consent entered. With an empty basis, the consent is not changed. */
export interface ConsentInput {
  readonly basis: string
  readonly text: string
}

/** No change of consent. */
export const noConsent: ConsentInput = { basis: "", text: "" }

/** The consent as the API takes it; null if it is not changed. */
export const consentOf = ({ basis, text }: ConsentInput) =>
  basis === "" ? null : { basis, ...(basis === "Subscribed" ? { proof: { text } } : {}) }

/** The fields. */
export const ConsentFields = ({
  error,
  hint,
  onChange,
  value
}: {
  readonly value: ConsentInput
  readonly onChange: (value: ConsentInput) => void
  readonly hint?: string
  /** The error for the consent text. */
  readonly error?: string | undefined
}) => {
  const { people: texts } = useTexts()
  return (
    <>
      <Field label={texts.basis} hint={hint ?? texts.basisHint}>
        <Select
          value={value.basis}
          onChange={(event) => onChange({ ...value, basis: event.target.value })}
          options={Object.entries(texts.bases).map(([one, label]) => ({ value: one, label }))}
        />
      </Field>
      {value.basis === "Subscribed" && (
        <Field label={texts.proof} hint={texts.proofHint} error={error}>
          <TextArea
            rows={3}
            value={value.text}
            onChange={(event) => onChange({ ...value, text: event.target.value })}
          />
        </Field>
      )}
    </>
  )
}
