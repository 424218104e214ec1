/**
 * The step for what a campaign sends: contents, test, sender and link parameters, with a preview beside them.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useState } from "react"
import { useExtra } from "../../../api/queries.ts"
import { utmFields } from "../../../lib/campaigns/draft.ts"
import { Checkbox, Field, Fields, Input, Select } from "../../../parts/form/Field.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import type { Campaign } from "../states.ts"
import { contentOfField, Contents, contentShown, TestFields } from "./Contents.tsx"
import styles from "./Editor.module.css"
import type { PartProps } from "./part.ts"
import { Preview } from "./Preview.tsx"

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

const Links = ({ draft, errorOf, isReadOnly, set }: PartProps) => {
  const texts = useCampaignTexts()
  return (
    <Section title={texts.utm.title} text={texts.utm.text}>
      <Fields>
        <Checkbox
          label={texts.utm.on}
          checked={draft.hasUtm}
          disabled={isReadOnly}
          onChange={(event) => set({ hasUtm: event.target.checked })}
        />
        {draft.hasUtm &&
          utmFields.map((field) => (
            <Field
              key={field}
              label={`utm_${field}`}
              isOptional={field === "term" || field === "content"}
              hint={field === "content" && draft.variants.length > 0 ? texts.utm.contentHint : undefined}
              error={errorOf(`utm.${field}`)}
            >
              <Input
                value={draft.utm[field]}
                disabled={isReadOnly}
                onChange={(event) => set({ utm: { ...draft.utm, [field]: event.target.value } })}
              />
            </Field>
          ))}
      </Fields>
    </Section>
  )
}

/** The step of the editor. */
export const What = ({
  campaign,
  field,
  ...part
}: PartProps & {
  readonly campaign: Campaign
  /** The field to show; null for none. */
  readonly field: string | null
}) => {
  const texts = useCampaignTexts()
  const [shown, setShown] = useState(() => contentOfField(part.draft, field))
  return (
    <div className={styles["sides"]}>
      <div className={styles["side"]}>
        <Section title={texts.steps["what"] ?? ""}>
          <Contents {...part} shown={shown} onShow={setShown} />
        </Section>
        <TestFields {...part} />
        <Sender {...part} />
        <Links {...part} />
      </div>
      <Preview
        accountId={part.accountId}
        campaign={campaign}
        content={contentShown(part.draft, shown)}
        audience={part.draft}
      />
    </div>
  )
}
