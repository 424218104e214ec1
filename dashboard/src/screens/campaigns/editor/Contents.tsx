/**
 * The contents of a campaign: a single one or one per variant of a test, each with its translations.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { type ReactNode, useState } from "react"
import { useExtra } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import {
  type CampaignDraft,
  type ContentDraft,
  type ContentsDraft,
  isEmptyContent,
  variantRange,
  withoutTest,
  withoutVariant,
  withTest,
  withVariant
} from "../../../lib/campaigns/draft.ts"
import { languageName } from "../../../lib/campaigns/names.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Fields, Input, Select, TextArea } from "../../../parts/form/Field.tsx"
import { Row } from "../../../parts/page/Columns.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { Tabs } from "../../../parts/page/Tabs.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import styles from "./Editor.module.css"
import type { PartProps } from "./part.ts"

/** The most templates that the list offers. */
const maxTemplates = 200

/** The most translations of a content. */
const maxLanguages = 20

/**
 * The content on screen: `variant` is null without a test, and `language` is null for the content of all languages without a
 * translation.
 */
export interface ShownContent {
  readonly variant: string | null
  readonly language: string | null
}

/** The content shown initially. */
export const firstContent: ShownContent = { variant: null, language: null }

/** The content that contains a field; the first content for any other field. */
export const contentOfField = ({ variants }: CampaignDraft, field: string | null): ShownContent => {
  const [, at = ""] = /^test\.variants\[(\d+)\]/.exec(field ?? "") ?? []
  const [, language = null] = /\.languages\.([\w-]+)/.exec(field ?? "") ?? []
  return { variant: variants[Number(at)]?.id ?? null, language }
}

/** The content of the variant on screen, or of the first variant if that no longer exists. */
const contentsOf = ({ content, variants }: CampaignDraft, { variant }: ShownContent): ContentsDraft =>
  (variants.find(({ id }) => id === variant) ?? variants[0])?.content ?? content

/** The content on screen. */
export const contentShown = (draft: CampaignDraft, shown: ShownContent): ContentDraft => {
  const contents = contentsOf(draft, shown)
  return contents.languages[shown.language ?? ""] ?? contents
}

/** The properties of a content's fields. */
interface ContentProps extends Pick<PartProps, "accountId" | "errorOf" | "isReadOnly" | "ownErrorOf"> {
  readonly content: ContentDraft
  readonly set: (change: Partial<ContentDraft>) => void
  /** The path of the content in the campaign, such as `content`. */
  readonly path: string
}

/** The selection of a template. */
const TemplateField = ({ accountId, content, errorOf, isReadOnly, path, set }: ContentProps) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const { can } = useAccount()
  const read = useExtra(
    "GET /accounts/:accountId/templates",
    { params: { accountId }, query: { limit: maxTemplates } },
    { enabled: can("templates:read") }
  )
  const { templateId, templateVersion } = content
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
        error={errorOf(path)}
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

const ContentFields = (part: ContentProps) => {
  const texts = useCampaignTexts()
  const { content, errorOf, isReadOnly, ownErrorOf, path, set } = part
  const isWritten = content.source === "Written"
  return (
    <Fields>
      <Field label={texts.what.source} error={isWritten ? ownErrorOf(path) : undefined}>
        <Select
          value={content.source}
          disabled={isReadOnly}
          onChange={(event) => set({ source: event.target.value as typeof content.source })}
          options={optionsOf(texts.what.sources)}
        />
      </Field>
      {!isWritten && <TemplateField {...part} />}
      {isWritten && (
        <>
          <Field label={texts.what.subject} error={errorOf(`${path}.subject`)}>
            <Input
              value={content.subject}
              disabled={isReadOnly}
              onChange={(event) => set({ subject: event.target.value })}
            />
          </Field>
          <Field
            label={texts.what.preheader}
            hint={texts.what.preheaderHint}
            isOptional
            error={errorOf(`${path}.preheader`)}
          >
            <Input
              value={content.preheader}
              disabled={isReadOnly}
              onChange={(event) => set({ preheader: event.target.value })}
            />
          </Field>
          <div className={styles["code"]}>
            <Field
              label={texts.what.html}
              hint={texts.what.htmlHint}
              error={errorOf(`${path}.html`, `${path}.source`)}
            >
              <TextArea
                rows={14}
                spellCheck={false}
                value={content.html}
                disabled={isReadOnly}
                onChange={(event) => set({ html: event.target.value })}
              />
            </Field>
          </div>
          <Field
            label={texts.what.plain}
            hint={texts.what.plainHint}
            isOptional
            error={errorOf(`${path}.text`)}
          >
            <TextArea
              rows={5}
              value={content.text}
              disabled={isReadOnly}
              onChange={(event) => set({ text: event.target.value })}
            />
          </Field>
        </>
      )}
    </Fields>
  )
}

const Variants = ({
  draft,
  errorOf,
  isReadOnly,
  onShow,
  set,
  shown
}: Pick<PartProps, "draft" | "errorOf" | "isReadOnly" | "set"> & {
  readonly shown: ShownContent
  readonly onShow: (shown: ShownContent) => void
}) => {
  const texts = useCampaignTexts()
  const { variants } = draft
  const at = Math.max(
    variants.findIndex(({ id }) => id === shown.variant),
    0
  )
  const variant = variants[at]
  if (variant === undefined) return null
  const show = (id: string) => onShow({ variant: id, language: null })
  return (
    <>
      <Tabs
        label={texts.test.variants}
        value={variant.id}
        onChange={show}
        tabs={variants.map(({ id, name }) => ({ value: id, label: texts.test.variant(id, name) }))}
      />
      <Fields>
        <Field label={texts.test.name} isOptional error={errorOf(`test.variants[${at}].name`)}>
          <Input
            value={variant.name}
            disabled={isReadOnly}
            onChange={({ target: { value } }) =>
              set({ variants: variants.map((one) => (one === variant ? { ...one, name: value } : one)) })
            }
          />
        </Field>
      </Fields>
      {!isReadOnly && (
        <Row>
          {variants.length < variantRange.max && (
            <Button
              isSmall
              icon="plus"
              onClick={() => {
                const next = withVariant(variants)
                set({ variants: next })
                show(next.at(-1)?.id ?? variant.id)
              }}
            >
              {texts.test.add}
            </Button>
          )}
          {variants.length > variantRange.min && (
            <Button
              isSmall
              onClick={() => {
                set({ variants: withoutVariant(variants, variant.id) })
                show("a")
              }}
            >
              {texts.test.removeOne(texts.test.variant(variant.id, variant.name))}
            </Button>
          )}
        </Row>
      )}
    </>
  )
}

interface LanguagesProps {
  readonly contents: ContentsDraft
  readonly shown: string | null
  readonly onShow: (language: string | null) => void
}

/** The languages of a content, of which one is on screen. */
const Languages = ({ contents: { languages }, onShow, shown }: LanguagesProps) => {
  const texts = useCampaignTexts()
  const { locale } = useFormat()
  const tags = Object.keys(languages)
  if (tags.length === 0) return null
  return (
    <Tabs
      label={texts.languages.title}
      value={shown ?? ""}
      onChange={(next) => onShow(next === "" ? null : next)}
      tabs={[
        { value: "", label: texts.languages.others },
        ...tags.map((value) => ({ value, label: languageName(locale, value) }))
      ]}
    />
  )
}

/** Adds a language to a content, and removes the one on screen. */
const LanguageActions = ({
  contents,
  onChange,
  onShow,
  shown
}: LanguagesProps & { readonly onChange: (languages: ContentsDraft["languages"]) => void }) => {
  const texts = useCampaignTexts()
  const { locale } = useFormat()
  const { common } = useTexts()
  const [tag, setTag] = useState("")
  const { languages, ...base } = contents
  const tags = Object.keys(languages)
  const wanted = tag.trim().toLowerCase()
  const add = () => {
    if (wanted === "" || tags.includes(wanted)) return
    onChange({ ...languages, [wanted]: base })
    onShow(wanted)
    setTag("")
  }
  return (
    <div className={styles["add"]}>
      {tags.length < maxLanguages && !isEmptyContent(base) && (
        <>
          <Field label={texts.languages.add}>
            <Input
              dir="ltr"
              placeholder="de"
              className={styles["short"]}
              value={tag}
              onChange={(event) => setTag(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== "Enter") return
                event.preventDefault()
                add()
              }}
            />
          </Field>
          <Button onClick={add}>{common.add}</Button>
        </>
      )}
      {shown !== null && (
        <Button
          onClick={() => {
            const { [shown]: _, ...left } = languages
            onChange(left)
            onShow(null)
          }}
        >
          {texts.languages.removeOne(languageName(locale, shown))}
        </Button>
      )}
    </div>
  )
}

/** The contents. The caller keeps which one is on screen, so that it can show its preview. */
export const Contents = ({
  accountId,
  errorOf,
  onShow,
  shown,
  ...part
}: PartProps & { readonly shown: ShownContent; readonly onShow: (shown: ShownContent) => void }) => {
  const { draft, isReadOnly, set } = part
  const { variants } = draft
  const contents = contentsOf(draft, shown)
  const at = Math.max(
    variants.findIndex(({ id }) => id === shown.variant),
    0
  )
  const language = shown.language !== null && shown.language in contents.languages ? shown.language : null
  const path = `${variants.length === 0 ? "content" : `test.variants[${at}].content`}${language === null ? "" : `.languages.${language}`}`
  const change = (next: ContentsDraft) =>
    variants.length === 0
      ? set({ content: next })
      : set({ variants: variants.map((one, index) => (index === at ? { ...one, content: next } : one)) })
  const changeShown = (changed: Partial<ContentDraft>) =>
    change(
      language === null
        ? { ...contents, ...changed }
        : {
            ...contents,
            languages: { ...contents.languages, [language]: { ...contentShown(draft, shown), ...changed } }
          }
    )
  const languages = {
    contents,
    shown: language,
    onShow: (next: string | null) => onShow({ ...shown, language: next })
  }
  return (
    <>
      <Variants {...part} errorOf={errorOf} shown={shown} onShow={onShow} />
      <Languages {...languages} />
      <ContentFields
        key={path}
        accountId={accountId}
        content={contentShown(draft, shown)}
        errorOf={errorOf}
        isReadOnly={isReadOnly}
        ownErrorOf={part.ownErrorOf}
        path={path}
        set={changeShown}
      />
      {!isReadOnly && (
        <LanguageActions {...languages} onChange={(changed) => change({ ...contents, languages: changed })} />
      )}
    </>
  )
}

/** Whether variants are tested, and how the test is decided. */
export const TestFields = ({ draft, errorOf, isReadOnly, set }: PartProps): ReactNode => {
  const texts = useCampaignTexts()
  const { test, variants } = draft
  const isOn = variants.length > 0
  const change = (next: Partial<typeof test>) => set({ test: { ...test, ...next } })
  const number = (key: "share" | "hours" | "confidence") => ({
    inputMode: "numeric" as const,
    value: test[key],
    disabled: isReadOnly,
    className: styles["short"],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      change({ [key]: event.target.value })
  })
  const choice = (key: "metric" | "decide" | "undecided", names: Readonly<Record<string, string>>) => ({
    value: test[key],
    disabled: isReadOnly,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      change({ [key]: event.target.value }),
    options: optionsOf(names)
  })
  const isSplit = test.share.trim() === "100"
  return (
    <Section title={texts.test.title} text={texts.test.text}>
      <Fields>
        <Field label={texts.test.on} error={errorOf("test.variants", "test")}>
          <Select
            value={isOn ? "Test" : "One"}
            disabled={isReadOnly}
            onChange={(event) => set(event.target.value === "Test" ? withTest(draft) : withoutTest(draft))}
            options={optionsOf(texts.test.ons)}
          />
        </Field>
        {isOn && (
          <Field label={texts.test.share} hint={texts.test.shareHint} error={errorOf("test.share")}>
            <Input {...number("share")} />
          </Field>
        )}
        {isOn && !isSplit && (
          <>
            <Field label={texts.test.metric} hint={texts.test.metricHint} error={errorOf("test.metric")}>
              <Select {...choice("metric", texts.test.metrics)} />
            </Field>
            <Field label={texts.test.hours} hint={texts.test.hoursHint} error={errorOf("test.after")}>
              <Input {...number("hours")} />
            </Field>
            <Field label={texts.test.decide} error={errorOf("test.decide")}>
              <Select {...choice("decide", texts.test.decides)} />
            </Field>
          </>
        )}
        {isOn && !isSplit && test.decide === "Auto" && (
          <>
            <Field
              label={texts.test.confidence}
              hint={texts.test.confidenceHint}
              error={errorOf("test.confidence")}
            >
              <Input {...number("confidence")} />
            </Field>
            <Field label={texts.test.undecided} error={errorOf("test.undecided")}>
              <Select {...choice("undecided", texts.test.undecideds)} />
            </Field>
          </>
        )}
      </Fields>
    </Section>
  )
}
