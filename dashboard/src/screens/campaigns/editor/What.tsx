/**
 * What a campaign sends: a template, or content of its own; its sender; and beside it how it looks.
 *
 * @module
 */
import { useExtra } from "../../../api/queries.ts"
import { useFormat } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Fields, Input, Select, TextArea } from "../../../parts/form/Field.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import type { Campaign } from "../states.ts"
import styles from "./Editor.module.css"
import type { PartProps } from "./part.ts"
import { Preview } from "./Preview.tsx"

/** The most templates that are offered. */
const maxTemplates = 200

const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

/** The choice of a template. */
const TemplateField = ({ accountId, draft, errorOf, isReadOnly, set }: PartProps) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const { can } = useAccount()
  const read = useExtra(
    "GET /accounts/:accountId/templates",
    { params: { accountId }, query: { limit: maxTemplates } },
    { enabled: can("templates:read") }
  )
  const { templateId, templateVersion } = draft
  const templates = read?.items ?? []
  const isListed = templateId === "" || templates.some(({ id }) => id === templateId)
  return (
    <>
      <Field
        label={texts.what.template}
        hint={
          read !== undefined && templates.length === 0
            ? texts.what.noTemplates
            : templateVersion === null
              ? texts.what.templateHint
              : texts.what.pinned(format.number(templateVersion))
        }
        error={errorOf("content")}
      >
        <Select
          value={templateId}
          disabled={isReadOnly}
          onChange={(event) => set({ templateId: event.target.value, templateVersion: null })}
          options={[
            { value: "", label: texts.what.chooseTemplate },
            ...(isListed ? [] : [{ value: templateId, label: templateId }]),
            ...templates.map(({ id, name }) => ({ value: id, label: name }))
          ]}
        />
      </Field>
      {templateVersion !== null && !isReadOnly && (
        <div>
          <Button isSmall onClick={() => set({ templateVersion: null })}>
            {texts.what.newest}
          </Button>
        </div>
      )}
    </>
  )
}

/** The content alone: what can be changed while a campaign is paused, too. */
export const ContentFields = (part: PartProps) => {
  const texts = useCampaignTexts()
  const { draft, errorOf, isReadOnly, set } = part
  const isWritten = draft.source === "Written"
  return (
    <Fields>
      <Field label={texts.what.source}>
        <Select
          value={draft.source}
          disabled={isReadOnly}
          onChange={(event) => set({ source: event.target.value as typeof draft.source })}
          options={optionsOf(texts.what.sources)}
        />
      </Field>
      {!isWritten && <TemplateField {...part} />}
      {isWritten && (
        <>
          <Field label={texts.what.subject} error={errorOf("content.subject")}>
            <Input
              value={draft.subject}
              disabled={isReadOnly}
              onChange={(event) => set({ subject: event.target.value })}
            />
          </Field>
          <Field
            label={texts.what.preheader}
            hint={texts.what.preheaderHint}
            isOptional
            error={errorOf("content.preheader")}
          >
            <Input
              value={draft.preheader}
              disabled={isReadOnly}
              onChange={(event) => set({ preheader: event.target.value })}
            />
          </Field>
          <div className={styles["code"]}>
            <Field
              label={texts.what.html}
              hint={texts.what.htmlHint}
              error={errorOf("content.html", "content.source")}
            >
              <TextArea
                rows={14}
                spellCheck={false}
                value={draft.html}
                disabled={isReadOnly}
                onChange={(event) => set({ html: event.target.value })}
              />
            </Field>
          </div>
          <Field
            label={texts.what.plain}
            hint={texts.what.plainHint}
            isOptional
            error={errorOf("content.text")}
          >
            <TextArea
              rows={5}
              value={draft.text}
              disabled={isReadOnly}
              onChange={(event) => set({ text: event.target.value })}
            />
          </Field>
        </>
      )}
    </Fields>
  )
}

const Sender = ({ accountId, draft, errorOf, isReadOnly, set }: PartProps) => {
  const texts = useCampaignTexts()
  const account = useExtra("GET /accounts/:accountId", { params: { accountId } })
  const sender = account?.settings.defaultSender
  return (
    <Section title={texts.what.sender}>
      <Fields>
        <Field label={texts.what.from} hint={texts.what.fromHint} isOptional error={errorOf("from")}>
          <Input
            type="email"
            autoComplete="off"
            value={draft.fromEmail}
            placeholder={sender?.email ?? ""}
            disabled={isReadOnly}
            onChange={(event) => set({ fromEmail: event.target.value })}
          />
        </Field>
        {draft.fromEmail.trim() !== "" && (
          <Field label={texts.what.fromName} isOptional>
            <Input
              autoComplete="off"
              value={draft.fromName}
              disabled={isReadOnly}
              onChange={(event) => set({ fromName: event.target.value })}
            />
          </Field>
        )}
        <Field label={texts.what.replyTo} isOptional error={errorOf("replyTo")}>
          <Input
            type="email"
            autoComplete="off"
            value={draft.replyTo}
            disabled={isReadOnly}
            onChange={(event) => set({ replyTo: event.target.value })}
          />
        </Field>
        <Field label={texts.what.tracking} error={errorOf("tracking")}>
          <Select
            value={draft.tracking}
            disabled={isReadOnly}
            onChange={(event) => set({ tracking: event.target.value as typeof draft.tracking })}
            options={optionsOf(texts.what.trackings)}
          />
        </Field>
        <Field label={texts.what.tags} hint={texts.what.tagsHint} isOptional error={errorOf("tags")}>
          <Input
            autoComplete="off"
            value={draft.tags}
            disabled={isReadOnly}
            onChange={(event) => set({ tags: event.target.value })}
          />
        </Field>
      </Fields>
    </Section>
  )
}

/** The part. */
export const What = ({ campaign, ...part }: PartProps & { readonly campaign: Campaign }) => {
  const texts = useCampaignTexts()
  return (
    <div className={styles["sides"]}>
      <div className={styles["side"]}>
        <Section title={texts.what.source}>
          <ContentFields {...part} />
        </Section>
        <Sender {...part} />
      </div>
      <Preview accountId={part.accountId} campaign={campaign} draft={part.draft} />
    </div>
  )
}
