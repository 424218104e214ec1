/**
 * The step for when a campaign is sent.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useFormat } from "../../../app/reader.tsx"
import { weekdayOf } from "../../../lib/campaigns/names.ts"
import { Choices } from "../../../parts/form/Choices.tsx"
import { Beside, Checkbox, Field, Fields, Input, Select } from "../../../parts/form/Field.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import styles from "./Editor.module.css"
import type { PartProps } from "./part.ts"

/** The pace, the sending window, and the limits that apply to the campaign. */
const Bounds = ({ draft, errorOf, isReadOnly, set }: PartProps) => {
  const texts = useCampaignTexts()
  const { locale } = useFormat()
  const { cappedHours, hasWindow, pace, pacePer, quietHours, whenCapped, windowDays, windowFrom, windowTo } =
    draft
  return (
    <>
      <Section title={texts.pace.title} text={texts.pace.hint}>
        <Fields>
          <Beside>
            <Field label={texts.pace.emails} isOptional error={errorOf("pace")}>
              <Input
                inputMode="numeric"
                value={pace}
                disabled={isReadOnly}
                onChange={(event) => set({ pace: event.target.value })}
              />
            </Field>
            {pace.trim() !== "" && (
              <Field label={texts.pace.per}>
                <Select
                  value={pacePer}
                  disabled={isReadOnly}
                  onChange={(event) => set({ pacePer: event.target.value })}
                  options={optionsOf(texts.pace.units)}
                />
              </Field>
            )}
          </Beside>
        </Fields>
      </Section>
      <Section title={texts.window.title}>
        <Fields>
          <Checkbox
            label={texts.window.on}
            hint={texts.window.hint}
            checked={hasWindow}
            disabled={isReadOnly}
            onChange={(event) => set({ hasWindow: event.target.checked })}
          />
          {hasWindow && (
            <>
              <Beside>
                <Field label={texts.window.from} error={errorOf("window.from")}>
                  <Input
                    type="time"
                    value={windowFrom}
                    disabled={isReadOnly}
                    onChange={(event) => set({ windowFrom: event.target.value })}
                  />
                </Field>
                <Field label={texts.window.to} error={errorOf("window.to")}>
                  <Input
                    type="time"
                    value={windowTo}
                    disabled={isReadOnly}
                    onChange={(event) => set({ windowTo: event.target.value })}
                  />
                </Field>
              </Beside>
              <Choices
                label={texts.window.days}
                error={errorOf("window.days")}
                values={new Set(windowDays.map(String))}
                onChange={(days) => {
                  if (!isReadOnly) set({ windowDays: [...days].map(Number) })
                }}
                options={[1, 2, 3, 4, 5, 6, 7].map((day) => ({
                  value: String(day),
                  label: weekdayOf(locale, day)
                }))}
              />
            </>
          )}
          <Field label={texts.quiet.title} hint={texts.quiet.hint} error={errorOf("quietHours")}>
            <Select
              value={quietHours}
              disabled={isReadOnly}
              onChange={(event) => set({ quietHours: event.target.value })}
              options={optionsOf(texts.quiet.choices)}
            />
          </Field>
          <Field
            label={texts.capped.title}
            hint={texts.capped.hint}
            error={errorOf("whenCapped.action", "whenCapped")}
          >
            <Select
              value={whenCapped}
              disabled={isReadOnly}
              onChange={(event) => set({ whenCapped: event.target.value })}
              options={optionsOf(texts.capped.choices)}
            />
          </Field>
          {whenCapped === "Wait" && (
            <Field
              label={texts.capped.hours}
              hint={texts.capped.hoursHint}
              error={errorOf("whenCapped.hours")}
            >
              <Input
                inputMode="numeric"
                className={styles["short"]}
                value={cappedHours}
                disabled={isReadOnly}
                onChange={(event) => set({ cappedHours: event.target.value })}
              />
            </Field>
          )}
        </Fields>
      </Section>
    </>
  )
}

/** The start of the campaign. */
const Start = ({ draft, errorOf, isReadOnly, set }: PartProps) => {
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

/** The step of the editor. */
export const When = (part: PartProps) => (
  <>
    <Start {...part} />
    <Bounds {...part} />
  </>
)
