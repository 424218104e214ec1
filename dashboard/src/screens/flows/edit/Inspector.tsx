/**
 * The settings of a step, or of the trigger and the end of a flow.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useId } from "react"
import { useExtra } from "../../../api/queries.ts"
import { useFormat } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import {
  amountOf,
  durationOf,
  localOf,
  pathsOf,
  pointOf,
  type Step,
  type Unit,
  units
} from "../../../lib/flow.ts"
import { type Definition, freePrefix, type Parts, ruleOf } from "../../../lib/segment.ts"
import { Button, ButtonLink } from "../../../parts/form/Button.tsx"
import { Field, Fields, Input, Select, TextArea } from "../../../parts/form/Field.tsx"
import { Row } from "../../../parts/page/Columns.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { Completions, useCompletions } from "../../people/segments/Completions.tsx"
import { RuleRow } from "../../people/segments/RuleRow.tsx"
import segmentStyles from "../../people/segments/Segment.module.css"
import { ValuesInput } from "../../people/segments/ValuesInput.tsx"
import { PairsField } from "./PairsField.tsx"

interface StepProps {
  readonly step: Step
  /** `run` names the field typed into, so that successive letters are undone together. */
  readonly onChange: (step: Step, run: string | null) => void
  /** The service's error for a field of the step. */
  readonly errorOf: (field: string) => string | undefined
}

const attributePrefix = "attributes."

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const Line = ({
  errorOf,
  isOptional = false,
  label,
  name,
  onChange,
  step,
  type = "text",
  values
}: StepProps & {
  readonly name: string
  readonly label: string
  readonly isOptional?: boolean
  readonly type?: "text" | "time"
  /** Suggested values. */
  readonly values?: ReadonlyArray<string>
}) => {
  const id = useId()
  return (
    <Field label={label} isOptional={isOptional} error={errorOf(name)}>
      <Input
        type={type}
        list={values === undefined ? undefined : id}
        value={textOf(step[name])}
        autoComplete="off"
        onChange={({ target: { value } }) =>
          onChange({ ...step, [name]: isOptional && value === "" ? null : value }, name)
        }
      />
      {values !== undefined && <Completions id={id} values={values} />}
    </Field>
  )
}

/** The name of an event, with suggestions from the reported events. */
export const EventField = ({
  error,
  label,
  onChange,
  value
}: {
  readonly label: string
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (name: string) => void
}) => {
  const { segment: texts } = useEditorTexts()
  const id = useId()
  return (
    <Field label={label} error={error}>
      <Input
        list={id}
        value={value}
        autoComplete="off"
        placeholder={texts.eventHint}
        onChange={({ target }) => onChange(target.value)}
      />
      <Completions id={id} values={useCompletions("events", value)} />
    </Field>
  )
}

/** The parts for rules that concern only the properties of an event. */
export const eventParts = ({ operators, ...parts }: Parts): Parts => ({ ...parts, operators, fields: [] })

/** A duration as a number and a unit, or in ISO 8601 if it has several units. */
const DurationField = ({
  errorOf,
  label,
  name,
  onChange,
  step
}: StepProps & { readonly name: string; readonly label: string }) => {
  const { flow: texts } = useEditorTexts()
  const found = amountOf(step[name])
  if (found === null) return <Line {...{ errorOf, name, onChange, step }} label={texts.duration} />
  const { amount, unit } = found
  return (
    <>
      <Field label={label} error={errorOf(name)}>
        <Input
          type="number"
          min={1}
          step={1}
          value={amount}
          onChange={({ target: { value } }) =>
            onChange({ ...step, [name]: durationOf(Math.max(0, Math.trunc(Number(value))), unit) }, name)
          }
        />
      </Field>
      <Field label={texts.unit}>
        <Select
          value={unit}
          options={units.map((value) => ({ value, label: texts.units[value] ?? value }))}
          onChange={({ target: { value } }) =>
            onChange({ ...step, [name]: durationOf(amount, value as Unit) }, null)
          }
        />
      </Field>
    </>
  )
}

const Email = (props: StepProps) => {
  const { errorOf, onChange, step } = props
  const { flow: texts } = useEditorTexts()
  const { can, id: accountId } = useAccount()
  const list = { params: { accountId }, query: { limit: 200 } }
  const templates = useExtra("GET /accounts/:accountId/templates", list)
  const topics = useExtra("GET /accounts/:accountId/topics", list)
  const isOwn = step["templateId"] === null || step["templateId"] === undefined
  return (
    <>
      <Field label={texts.purpose} error={errorOf("purpose")}>
        <Select
          value={textOf(step["purpose"])}
          options={optionsOf(texts.purposes)}
          onChange={({ target: { value } }) =>
            onChange({ ...step, purpose: value, topic: value === "Marketing" ? step["topic"] : null }, null)
          }
        />
      </Field>
      <Field label={texts.template} error={errorOf("templateId")}>
        <Select
          value={textOf(step["templateId"])}
          options={[
            { value: "", label: texts.ownContent },
            ...(templates?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
          ]}
          onChange={({ target: { value } }) =>
            onChange(
              value === ""
                ? { ...step, templateId: null, subject: "", html: "" }
                : { ...step, templateId: value, subject: null, html: null, text: null },
              null
            )
          }
        />
      </Field>
      {can("templates:read") && (
        <Row>
          {isOwn ? (
            <ButtonLink isSmall target="_blank" to="/a/$accountId/templates/new" params={{ accountId }}>
              {texts.newTemplate}
            </ButtonLink>
          ) : (
            <ButtonLink
              isSmall
              target="_blank"
              to="/a/$accountId/templates/$templateId"
              params={{ accountId, templateId: textOf(step["templateId"]) }}
            >
              {texts.openTemplate}
            </ButtonLink>
          )}
        </Row>
      )}
      {isOwn && (
        <>
          <Line {...props} name="subject" label={texts.subject} />
          <Field label={texts.html} error={errorOf("html")}>
            <TextArea
              rows={6}
              value={textOf(step["html"])}
              onChange={({ target: { value } }) =>
                onChange({ ...step, html: value === "" ? null : value }, "html")
              }
            />
          </Field>
          <Field label={texts.text} isOptional error={errorOf("text")}>
            <TextArea
              rows={3}
              value={textOf(step["text"])}
              onChange={({ target: { value } }) =>
                onChange({ ...step, text: value === "" ? null : value }, "text")
              }
            />
          </Field>
        </>
      )}
      {step["purpose"] === "Marketing" && (
        <Field label={texts.topic} error={errorOf("topic")}>
          <Select
            value={textOf(step["topic"])}
            options={[
              { value: "", label: texts.noTopic },
              ...(topics?.items ?? []).map(({ key, name }) => ({ value: key, label: name }))
            ]}
            onChange={({ target: { value } }) =>
              onChange({ ...step, topic: value === "" ? null : value }, null)
            }
          />
        </Field>
      )}
    </>
  )
}

/** The account's own contact fields, without the prefix of their keys. */
const ownFields = (parts: Parts, kind?: string): ReadonlyArray<string> =>
  parts.fields.flatMap((field) =>
    field.key.startsWith(attributePrefix) && (kind === undefined || field.kind === kind)
      ? [field.key.slice(attributePrefix.length)]
      : []
  )

const Until = ({ parts, ...props }: StepProps & { readonly parts: Parts }) => {
  const { onChange, step } = props
  const { flow: texts } = useEditorTexts()
  const isTime = step["time"] !== null && step["time"] !== undefined
  return (
    <>
      <Field label={texts.until}>
        <Select
          value={isTime ? "time" : "at"}
          options={optionsOf(texts.untils)}
          onChange={({ target: { value } }) =>
            onChange(
              { ...step, ...(value === "time" ? { time: "09:00", at: null } : { time: null, at: "" }) },
              null
            )
          }
        />
      </Field>
      {isTime ? (
        <>
          <Line {...props} type="time" name="time" label={texts.time} />
          <Line
            {...props}
            name="timeZone"
            label={texts.timeZone}
            values={Intl.supportedValuesOf("timeZone")}
          />
          <Line
            {...props}
            isOptional
            name="timeZoneAttribute"
            label={texts.timeZoneAttribute}
            values={ownFields(parts, "Text")}
          />
        </>
      ) : (
        <Field label={texts.at} error={props.errorOf("at")}>
          <Input
            type="datetime-local"
            value={localOf(textOf(step["at"]))}
            onChange={({ target: { value } }) => onChange({ ...step, at: pointOf(value) }, "at")}
          />
        </Field>
      )}
    </>
  )
}

/** Rules about a person and an event, or only about an event. */
export const RulesField = ({
  definition,
  errorOf,
  isOptional = false,
  label,
  onChange,
  parts
}: {
  readonly label: string
  /** Null if there are no rules. */
  readonly definition: Definition | null
  readonly isOptional?: boolean
  readonly parts: Parts
  /** The service's error for a field of the definition. */
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (definition: Definition | null, run: string | null) => void
}) => {
  const { segment: texts } = useEditorTexts()
  const { join, rules } = definition ?? { join: "All", rules: [] }
  const set = (next: Definition, run: string | null = null) =>
    onChange(isOptional && next.rules.length === 0 ? null : next, run)
  const errorAt = (at: number) =>
    ["fieldKey", "operator", "value"]
      .map((name) => errorOf(`rules[${at}].${name}`))
      .find((error) => error !== undefined)
  const first = parts.fields[0]?.key ?? freePrefix(parts)
  return (
    <>
      {rules.length > 1 || !isOptional ? (
        <Field label={label}>
          <Select
            value={join}
            options={Object.entries(texts.joins).map(([value, name]) => ({ value, label: name }))}
            onChange={({ target: { value } }) => set({ join: value, rules })}
          />
        </Field>
      ) : (
        rules.length > 0 && <p className={segmentStyles["soft"]}>{label}</p>
      )}
      {rules.length > 0 && (
        <ul className={segmentStyles["rules"]}>
          {rules.map((rule, at) => (
            <RuleRow
              // Rules have no ids, and their order never changes.
              // oxlint-disable-next-line react/no-array-index-key
              key={at}
              rule={rule}
              parts={parts}
              number={at + 1}
              error={errorAt(at)}
              onChange={(next) => set({ join, rules: rules.with(at, next) }, `rule ${at}`)}
              onRemove={() => set({ join, rules: rules.toSpliced(at, 1) })}
            />
          ))}
        </ul>
      )}
      <Row>
        <Button isSmall icon="plus" onClick={() => set({ join, rules: [...rules, ruleOf(first, parts)] })}>
          {isOptional && rules.length === 0 ? label : texts.addRule}
        </Button>
      </Row>
    </>
  )
}

/** The number of branches of a Split, and their weights. */
const Weights = ({ errorOf, onChange, step }: StepProps) => {
  const { flow: texts } = useEditorTexts()
  const format = useFormat()
  const paths = pathsOf(step)
  return (
    <>
      {paths.map(({ weight }, at) => (
        // Branches have no ids, and their order never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <Field key={at} label={texts.weight(format.number(at + 1))} error={errorOf(`paths[${at}].weight`)}>
          <Input
            type="number"
            min={1}
            step={1}
            value={weight}
            onChange={({ target: { value } }) =>
              onChange(
                { ...step, paths: paths.with(at, { ...paths[at]!, weight: Number(value) }) },
                `weight ${at}`
              )
            }
          />
        </Field>
      ))}
      <Row>
        <Button
          isSmall
          disabled={paths.length >= 10}
          onClick={() => onChange({ ...step, paths: [...paths, { weight: 1, steps: [] }] }, null)}
        >
          {texts.addPath}
        </Button>
        <Button
          isSmall
          disabled={paths.length <= 2}
          onClick={() => onChange({ ...step, paths: paths.slice(0, -1) }, null)}
        >
          {texts.removePath}
        </Button>
      </Row>
    </>
  )
}

/** The topics that the step turns on and off. */
const TopicChoices = ({ errorOf, onChange, step }: StepProps) => {
  const { flow: texts } = useEditorTexts()
  const { id: accountId } = useAccount()
  const topics = useExtra("GET /accounts/:accountId/topics", { params: { accountId }, query: { limit: 200 } })
  const chosen = (step["topics"] ?? {}) as Readonly<Record<string, boolean>>
  const names = new Map((topics?.items ?? []).map(({ key, name }) => [key, name]))
  // A topic that was archived in the meantime stays selected.
  const keys = [...new Set([...names.keys(), ...Object.keys(chosen)])]
  return keys.map((key) => (
    <Field key={key} label={texts.topicChoice(names.get(key) ?? key)} error={errorOf(`topics.${key}`)}>
      <Select
        value={String(chosen[key] ?? "")}
        options={optionsOf(texts.topicChoices)}
        onChange={({ target: { value } }) => {
          const { [key]: _before, ...rest } = chosen
          onChange({ ...step, topics: value === "" ? rest : { ...rest, [key]: value === "true" } }, null)
        }}
      />
    </Field>
  ))
}

interface Tags {
  readonly add: ReadonlyArray<string>
  readonly remove: ReadonlyArray<string>
}

const Changes = ({ parts, ...props }: StepProps & { readonly parts: Parts }) => {
  const { errorOf, onChange, step } = props
  const { flow: texts } = useEditorTexts()
  const tags = step["tags"] as Tags
  return (
    <>
      {(["add", "remove"] as const).map((name) => (
        <ValuesInput
          key={name}
          fieldKey="tags"
          label={name === "add" ? texts.addTags : texts.removeTags}
          isInvalid={errorOf(`tags.${name}`) !== undefined}
          values={tags[name]}
          onChange={(values) => onChange({ ...step, tags: { ...tags, [name]: values } }, null)}
        />
      ))}
      <PairsField
        label={texts.attributes}
        addLabel={texts.addAttribute}
        names={ownFields(parts)}
        texts={ownFields(parts, "Text")}
        values={(step["attributes"] ?? {}) as Readonly<Record<string, unknown>>}
        error={errorOf("attributes")}
        errorOf={(name) => errorOf(`attributes.${name}`)}
        onChange={(attributes) => onChange({ ...step, attributes }, "attributes")}
      />
      <TopicChoices {...props} />
    </>
  )
}

const Settings = (props: StepProps & { readonly parts: Parts }) => {
  const { step } = props
  const { flow: texts, segment } = useEditorTexts()
  switch (step.kind) {
    case "SendEmail":
      return <Email {...props} />
    case "Wait":
      return <DurationField {...props} name="duration" label={texts.amount} />
    case "WaitUntil":
      return <Until {...props} />
    case "WaitForEvent":
      return (
        <>
          <EventField
            label={texts.event}
            value={textOf(step["name"])}
            error={props.errorOf("name")}
            onChange={(name) => props.onChange({ ...step, name }, "name")}
          />
          <DurationField {...props} name="timeout" label={texts.timeout} />
          <RulesField
            isOptional
            label={texts.eventFilter}
            parts={eventParts(props.parts)}
            definition={(step["filter"] ?? null) as Definition | null}
            errorOf={(field) => props.errorOf(`filter.${field}`)}
            onChange={(filter, run) => props.onChange({ ...step, filter }, run)}
          />
        </>
      )
    case "Branch":
      return (
        <RulesField
          label={segment.join}
          parts={props.parts}
          definition={step["condition"] as Definition}
          errorOf={(field) => props.errorOf(`condition.${field}`)}
          onChange={(condition, run) => props.onChange({ ...step, condition }, run)}
        />
      )
    case "Split":
      return <Weights {...props} />
    case "UpdateContact":
      return <Changes {...props} />
    case "Webhook":
      return <Line {...props} name="url" label={texts.url} />
    default:
      return <p className={segmentStyles["soft"]}>{texts.noSettings}</p>
  }
}

/** The settings of a step. */
export const StepInspector = (props: StepProps & { readonly parts: Parts }) => {
  const { flow: texts } = useEditorTexts()
  return (
    <Fields>
      <Settings {...props} />
      <Line {...props} name="id" label={texts.id} />
    </Fields>
  )
}
