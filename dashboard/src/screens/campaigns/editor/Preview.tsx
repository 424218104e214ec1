/**
 * A preview of a campaign as a person gets it, with the errors that prevent sending and the warnings about spam filters. Unsaved
 * changes are included.
 *
 * @module
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { call, type InputOf, type ValueOf } from "../../../api/call.ts"
import type { ApiError } from "../../../api/errors.ts"
import { useExtra } from "../../../api/queries.ts"
import { useAccount } from "../../../app/session.ts"
import { type CampaignDraft, type ContentDraft, isEmptyContent } from "../../../lib/campaigns/draft.ts"
import { Field, Fields, Select } from "../../../parts/form/Field.tsx"
import { Banner, ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Nothing } from "../../../parts/page/Columns.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { Tabs } from "../../../parts/page/Tabs.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import { Said } from "../../../texts/said/Said.tsx"
import styles from "./Editor.module.css"
import { useAudience } from "./Who.tsx"

const previewRoute = "POST /accounts/:accountId/templates/preview"

type Body = NonNullable<InputOf<typeof previewRoute>["body"]>
type Template = ValueOf<"GET /accounts/:accountId/templates/:id">

/** How long after the last keystroke the preview is rendered, in milliseconds. */
const restMillis = 600

const ofTemplate = ({ format, html, preheader, source, subject, text }: Template): Body =>
  format === "Html" ? { subject, preheader, html, text } : { subject, preheader, format, source, text }

const ofDraft = ({ html, preheader, subject, text }: ContentDraft): Body => ({
  subject,
  preheader,
  html: html.trim() === "" ? null : html,
  text: text.trim() === "" ? null : text
})

/** A value, delayed until it has not changed for a moment. */
const useRested = (value: string): string => {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMillis)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}

const Rendered = ({ shown }: { readonly shown: ValueOf<typeof previewRoute> }) => {
  const texts = useCampaignTexts()
  const [part, setPart] = useState<"html" | "plain">("html")
  const { findings, frameUrl, preheader, problems, subject, text } = shown
  return (
    <>
      {problems.length > 0 && (
        <Banner tone="bad">
          {problems.map(({ code, field, message }) => (
            <p key={`${code} ${field}`}>
              <Said field={field} text={message} />
            </p>
          ))}
        </Banner>
      )}
      {subject !== null && (
        <>
          <Tabs
            label={texts.preview.title}
            value={part}
            onChange={setPart}
            tabs={[
              { value: "html", label: texts.preview.html },
              { value: "plain", label: texts.preview.plain }
            ]}
          />
          <div className={styles["preview"]}>
            <div className={styles["line"]} dir="auto">
              <strong>{subject === "" ? texts.preview.noSubject : subject}</strong>
              {preheader !== null && preheader !== "" && <span>{preheader}</span>}
            </div>
            {part === "html" ? (
              frameUrl === null ? (
                <Nothing>{texts.preview.noHtml}</Nothing>
              ) : (
                // Links open in a new tab. The frame is sandboxed: no scripts run in it, and its origin is opaque.
                <iframe
                  title={texts.preview.title}
                  sandbox="allow-popups allow-popups-to-escape-sandbox"
                  referrerPolicy="no-referrer"
                  className={styles["frame"]}
                  src={frameUrl}
                />
              )
            ) : (
              <pre className={styles["text"]} dir="auto">
                {text ?? ""}
              </pre>
            )}
          </div>
        </>
      )}
      {findings.length > 0 && (
        <Banner tone="warning">
          <strong>{texts.preview.findings}</strong>
          {findings.map(({ field, message, rule }) => (
            <p key={`${rule} ${field}`}>
              <Said text={message} />
            </p>
          ))}
        </Banner>
      )}
    </>
  )
}

/** The column beside the fields. */
export const Preview = ({
  accountId,
  audience,
  campaign,
  content: shown
}: {
  readonly accountId: string
  readonly campaign: { readonly id: string; readonly name: string }
  readonly content: ContentDraft
  /** The segments whose people can be chosen for the preview. */
  readonly audience: Pick<CampaignDraft, "segments" | "exclude">
}) => {
  const texts = useCampaignTexts()
  const { can } = useAccount()
  const [contactId, setContactId] = useState("")
  const isTemplate = shown.source === "Template"
  const template = useExtra(
    "GET /accounts/:accountId/templates/:id",
    { params: { accountId, id: shown.templateId } },
    { enabled: isTemplate && shown.templateId !== "" }
  )
  const people = useAudience(accountId, audience).data?.sample ?? []
  const content = isTemplate
    ? shown.templateId === "" || template === undefined
      ? null
      : ofTemplate(template)
    : isEmptyContent(shown)
      ? null
      : ofDraft(shown)
  const rested = useRested(JSON.stringify([content, contactId]))
  const [body, of] = JSON.parse(rested) as readonly [Body | null, string]
  const { data, error, refetch } = useQuery<ValueOf<typeof previewRoute>, ApiError>({
    queryKey: [previewRoute, accountId, campaign.id, rested],
    queryFn: ({ signal }) =>
      call(
        previewRoute,
        {
          params: { accountId },
          body: {
            ...body!,
            variables: { campaign: { id: campaign.id, name: campaign.name } },
            ...(of === "" ? {} : { contactId: of })
          }
        },
        { signal }
      ),
    enabled: body !== null,
    placeholderData: keepPreviousData
  })
  return (
    <Section title={texts.preview.title}>
      {can("contacts:read") && people.length > 0 && (
        <Fields>
          <Field label={texts.preview.as}>
            <Select
              value={contactId}
              onChange={(event) => setContactId(event.target.value)}
              options={[
                { value: "", label: texts.preview.anyone },
                ...people.map(({ email, id }) => ({ value: id, label: email ?? id }))
              ]}
            />
          </Field>
        </Fields>
      )}
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {content === null ? (
        <p className={styles["soft"]}>{texts.preview.none}</p>
      ) : data === undefined ? (
        error === null && (
          <p className={styles["soft"]} role="status" aria-busy>
            {texts.preview.loading}
          </p>
        )
      ) : (
        <Rendered shown={data} />
      )}
    </Section>
  )
}
