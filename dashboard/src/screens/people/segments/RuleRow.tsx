/**
 * One rule of a segment: a field, an operator, and the value to compare with.
 *
 * @module
 */
import { useId, useState } from "react"
import { useFormat } from "../../../app/reader.tsx"
import {
  boundsOf,
  campaignOf,
  campaignPrefix,
  choiceOf,
  countsOf,
  freePrefix,
  offeredOperators,
  operatorName,
  type Parts,
  type Rule,
  ruleOf,
  scalarOf,
  takesOf,
  withOperator
} from "../../../lib/segment.ts"
import { IconButton } from "../../../parts/form/Button.tsx"
import { Input, type Option, Select } from "../../../parts/form/Field.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { ChoiceInput, ChoicesInput } from "./ChoiceInput.tsx"
import { Completions, useCampaigns, useCompletions } from "./Completions.tsx"
import styles from "./Segment.module.css"
import { ValuesInput } from "./ValuesInput.tsx"

/** Fields about what a person did. */
const activity = new Set([
  "orderCount",
  "totalSpent",
  "isPayingCustomer",
  "lastOrderAt",
  "lastOpenAt",
  "lastClickAt",
  "lastEmailedAt",
  "addedAt"
])

interface RowProps {
  readonly rule: Rule
  readonly parts: Parts
  readonly number: number
  /** The service's error for the rule. */
  readonly error: string | undefined
  readonly onChange: (rule: Rule) => void
  readonly onRemove: () => void
}

/** The fields on offer, in groups. */
const useFieldOptions = (parts: Parts, chosen: string): ReadonlyArray<Option> => {
  const { segment: texts } = useEditorTexts()
  const { fields } = parts
  const prefix = freePrefix(parts)
  const isEvent = chosen.startsWith(prefix)
  const groupOf = (key: string): string => {
    if (key.startsWith(campaignPrefix)) return texts.groups.campaigns
    if (key.startsWith("attributes.")) return texts.groups.attributes
    if (key.startsWith("topics.")) return texts.groups.topics
    return activity.has(key) ? texts.groups.activity : texts.groups.person
  }
  const isOfSegment = parts.free === undefined
  // The rules of flows cannot use campaigns.
  const options = fields
    .filter(({ key }) => isOfSegment || !key.startsWith(campaignPrefix))
    .map(({ key, label }) => ({
      value: key,
      label: label ?? texts.fields[key] ?? key,
      group: groupOf(key)
    }))
  const aCampaign = { value: campaignPrefix, label: texts.aCampaign, group: texts.groups.campaigns }
  // A field that was archived in the meantime stays selected.
  const missing =
    isEvent || campaignOf(chosen) !== null || fields.some(({ key }) => key === chosen)
      ? []
      : [{ value: chosen, label: chosen }]
  return [
    ...missing,
    ...Object.values(texts.groups).flatMap((group) => options.filter((one) => one.group === group)),
    ...(isOfSegment ? [aCampaign] : []),
    {
      value: prefix,
      label: isOfSegment ? texts.anEvent : texts.aProperty,
      group: texts.groups.events
    }
  ]
}

const numberOf = (text: string): number | null => (text === "" ? null : Number(text))
const shownNumber = (value: unknown): number | string => (typeof value === "number" ? value : "")

const NumberInput = ({
  isAlone = false,
  isInvalid,
  isWhole = false,
  label,
  onChange,
  value
}: {
  readonly label: string
  readonly value: unknown
  readonly onChange: (value: number | null) => void
  readonly isInvalid: boolean
  readonly isWhole?: boolean
  /** Whether the row itself explains the value, so that its label is hidden. */
  readonly isAlone?: boolean
}) => (
  <label className={styles["number"]}>
    {!isAlone && <span>{label}</span>}
    <Input
      type="number"
      aria-label={isAlone ? label : undefined}
      step={isWhole ? 1 : "any"}
      min={isWhole ? 1 : undefined}
      aria-invalid={isInvalid || undefined}
      value={shownNumber(value)}
      onChange={(event) => onChange(numberOf(event.target.value))}
    />
  </label>
)

const TextValue = ({
  fieldKey,
  isInvalid,
  label,
  onChange,
  placeholder,
  value
}: {
  readonly fieldKey: string
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isInvalid: boolean
  readonly placeholder?: string
}) => {
  const id = useId()
  return (
    <>
      <Input
        aria-label={label}
        aria-invalid={isInvalid || undefined}
        list={id}
        value={value}
        autoComplete="off"
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
      />
      <Completions id={id} values={useCompletions(fieldKey, value)} />
    </>
  )
}

/** A campaign, chosen by name with suggestions. If several have the same name, the newest is chosen. */
const CampaignInput = ({
  id: chosen,
  isInvalid,
  onChange
}: {
  readonly id: string
  readonly isInvalid: boolean
  readonly onChange: (id: string) => void
}) => {
  const { segment: texts } = useEditorTexts()
  const list = useId()
  const [typed, setTyped] = useState<string | null>(null)
  const newest = useCampaigns()
  const found = useCampaigns(typed ?? "")
  const shown = typed ?? newest.find(({ id }) => id === chosen)?.name ?? chosen
  return (
    <>
      <Input
        aria-label={texts.campaignName}
        aria-invalid={isInvalid || undefined}
        list={list}
        value={shown}
        autoComplete="off"
        placeholder={texts.campaignHint}
        onChange={({ target: { value } }) => {
          setTyped(value)
          onChange([...newest, ...found].find(({ name }) => name === value.trim())?.id ?? "")
        }}
      />
      <Completions id={list} values={[...new Set(found.map(({ name }) => name))]} />
    </>
  )
}

const Value = ({ error, onChange, parts, rule }: Pick<RowProps, "error" | "onChange" | "parts" | "rule">) => {
  const { segment: texts } = useEditorTexts()
  const isInvalid = error !== undefined
  const set = (value: unknown) => onChange({ ...rule, value })
  switch (takesOf(rule, parts)) {
    case "Nothing":
      return null
    case "Texts":
      return choiceOf(rule.fieldKey) !== null ? (
        <ChoicesInput
          fieldKey={rule.fieldKey}
          label={texts.values}
          isInvalid={isInvalid}
          values={Array.isArray(rule.value) ? rule.value.map(String) : []}
          onChange={set}
        />
      ) : (
        <ValuesInput
          fieldKey={rule.fieldKey}
          label={texts.values}
          isInvalid={isInvalid}
          values={Array.isArray(rule.value) ? rule.value.map(String) : []}
          onChange={set}
        />
      )
    case "Number":
      return (
        <NumberInput isAlone label={texts.value} isInvalid={isInvalid} value={rule.value} onChange={set} />
      )
    case "Days":
      return (
        <NumberInput isWhole label={texts.days} isInvalid={isInvalid} value={rule.value} onChange={set} />
      )
    case "Range": {
      const [from, to] = boundsOf(rule.value)
      return (
        <div className={styles["pair"]}>
          <NumberInput
            label={texts.from}
            isInvalid={isInvalid}
            value={from}
            onChange={(next) => set({ from: next, to })}
          />
          <NumberInput
            label={texts.to}
            isInvalid={isInvalid}
            value={to}
            onChange={(next) => set({ from, to: next })}
          />
        </div>
      )
    }
    case "Counts": {
      const [count, days] = countsOf(rule.value)
      return (
        <div className={styles["pair"]}>
          <NumberInput
            isWhole
            label={texts.count}
            isInvalid={isInvalid}
            value={count}
            onChange={(next) => set({ count: next, days })}
          />
          <NumberInput
            isWhole
            label={texts.days}
            isInvalid={isInvalid}
            value={days}
            onChange={(next) => set({ count, days: next })}
          />
        </div>
      )
    }
    case "Date":
      return (
        <Input
          type="date"
          aria-label={texts.value}
          aria-invalid={isInvalid || undefined}
          value={String(rule.value ?? "").slice(0, 10)}
          onChange={(event) => set(event.target.value)}
        />
      )
    case "Text":
      return choiceOf(rule.fieldKey) !== null &&
        offeredOperators({ ...rule, operator: "" }, parts).some(
          ({ operator }) => operator === rule.operator
        ) ? (
        <ChoiceInput
          fieldKey={rule.fieldKey}
          label={texts.value}
          isInvalid={isInvalid}
          value={String(rule.value ?? "")}
          onChange={set}
        />
      ) : (
        <TextValue
          fieldKey={
            parts.free === undefined || !rule.fieldKey.startsWith(parts.free.prefix) ? rule.fieldKey : ""
          }
          label={texts.value}
          isInvalid={isInvalid}
          value={String(rule.value ?? "")}
          onChange={(typed) => set(parts.free === undefined ? typed : scalarOf(typed))}
        />
      )
  }
}

/** The rule. */
export const RuleRow = ({ error, number, onChange, onRemove, parts, rule }: RowProps) => {
  const { segment: texts } = useEditorTexts()
  const format = useFormat()
  const prefix = freePrefix(parts)
  const isEvent = rule.fieldKey.startsWith(prefix)
  const campaign = campaignOf(rule.fieldKey)
  const shown = format.number(number)
  return (
    <li className={styles["rule"]} aria-label={texts.rule(shown)} data-rule>
      <div className={styles["controls"]}>
        <Select
          aria-label={texts.field}
          value={isEvent ? prefix : campaign === null ? rule.fieldKey : campaignPrefix}
          options={useFieldOptions(parts, rule.fieldKey)}
          onChange={(event) => onChange(ruleOf(event.target.value, parts))}
        />
        {isEvent && (
          <TextValue
            fieldKey={parts.free === undefined ? "events" : ""}
            label={parts.free === undefined ? texts.eventName : texts.property}
            placeholder={parts.free === undefined ? texts.eventHint : texts.propertyHint}
            isInvalid={error !== undefined}
            value={rule.fieldKey.slice(prefix.length)}
            onChange={(name) => onChange({ ...rule, fieldKey: prefix + name.trim() })}
          />
        )}
        {campaign !== null && (
          <CampaignInput
            id={campaign}
            isInvalid={error !== undefined}
            onChange={(id) => onChange({ ...rule, fieldKey: campaignPrefix + id })}
          />
        )}
        <Select
          aria-label={texts.operator}
          value={rule.operator}
          options={offeredOperators(rule, parts).map(({ operator }) => ({
            value: operator,
            label: operatorName({ fieldKey: rule.fieldKey, operator }, texts.operators)
          }))}
          onChange={(event) => onChange(withOperator(rule, event.target.value, parts))}
        />
        <Value rule={rule} parts={parts} error={error} onChange={onChange} />
      </div>
      <IconButton icon="trash" label={texts.removeRule(shown)} onClick={onRemove} />
      {error !== undefined && (
        <p className={styles["error"]} role="alert">
          {error}
        </p>
      )}
    </li>
  )
}
