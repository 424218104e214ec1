/**
 * The segment trigger of a flow: the segment, whether people enter or leave it, and whether publishing starts the flow for
 * current members.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useExtra } from "../../../api/queries.ts"
import { useAccount } from "../../../app/session.ts"
import { Checkbox, Field, Select } from "../../../parts/form/Field.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"

/** The trigger of a flow, with the fields of each kind. */
export interface Trigger {
  readonly kind: string
  readonly name?: string
  readonly filter?: unknown
  readonly segmentId?: string
  readonly on?: string
  readonly includePresent?: boolean
}

/** The most segments that an account can have, including built-in ones. */
const maxSegments = 200

/** The fields of the trigger. */
export const SegmentTrigger = ({
  fields,
  onChange,
  trigger
}: {
  readonly trigger: Trigger
  /** Errors by field. */
  readonly fields: Readonly<Record<string, string>>
  readonly onChange: (trigger: Trigger) => void
}) => {
  const { flow: texts } = useEditorTexts()
  const { id: accountId } = useAccount()
  const query = { limit: maxSegments }
  const segments =
    useExtra("GET /accounts/:accountId/segments", { params: { accountId }, query })?.items ?? []
  const { includePresent = false, on = "Enter", segmentId = "" } = trigger
  return (
    <>
      <Field label={texts.segment} error={fields["trigger.segmentId"]}>
        <Select
          value={segmentId}
          options={[
            { value: "", label: texts.chooseSegment },
            ...segments.map(({ id, name }) => ({ value: id, label: name }))
          ]}
          onChange={({ target: { value } }) => onChange({ ...trigger, segmentId: value })}
        />
      </Field>
      <Field label={texts.moved} error={fields["trigger.on"]}>
        <Select
          value={on}
          options={optionsOf(texts.moves)}
          onChange={({ target: { value } }) =>
            onChange({ ...trigger, on: value, includePresent: value === "Enter" && includePresent })
          }
        />
      </Field>
      {on === "Enter" && (
        <Checkbox
          label={texts.includePresent}
          checked={includePresent}
          onChange={({ target: { checked } }) => onChange({ ...trigger, includePresent: checked })}
        />
      )}
    </>
  )
}
