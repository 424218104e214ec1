/**
 * Simulates the saved flow for a person and a scenario of events in virtual time, and plays the result on the canvas step by
 * step.
 *
 * @module
 */
import { useId, useState } from "react"
import { useChange, useExtra } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { amountOf, durationOf, type Unit, units } from "../../../lib/flow.ts"
import { Button, IconButton } from "../../../parts/form/Button.tsx"
import { Field, Fields, Input, Select } from "../../../parts/form/Field.tsx"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Entry, Row, Rows } from "../../../parts/page/Columns.tsx"
import { Card, Section } from "../../../parts/page/Page.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { useDebounced } from "../../editors/useDebounced.ts"
import { Completions } from "../../people/segments/Completions.tsx"
import styles from "./Canvas.module.css"
import { EventField } from "./Inspector.tsx"
import { PairsField } from "./PairsField.tsx"
import { type Played, Playback } from "./Playback.tsx"

const route = "POST /accounts/:accountId/flows/:id/simulate"

type Values = Readonly<Record<string, unknown>>

/** An event after the start. */
interface Later {
  readonly key: number
  readonly name: string
  readonly after: string
  readonly properties: Values
}

/** The part of the simulation that is shown. */
export interface Shown {
  readonly path: ReadonlyArray<Played>
  readonly shown: number
}

const nothing: Values = {}

/** How long after the last keystroke people are searched, in milliseconds. */
const restMillis = 250

let lastKey = 0

const LaterEvent = ({
  errorOf,
  event: { after, name, properties },
  number,
  onChange,
  onRemove
}: {
  readonly event: Later
  readonly number: string
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (values: Partial<Later>) => void
  readonly onRemove: () => void
}) => {
  const { flow: texts } = useEditorTexts()
  const { amount, unit } = amountOf(after) ?? { amount: 1, unit: "H" as const }
  return (
    <section aria-label={texts.later(number)} className={styles["later"]}>
      <Fields>
        <EventField
          label={texts.event}
          value={name}
          error={errorOf("name")}
          onChange={(next) => onChange({ name: next })}
        />
        <Field label={texts.after} error={errorOf("after")}>
          <Input
            type="number"
            min={0}
            step={1}
            value={amount}
            onChange={({ target: { value } }) =>
              onChange({ after: durationOf(Math.max(0, Math.trunc(Number(value))), unit) })
            }
          />
        </Field>
        <Field label={texts.unit}>
          <Select
            value={unit}
            options={units.map((value) => ({ value, label: texts.units[value] ?? value }))}
            onChange={({ target: { value } }) => onChange({ after: durationOf(amount, value as Unit) })}
          />
        </Field>
        <PairsField
          label={texts.properties}
          addLabel={texts.addProperty}
          values={properties}
          onChange={(next) => onChange({ properties: next })}
        />
        <Row>
          <IconButton icon="trash" label={texts.removeLater(number)} onClick={onRemove} />
        </Row>
      </Fields>
    </section>
  )
}

/** The section of the screen. */
export const Simulate = ({
  flowId,
  isChanged,
  names,
  onShow,
  shown,
  whenSaved
}: {
  readonly flowId: string
  /** The names of the steps, by id. */
  readonly names: ReadonlyMap<string, string>
  /** Saves unsaved changes; resolves with whether everything is saved. */
  readonly whenSaved: () => Promise<boolean>
  /** Whether there are unsaved changes. The simulation uses the saved version. */
  readonly isChanged: boolean
  readonly shown: Shown | null
  readonly onShow: (shown: Shown | null) => void
}) => {
  const { flows } = useTexts()
  const { flow: texts } = useEditorTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const [typed, setTyped] = useState<string | null>(null)
  const list = useId()
  const q = useDebounced((typed ?? "").trim(), restMillis)
  const found = useExtra(
    "GET /accounts/:accountId/contacts",
    { params: { accountId }, query: { limit: 10, ...(q === "" ? {} : { q }) } },
    { enabled: can("contacts:read") }
  )
  const addresses = (found?.items ?? []).flatMap((contact) => (contact.email === null ? [] : [contact.email]))
  // By default a contact of the account, whose consent is realistic.
  const email = typed ?? addresses[0] ?? "ada@example.org"
  const [properties, setProperties] = useState(nothing)
  const [later, setLater] = useState<ReadonlyArray<Later>>([])
  const { data, error, isPending, mutate } = useChange(route)
  const play = async () => {
    if (!(await whenSaved())) return
    const events = later.map(({ after, name, properties: of }) => ({ name, after, properties: of }))
    mutate(
      {
        params: { accountId, id: flowId },
        body: { contact: { email: email.trim() }, event: { properties }, events }
      },
      {
        onSuccess: ({ path }) => onShow({ path, shown: path.length - 1 }),
        onError: () => onShow(null)
      }
    )
  }
  const fields = error?.fields ?? {}
  return (
    <Section title={texts.simulate} text={texts.simulateText}>
      {error !== null && <ErrorBanner error={error} />}
      <form
        onSubmit={(submitted) => {
          submitted.preventDefault()
          void play()
        }}
      >
        <Fields>
          <Field label={texts.email} error={fields["contact.email"]}>
            <Input
              type="email"
              list={list}
              value={email}
              autoComplete="off"
              onChange={({ target: { value } }) => setTyped(value)}
            />
            <Completions id={list} values={addresses} />
          </Field>
          <PairsField
            label={texts.properties}
            addLabel={texts.addProperty}
            values={properties}
            onChange={setProperties}
          />
          {later.map((event, at) => (
            <LaterEvent
              key={event.key}
              event={event}
              number={format.number(at + 1)}
              errorOf={(field) => fields[`events[${at}].${field}`]}
              onChange={(values) => setLater(later.with(at, { ...event, ...values }))}
              onRemove={() => setLater(later.toSpliced(at, 1))}
            />
          ))}
          <Row>
            <Button
              isSmall
              icon="plus"
              onClick={() =>
                setLater([...later, { key: ++lastKey, name: "", after: "PT1H", properties: nothing }])
              }
            >
              {texts.addLater}
            </Button>
          </Row>
          <Row>
            <Button type="submit" icon="flow" isBusy={isPending}>
              {isChanged ? texts.saveAndPlay : texts.run}
            </Button>
          </Row>
        </Fields>
      </form>
      {data !== undefined && shown !== null && (
        <>
          <p role="status">
            {data.started
              ? texts.result(flows.runStates[data.status ?? ""] ?? data.status ?? "")
              : texts.notStarted}
          </p>
          <Playback
            names={names}
            path={shown.path}
            shown={shown.shown}
            onShow={(next) => onShow({ path: shown.path, shown: next })}
          />
          {data.emails.length > 0 && (
            <Section title={texts.emails}>
              <Card isFlush>
                <Rows>
                  {data.emails.map(({ at, failure, stepId, subject }) => (
                    <Entry
                      key={`${stepId} ${at}`}
                      text={failure === null ? names.get(stepId) : texts.emailFailed(failure)}
                      end={<RelativeTime at={at} form="moment" />}
                    >
                      <bdi>{subject ?? names.get(stepId) ?? stepId}</bdi>
                    </Entry>
                  ))}
                </Rows>
              </Card>
            </Section>
          )}
        </>
      )}
    </Section>
  )
}
