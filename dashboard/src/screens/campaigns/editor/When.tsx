/**
 * When a campaign is sent.
 *
 * @module
 */
import { useFormat } from "../../../app/reader.tsx"
import { Field, Fields, Input, Select } from "../../../parts/form/Field.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import type { PartProps } from "./part.ts"

const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

/** The part. */
export const When = ({ draft, errorOf, isReadOnly, set }: PartProps) => {
  const texts = useCampaignTexts()
  const { timeZone } = useFormat()
  const { at, late, localTime, when } = draft
  return (
    <Fields>
      <Field
        label={texts.when.when}
        hint={when === "Launch" ? texts.when.launchHint : undefined}
        error={when === "Launch" ? errorOf("schedule") : undefined}
      >
        <Select
          value={when}
          disabled={isReadOnly}
          onChange={(event) => set({ when: event.target.value as typeof when })}
          options={optionsOf(texts.when.options)}
        />
      </Field>
      {when === "Time" && (
        <Field label={texts.when.at} hint={texts.when.atHint(timeZone)} error={errorOf("schedule")}>
          <Input
            type="datetime-local"
            value={at}
            disabled={isReadOnly}
            onChange={(event) => set({ at: event.target.value })}
          />
        </Field>
      )}
      {when === "LocalTime" && (
        <>
          <Field
            label={texts.when.localTime}
            hint={texts.when.localHint}
            error={errorOf("schedule.localTime", "schedule")}
          >
            <Input
              type="datetime-local"
              value={localTime}
              disabled={isReadOnly}
              onChange={(event) => set({ localTime: event.target.value })}
            />
          </Field>
          <Field label={texts.when.late}>
            <Select
              value={late}
              disabled={isReadOnly}
              onChange={(event) => set({ late: event.target.value as typeof late })}
              options={optionsOf(texts.when.lates)}
            />
          </Field>
        </>
      )}
    </Fields>
  )
}
