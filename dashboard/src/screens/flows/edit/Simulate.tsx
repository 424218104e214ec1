/**
 * Plays the saved flow for a person in virtual time, and shows on the canvas where it went.
 *
 * @module
 */
import { useState } from "react"
import type { ValueOf } from "../../../api/call.ts"
import { useChange } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { objectOf } from "../../../lib/json.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Fields, Input, TextArea } from "../../../parts/form/Field.tsx"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Entry, Row, Rows } from "../../../parts/page/Columns.tsx"
import { Card, Section } from "../../../parts/page/Page.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"

const route = "POST /accounts/:accountId/flows/:id/simulate"

/** What a simulation did. */
export type Simulated = ValueOf<typeof route>

/** The part of the screen. */
export const Simulate = ({
  flowId,
  isChanged,
  onSimulated
}: {
  readonly flowId: string
  /** Whether what is edited differs from what is saved, which is what is played. */
  readonly isChanged: boolean
  readonly onSimulated: (simulated: Simulated | null) => void
}) => {
  const { flows } = useTexts()
  const { flow: texts, template } = useEditorTexts()
  const { id: accountId } = useAccount()
  const [email, setEmail] = useState("ada@example.org")
  const [properties, setProperties] = useState("")
  const { data, error, isPending, mutate } = useChange(route)
  const event = objectOf(properties)
  const play = () => {
    if (event === null || isChanged) return
    mutate(
      {
        params: { accountId, id: flowId },
        body: { contact: { email: email.trim() }, event: { properties: event } }
      },
      { onSuccess: onSimulated, onError: () => onSimulated(null) }
    )
  }
  return (
    <Section title={texts.simulate} text={texts.simulateText}>
      {error !== null && <ErrorBanner error={error} />}
      <form
        onSubmit={(submitted) => {
          submitted.preventDefault()
          play()
        }}
      >
        <Fields>
          <Field label={texts.email} error={error?.fields["contact.email"]}>
            <Input type="email" value={email} onChange={({ target: { value } }) => setEmail(value)} />
          </Field>
          <Field
            label={texts.properties}
            isOptional
            hint={isChanged ? texts.saveFirst : undefined}
            error={event === null ? template.noJson : undefined}
          >
            <TextArea
              rows={2}
              value={properties}
              onChange={({ target: { value } }) => setProperties(value)}
            />
          </Field>
          <Row>
            <Button type="submit" icon="flow" isBusy={isPending} disabled={isChanged}>
              {texts.run}
            </Button>
          </Row>
        </Fields>
      </form>
      {data !== undefined && (
        <div role="status">
          <p>
            {data.started
              ? texts.result(flows.runStates[data.status ?? ""] ?? data.status ?? "")
              : texts.notStarted}
          </p>
          {data.path.length > 0 && (
            <Card isFlush>
              <Rows>
                {data.path.map(({ at, outcome, stepId }) => (
                  <Entry
                    key={`${stepId} ${at} ${outcome}`}
                    text={outcome}
                    end={<RelativeTime at={at} form="moment" />}
                  >
                    <code>{stepId}</code>
                  </Entry>
                ))}
              </Rows>
            </Card>
          )}
        </div>
      )}
    </Section>
  )
}
