/**
 * One template: its editor, if the user may change it, its versions, and its usage.
 *
 * @module
 */
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { useApi, useTagged } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Columns, Nothing } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Facts, Page, Section } from "../../parts/page/Page.tsx"
import { Tabs } from "../../parts/page/Tabs.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import { useUsedByText } from "../editors/UsedBy.tsx"
import { draftOf, Editor, type Stored } from "./Editor.tsx"
import { TestSend } from "./TestSend.tsx"
import { Usage } from "./Usage.tsx"
import { Versions } from "./Versions.tsx"

const route = getRouteApi("/shell/a/$accountId/templates/$templateId")

const Details = ({ template }: { readonly template: Stored }) => {
  const { people, templates: texts } = useTexts()
  return (
    <Section title={texts.details}>
      <Card>
        <Facts
          facts={[
            [texts.changed, <RelativeTime key="at" at={template.updatedAt} />],
            [texts.created, <RelativeTime key="at" at={template.createdAt} />],
            [
              people.facts.id,
              <>
                <code>{template.id}</code> <CopyButton value={template.id} />
              </>
            ]
          ]}
        />
      </Card>
    </Section>
  )
}

/** The source, for users who may not change it. */
const Source = ({ template }: { readonly template: Stored }) => {
  const { templates: texts } = useTexts()
  const [part, setPart] = useState<"html" | "text">("html")
  const shown = template[part]
  return (
    <Section title={texts.source}>
      <Tabs
        label={texts.source}
        value={part}
        onChange={setPart}
        tabs={[
          { value: "html", label: texts.html },
          { value: "text", label: texts.plain }
        ]}
      />
      {shown === null ? (
        <Card isFlush>
          <Nothing>{texts.noPart}</Nothing>
        </Card>
      ) : (
        <Code label={part === "html" ? texts.html : texts.plain}>{shown}</Code>
      )}
    </Section>
  )
}

/** The screen. */
export const Template = () => {
  const { templates: texts } = useTexts()
  const { template: editor } = useEditorTexts()
  const { accountId, templateId } = route.useParams()
  const navigate = useNavigate()
  const { can } = useAccount()
  const [isRemoving, setRemoving] = useState(false)
  const params = { accountId, id: templateId }
  const query = useTagged("GET /accounts/:accountId/templates/:id", { params })
  const usage = useApi("GET /accounts/:accountId/templates/:id/usage", { params }, { enabled: isRemoving })
  const usedBy = useUsedByText()
  const [savedAs, setSavedAs] = useState<Stored | null>(null)
  const { isBusy, run } = useAction(["GET /accounts/:accountId/templates"])
  const mayWrite = can("templates:write")
  const current = savedAs ?? query.data?.value
  const name = current?.name ?? ""
  const remove = async () => {
    if (await run(() => call("DELETE /accounts/:accountId/templates/:id", { params }), texts.removed(name)))
      void navigate({ to: "/a/$accountId/templates", params: { accountId } })
    setRemoving(false)
  }
  return (
    <Page
      title={current?.name ?? texts.name}
      badge={current !== undefined && <Badge>{editor.formats[current.format] ?? current.format}</Badge>}
      back={{ link: { to: "/a/$accountId/templates", params: { accountId } }, label: texts.title }}
      actions={
        <>
          {can("emails:send") && current !== undefined && <TestSend templateId={templateId} />}
          {mayWrite && current !== undefined && (
            <Button tone="danger" onClick={() => setRemoving(true)}>
              {texts.remove}
            </Button>
          )}
        </>
      }
    >
      <Loaded thing="Template" query={query}>
        {({ etag, value }) => (
          <>
            {mayWrite && (
              // A restored version is what is edited from then on.
              <Editor
                key={value.version}
                template={value}
                etag={etag}
                start={draftOf(value)}
                onSaved={setSavedAs}
              />
            )}
            <Columns
              aside={
                <>
                  <Details template={current ?? value} />
                  <Usage templateId={value.id} />
                </>
              }
            >
              {!mayWrite && <Source template={value} />}
              <Versions
                template={current ?? value}
                onRestored={() => {
                  setSavedAs(null)
                  void query.refetch()
                }}
              />
            </Columns>
          </>
        )}
      </Loaded>
      {isRemoving && (
        <ConfirmDialog
          isOpen
          title={texts.removeTitle(name)}
          text={usage.data === undefined ? null : texts.removeText(usedBy(usage.data))}
          action={texts.remove}
          isBusy={isBusy}
          onClose={() => setRemoving(false)}
          onConfirm={() => void remove()}
        >
          {usage.error !== null && <ErrorBanner error={usage.error} onRetry={() => void usage.refetch()} />}
        </ConfirmDialog>
      )}
    </Page>
  )
}
