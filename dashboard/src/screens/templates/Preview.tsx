/**
 * The preview of a draft for a person: the inbox line, the HTML in a frame, the text, and the service's findings.
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { useId, useState } from "react"
import { call, type InputOf, type ValueOf } from "../../api/call.ts"
import type { ApiError } from "../../api/errors.ts"
import { useExtra } from "../../api/queries.ts"
import { useFormat } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { classes } from "../../lib/classes.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input } from "../../parts/form/Field.tsx"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Entry, Nothing, Row, Rows } from "../../parts/page/Columns.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { Tabs } from "../../parts/page/Tabs.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import { Said, useWordsOfService } from "../../texts/said/Said.tsx"
import { useDebounced } from "../editors/useDebounced.ts"
import { PairsField } from "../flows/edit/PairsField.tsx"
import { nameOf } from "../people/consent.ts"
import styles from "./Editor.module.css"

const route = "POST /accounts/:accountId/templates/preview"

/** How long after the last change a draft is rendered, in milliseconds. */
const restMillis = 400

/** What is rendered. */
type Draft = InputOf<typeof route>["body"]

/** Sample values for the variables of an email. */
export type Sample = Readonly<Record<string, unknown>>

/** A rendered draft. */
export type Rendered = ValueOf<typeof route>

/** A placeholder for a subject that is still empty. */
const standIn = "-"

/** Renders a draft once it has not changed for a moment. The previous result stays until then. */
export const useRendered = (draft: Draft, contactId: string | null, sample: Sample) => {
  const { id: accountId } = useAccount()
  const body = {
    ...draft,
    // The content can be previewed before there is a subject, although saving requires one.
    subject: draft.subject.trim() === "" ? standIn : draft.subject,
    ...(contactId === null ? {} : { contactId }),
    // Flows pass the values as `event`, emails sent through the API as variables; the preview supports both.
    ...(Object.keys(sample).length === 0 ? {} : { variables: { ...sample, event: sample } })
  }
  const written = useDebounced(JSON.stringify(body), restMillis)
  return useQuery<Rendered, ApiError>({
    queryKey: [route, accountId, written],
    queryFn: ({ signal }) =>
      call(route, { params: { accountId }, body: JSON.parse(written) as Draft }, { signal }),
    // The frame's URL expires after some minutes.
    gcTime: 60_000,
    staleTime: 60_000,
    retry: false,
    placeholderData: (before) => before
  })
}

/** The selection of a person by name or address. */
const PersonField = ({ onChange }: { readonly onChange: (contactId: string | null) => void }) => {
  const { template: texts } = useEditorTexts()
  const { can, id: accountId } = useAccount()
  const id = useId()
  const [typed, setTyped] = useState("")
  const q = useDebounced(typed.trim(), restMillis)
  const found = useExtra(
    "GET /accounts/:accountId/contacts",
    { params: { accountId }, query: q === "" ? { limit: 10 } : { limit: 10, q } },
    { enabled: can("contacts:read") }
  )
  const people = (found?.items ?? []).map((contact) => ({
    id: contact.id,
    label: contact.email === null ? nameOf(contact) : `${nameOf(contact)} (${contact.email})`
  }))
  return (
    <Field label={texts.person} hint={texts.personHint} isOptional>
      <Input
        list={id}
        value={typed}
        autoComplete="off"
        placeholder={texts.nobody}
        onChange={({ target: { value } }) => {
          setTyped(value)
          onChange(people.find(({ label }) => label === value)?.id ?? null)
        }}
      />
      <datalist id={id}>
        {people.map(({ id: of, label }) => (
          <option key={of} value={label}>
            {label}
          </option>
        ))}
      </datalist>
    </Field>
  )
}

const tabs = ["html", "text", "findings"] as const

const checked = { icon: "check" } as const

/** The preview. */
export const Preview = ({
  hasSubject,
  onPerson,
  onSample,
  rendered: { data, error, isFetching, refetch },
  sample
}: {
  readonly hasSubject: boolean
  readonly rendered: ReturnType<typeof useRendered>
  readonly sample: Sample
  readonly onSample: (sample: Sample) => void
  readonly onPerson: (contactId: string | null) => void
}) => {
  const { flow, template: texts } = useEditorTexts()
  const format = useFormat()
  const { can } = useAccount()
  const [tab, setTab] = useState<(typeof tabs)[number]>("html")
  const [isPhone, setPhone] = useState(false)
  const [isDark, setDark] = useState(false)
  const words = useWordsOfService()
  const findings = data?.findings ?? []
  // While a block or line is incomplete, the last valid preview stays.
  const [lastUrl, setLastUrl] = useState<string | null>(null)
  const newUrl = data?.frameUrl ?? null
  if (newUrl !== null && newUrl !== lastUrl) setLastUrl(newUrl)
  const frameUrl = newUrl ?? (data !== undefined && data.problems.length > 0 ? lastUrl : null)
  const names = {
    html: texts.html,
    text: texts.plain,
    findings: texts.findings(format.number(findings.length))
  }
  return (
    <Section
      title={texts.preview}
      actions={
        <Row>
          <Button isSmall {...(isDark && checked)} aria-pressed={isDark} onClick={() => setDark(!isDark)}>
            {texts.dark}
          </Button>
          <Button isSmall {...(isPhone && checked)} aria-pressed={isPhone} onClick={() => setPhone(!isPhone)}>
            {texts.phone}
          </Button>
        </Row>
      }
    >
      <p className={styles["status"]} role="status">
        {isFetching ? texts.rendering : ""}
      </p>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data !== undefined && data.problems.length > 0 && (
        <Card isFlush>
          <Rows>
            {data.problems.map(({ field, message }) => (
              <Entry key={`${field} ${message}`}>
                <Said field={field} text={message} />
              </Entry>
            ))}
          </Rows>
        </Card>
      )}
      {data !== undefined && (
        <div className={styles["inbox"]}>
          <strong dir="auto">
            {!hasSubject || data.subject === null || data.subject === "" ? texts.noSubject : data.subject}
          </strong>
          <span dir="auto">{data.preheader}</span>
        </div>
      )}
      <Tabs
        label={texts.preview}
        value={tab}
        onChange={setTab}
        tabs={tabs.map((value) => ({ value, label: names[value] }))}
      />
      {tab === "html" &&
        (frameUrl === null ? (
          <Card isFlush>
            <Nothing>{texts.noHtml}</Nothing>
          </Card>
        ) : (
          // The frame is sandboxed: no scripts run in it, and its origin is opaque.
          <iframe
            key={frameUrl}
            title={texts.preview}
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            referrerPolicy="no-referrer"
            className={classes(styles["frame"], isPhone && styles["phone"], isDark && styles["dark"])}
            src={frameUrl}
          />
        ))}
      {tab === "text" && <Code label={texts.plain}>{data?.text ?? ""}</Code>}
      {tab === "findings" && (
        <Card isFlush>
          {findings.length === 0 ? (
            <Nothing>{texts.noFindings}</Nothing>
          ) : (
            <Rows>
              {findings.map(({ field, message, rule }) => (
                <Entry key={`${field} ${rule}`} text={`${rule} · ${words.nameOf(field)}`}>
                  <Said text={message} />
                </Entry>
              ))}
            </Rows>
          )}
        </Card>
      )}
      {can("contacts:read") && <PersonField onChange={onPerson} />}
      <PairsField label={texts.sample} addLabel={flow.addProperty} values={sample} onChange={onSample} />
    </Section>
  )
}
