/**
 * A new template, started from a ready-made one, from scratch, or from an HTML file and its images.
 *
 * @module
 */
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { useRef, useState } from "react"
import { upload, urlOf, type ValueOf } from "../../api/call.ts"
import { ApiError } from "../../api/errors.ts"
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { documentOf, sourceOf } from "../../lib/blocks.ts"
import { filesOf, withAddresses } from "../../lib/importHtml.ts"
import { Button } from "../../parts/form/Button.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { Banner } from "../../parts/page/Banner.tsx"
import { Row } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Page, Section } from "../../parts/page/Page.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import { draftOf, Editor, type TemplateDraft } from "./Editor.tsx"
import styles from "./Editor.module.css"
import { Thumbnail } from "./Thumbnail.tsx"

const route = getRouteApi("/shell/a/$accountId/templates/new")

type Uploaded = ValueOf<"GET /accounts/:accountId/images/:id">

const mjml = `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text>Hello {{ contact.firstName | default: "there" }}</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`

/** A draft without content. */
const emptyDraft = (format: TemplateDraft["format"]): TemplateDraft => ({
  name: "",
  subject: "",
  preheader: "",
  format,
  body: { Blocks: sourceOf({ blocks: [] }), Mjml: mjml, Html: "" }[format],
  text: ""
})

/** The ready-made template from which an empty document takes its colours, header and footer, which are those of the brand. */
const framing = "announcement"

/** An empty document with the company's brand. */
const framedSource = (source: string | null | undefined): string => {
  const { blocks, ...document } = documentOf(source ?? null)
  const content = blocks.findIndex(({ kind, level }) => kind === "Heading" && level === 1)
  const header = blocks.slice(0, Math.max(0, content)).filter(({ kind }) => kind !== "Text")
  return sourceOf({ ...document, blocks: [...header, ...blocks.filter(({ kind }) => kind === "Footer")] })
}

const isFormat = (text: string | undefined): text is TemplateDraft["format"] =>
  text === "Blocks" || text === "Html" || text === "Mjml"

const isHtml = ({ name, type }: File): boolean => type === "text/html" || /\.html?$/i.test(name)

/** The screen. */
export const NewTemplate = () => {
  const { templates: areas } = useTexts()
  const { template: texts } = useEditorTexts()
  const format = useFormat()
  const { id: accountId } = useAccount()
  const { from } = route.useSearch()
  const setSearch = route.useNavigate()
  const navigate = useNavigate()
  const starters = useApi("GET /accounts/:accountId/template-starters", { params: { accountId } })
  const files = useRef<HTMLInputElement>(null)
  const [imported, setImported] = useState<TemplateDraft | null>(null)
  const [missing, setMissing] = useState<ReadonlyArray<string>>([])
  const [isBusy, setBusy] = useState(false)
  const begin = (next: string) => void setSearch({ search: { from: next } })

  const take = async (chosen: ReadonlyArray<File>) => {
    const file = chosen.find(isHtml)
    if (file === undefined) return
    setBusy(true)
    try {
      const html = await file.text()
      const uploaded = filesOf(html).flatMap((name) => {
        const image = chosen.find((one) => one.name === name)
        if (image === undefined) return []
        const url = urlOf("/accounts/:accountId/images", { accountId }, { name })
        return [
          upload<Uploaded>(url, image, "application/octet-stream").then((made) => [name, made.url] as const)
        ]
      })
      const addresses = new Map(await Promise.all(uploaded))
      setMissing(filesOf(html).filter((name) => !addresses.has(name)))
      setImported({
        ...emptyDraft("Html"),
        name: file.name.replace(/\.html?$/i, ""),
        body: withAddresses(html, addresses)
      })
      begin("file")
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      toast(error.message, { tone: "bad" })
    } finally {
      setBusy(false)
    }
  }

  const done = (id: string) =>
    void navigate({ to: "/a/$accountId/templates/$templateId", params: { accountId, templateId: id } })
  const back = { link: { to: "/a/$accountId/templates" as const, params: { accountId } }, label: areas.title }

  if (from !== undefined && (from !== "file" || imported !== null))
    return (
      <Page title={texts.new} back={back}>
        {missing.length > 0 && <Banner tone="warning">{texts.importMissing(format.list(missing))}</Banner>}
        {from === "file" && imported !== null ? (
          <Editor template={null} draftName="file" start={imported} onSaved={({ id }) => done(id)} />
        ) : isFormat(from) && from !== "Blocks" ? (
          <Editor
            key={from}
            template={null}
            draftName={from}
            start={emptyDraft(from)}
            onSaved={({ id }) => done(id)}
          />
        ) : (
          <Loaded query={starters}>
            {(all) => {
              const starter = all.find(({ key }) => key === from)
              const start =
                starter === undefined
                  ? {
                      ...emptyDraft("Blocks"),
                      body: framedSource(all.find(({ key }) => key === framing)?.source)
                    }
                  : draftOf({ ...starter, html: null })
              return (
                <Editor
                  key={from}
                  template={null}
                  draftName={from}
                  start={start}
                  startSample={starter?.sample ?? {}}
                  onSaved={({ id }) => done(id)}
                />
              )
            }}
          </Loaded>
        )}
      </Page>
    )
  return (
    <Page title={texts.new} text={texts.newText} back={back}>
      <Section title={texts.scratch} text={texts.fromFileText}>
        <Row>
          <Button icon="plus" onClick={() => begin("Blocks")}>
            {texts.fromBlocks}
          </Button>
          <Button icon="code" onClick={() => begin("Mjml")}>
            {texts.fromMjml}
          </Button>
          <Button icon="code" onClick={() => begin("Html")}>
            {texts.fromHtml}
          </Button>
          <input
            ref={files}
            type="file"
            multiple
            hidden
            accept=".html,.htm,text/html,image/png,image/jpeg,image/gif,image/webp"
            aria-label={texts.fromFile}
            onChange={({ target }) => {
              const chosen = [...(target.files ?? [])]
              target.value = ""
              void take(chosen)
            }}
          />
          <Button icon="upload" isBusy={isBusy} onClick={() => files.current?.click()}>
            {texts.fromFile}
          </Button>
        </Row>
      </Section>
      <Section title={texts.starters}>
        <Loaded query={starters}>
          {(all) => (
            <ul className={styles["starters"]}>
              {all.map(({ description, key, name }) => (
                <li key={key}>
                  <Thumbnail
                    className={styles["picture"] ?? ""}
                    src={`/manage/v1/accounts/${accountId}/template-starters/${key}/frame`}
                  />
                  <div>
                    <strong>{name}</strong>
                    <p className={styles["soft"]}>{description}</p>
                  </div>
                  <Button isSmall onClick={() => begin(key)}>
                    {texts.begin(name)}
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
    </Page>
  )
}
