/**
 * The editor of a template, as code or as blocks, with a preview beside it. Unsaved changes survive a reload of the page.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { callTagged, type ValueOf } from "../../api/call.ts"
import { ApiError } from "../../api/errors.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { commonNames, namesIn } from "../../lib/liquid.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input, TextArea } from "../../parts/form/Field.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { Row } from "../../parts/page/Columns.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import { useWordsOfService } from "../../texts/said/Said.tsx"
import { CodeArea, type LineError } from "../editors/CodeArea.tsx"
import { EditedMeanwhile, isEditedMeanwhile } from "../editors/EditedMeanwhile.tsx"
import { LeaveGuard } from "../editors/LeaveGuard.tsx"
import { Composer } from "./blocks/Composer.tsx"
import styles from "./Editor.module.css"
import { Preview, type Rendered, type Sample, useRendered } from "./Preview.tsx"

const oneRoute = "GET /accounts/:accountId/templates/:id"

/** A stored template. */
export type Stored = ValueOf<typeof oneRoute>

/** What is being edited. */
export interface TemplateDraft {
  readonly name: string
  readonly subject: string
  readonly preheader: string
  readonly format: "Blocks" | "Html" | "Mjml"
  /** HTML, MJML, or the JSON document of the composer. */
  readonly body: string
  readonly text: string
}

/** The draft of a template. */
export const draftOf = ({
  format,
  html,
  name,
  preheader,
  source,
  subject,
  text
}: Pick<
  Stored,
  "format" | "html" | "name" | "preheader" | "source" | "subject" | "text"
>): TemplateDraft => ({
  name,
  subject,
  preheader: preheader ?? "",
  format,
  body: (format === "Html" ? html : source) ?? "",
  text: text ?? ""
})

/** The draft in the form that the service takes. */
const writeOf = ({ body, format, name, preheader, subject, text }: TemplateDraft) => ({
  name,
  subject,
  format,
  preheader: preheader === "" ? null : preheader,
  text: text === "" ? null : text,
  ...(format === "Html" ? { html: body, source: null } : { source: body, html: null })
})

const textOf = ({ body, name, preheader, subject, text }: TemplateDraft): string =>
  [name, subject, preheader, body, text].join("\n\n")

/** Keeps a draft in the tab's storage until it is saved or discarded; null removes it. */
const keep = (key: string, draft: TemplateDraft | null): void => {
  try {
    if (draft === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // Without storage, a reload starts again from the saved template.
  }
}

const kept = (key: string): TemplateDraft | null => {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as TemplateDraft | null
  } catch {
    return null
  }
}

/** The errors in the body, by line. */
const lineErrors = (problems: Rendered["problems"], field: string): ReadonlyArray<LineError> =>
  problems
    .filter((problem) => problem.field === field)
    .map(({ message, params }) => ({ line: params?.["line"] ?? null, message }))

const noSample: Sample = {}

/** The editor. */
export const Editor = ({
  etag = null,
  draftName = "new",
  onSaved,
  start,
  startSample = noSample,
  template
}: {
  /** The stored template; null for a new one. */
  readonly template: Stored | null
  readonly etag?: string | null
  readonly start: TemplateDraft
  /** The starting point of a new template. Each has its own kept draft. */
  readonly draftName?: string
  /** The initial sample data of the preview. */
  readonly startSample?: Sample
  readonly onSaved: (template: Stored) => void
}) => {
  const { common } = useTexts()
  const { template: texts } = useEditorTexts()
  const format = useFormat()
  const client = useQueryClient()
  const { id: accountId } = useAccount()
  const key = `template ${accountId} ${template?.id ?? draftName}`
  const [saved, setSaved] = useState(start)
  const [found] = useState(() => kept(key))
  const [draft, setDraft] = useState(found ?? start)
  const [isRestored, setRestored] = useState(found !== null && textOf(found) !== textOf(start))
  // The composer keeps its own history; a new edition resets it for another document.
  const [edition, setEdition] = useState(0)
  const [tag, setTag] = useState(etag)
  const [sample, setSample] = useState(startSample)
  const [contactId, setContactId] = useState<string | null>(null)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [theirs, setTheirs] = useState<{ readonly draft: TemplateDraft; readonly tag: string | null } | null>(
    null
  )
  const [isSaving, setSaving] = useState(false)
  const [isSwitching, setSwitching] = useState(false)
  // A ref, because the guard may ask before the saved state is rendered.
  const savedText = useRef(textOf(start))
  const { name: _name, ...content } = writeOf(draft)
  const rendered = useRendered(content, contactId, sample)
  const { translate } = useWordsOfService()
  const problems = (rendered.data?.problems ?? []).map((one) => ({
    ...one,
    message: translate(one.message)
  }))
  const isChanged = textOf(draft) !== textOf(saved)
  const fields = {
    ...Object.fromEntries(
      problems.flatMap(({ field, message }) => (field === null ? [] : [[field, message]]))
    ),
    ...failure?.fields
  }

  useEffect(() => keep(key, isChanged ? draft : null), [draft, isChanged, key])

  const change = (values: Partial<TemplateDraft>) => {
    setFailure(null)
    setDraft((before) => ({ ...before, ...values }))
  }

  const show = (next: TemplateDraft) => {
    setDraft(next)
    setEdition((before) => before + 1)
  }

  const save = async (ifMatch: string | null) => {
    setSaving(true)
    setFailure(null)
    const body = writeOf(draft)
    try {
      const { etag: next, value } =
        template === null
          ? await callTagged("POST /accounts/:accountId/templates", { params: { accountId }, body })
          : await callTagged(
              "PATCH /accounts/:accountId/templates/:id",
              { params: { accountId, id: template.id }, body },
              { ifMatch: ifMatch ?? undefined }
            )
      setTag(next)
      setSaved(draft)
      setTheirs(null)
      setRestored(false)
      keep(key, null)
      savedText.current = textOf(draft)
      toast(template === null ? texts.created(value.name) : texts.saved(format.number(value.version)))
      for (const route of [
        "GET /accounts/:accountId/templates",
        "GET /accounts/:accountId/templates/:id/versions"
      ])
        void client.invalidateQueries({ queryKey: [route] })
      onSaved(value)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setFailure(error)
      if (template !== null && isEditedMeanwhile(error)) {
        const current = await callTagged(oneRoute, { params: { accountId, id: template.id } })
        setTheirs({ draft: draftOf(current.value), tag: current.etag })
      }
    } finally {
      setSaving(false)
    }
  }

  const takeTheirs = () => {
    if (theirs === null) return
    show(theirs.draft)
    setSaved(theirs.draft)
    savedText.current = textOf(theirs.draft)
    setTag(theirs.tag)
    setTheirs(null)
    setFailure(null)
  }

  const names = [
    ...commonNames,
    ...namesIn(sample, "event"),
    ...Object.entries(sample).flatMap(([name, value]) => [name, ...namesIn(value, name)])
  ]
  const bodyField = draft.format === "Html" ? "html" : "source"
  const mjml = rendered.data?.mjml ?? null
  return (
    <div className={styles["editor"]}>
      <form
        className={styles["form"]}
        noValidate
        onSubmit={(submitted) => {
          submitted.preventDefault()
          void save(tag)
        }}
      >
        {isRestored && (
          <Banner
            action={
              <Button
                isSmall
                onClick={() => {
                  show(saved)
                  setRestored(false)
                }}
              >
                {texts.drop}
              </Button>
            }
          >
            {texts.restored}
          </Banner>
        )}
        {theirs !== null && failure !== null ? (
          <EditedMeanwhile
            error={failure}
            isBusy={isSaving}
            mine={textOf(draft)}
            theirs={textOf(theirs.draft)}
            onTakeTheirs={takeTheirs}
            onSaveMine={() => void save(theirs.tag)}
          />
        ) : (
          failure !== null && Object.keys(failure.fields).length === 0 && <ErrorBanner error={failure} />
        )}
        <Field label={texts.name} error={failure?.fields["name"]}>
          <Input
            value={draft.name}
            autoComplete="off"
            onChange={({ target: { value } }) => change({ name: value })}
          />
        </Field>
        <Field label={texts.subject} error={fields["subject"]}>
          <Input
            value={draft.subject}
            autoComplete="off"
            onChange={({ target: { value } }) => change({ subject: value })}
          />
        </Field>
        <Field label={texts.preheader} hint={texts.preheaderHint} isOptional error={fields["preheader"]}>
          <Input
            value={draft.preheader}
            autoComplete="off"
            onChange={({ target: { value } }) => change({ preheader: value })}
          />
        </Field>
        {draft.format === "Blocks" ? (
          <>
            <Composer
              key={edition}
              source={draft.body}
              fields={fields}
              onChange={(body) => change({ body })}
            />
            <Row>
              <Button isSmall icon="code" disabled={mjml === null} onClick={() => setSwitching(true)}>
                {texts.toCode}
              </Button>
            </Row>
          </>
        ) : (
          <CodeArea
            label={texts.code(texts.formats[draft.format] ?? draft.format)}
            value={draft.body}
            names={names}
            errors={lineErrors(problems, bodyField)}
            onChange={(body) => change({ body })}
          />
        )}
        <Field label={texts.text} hint={texts.textHint} isOptional error={fields["text"]}>
          <TextArea
            rows={6}
            value={draft.text}
            onChange={({ target: { value } }) => change({ text: value })}
          />
        </Field>
        <div className={styles["bar"]}>
          <span>{isChanged ? texts.unsaved : ""}</span>
          {isChanged && template !== null && <Button onClick={() => show(saved)}>{common.undo}</Button>}
          <Button type="submit" tone="primary" isBusy={isSaving}>
            {texts.save}
          </Button>
        </div>
      </form>
      <Preview
        hasSubject={draft.subject.trim() !== ""}
        rendered={rendered}
        sample={sample}
        onSample={setSample}
        onPerson={setContactId}
      />
      <LeaveGuard isChanged={() => textOf(draft) !== savedText.current} />
      {isSwitching && (
        <ConfirmDialog
          isOpen
          tone="primary"
          title={texts.toCodeTitle}
          text={texts.toCodeText}
          action={texts.toCode}
          onClose={() => setSwitching(false)}
          onConfirm={() => {
            if (mjml !== null) change({ format: "Mjml", body: mjml })
            setSwitching(false)
          }}
        />
      )}
    </div>
  )
}
