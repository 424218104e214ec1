/**
 * One template: its source.
 *
 * @module
 */
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { useApi } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Columns, Nothing } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Facts, Page, Section } from "../../parts/page/Page.tsx"
import { Tabs } from "../../parts/page/Tabs.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { Usage } from "./Usage.tsx"
import { Versions } from "./Versions.tsx"

const route = getRouteApi("/shell/a/$accountId/templates/$templateId")

/** The screen. */
export const Template = () => {
  const { people, templates: texts } = useTexts()
  const { accountId, templateId } = route.useParams()
  const search = route.useSearch()
  const setSearch = route.useNavigate()
  const navigate = useNavigate()
  const { can } = useAccount()
  const [isRemoving, setRemoving] = useState(false)
  const params = { accountId, id: templateId }
  const query = useApi("GET /accounts/:accountId/templates/:id", { params })
  const { isBusy, run } = useAction(["GET /accounts/:accountId/templates"])
  const part = search.part === "text" ? "text" : "html"
  const name = query.data?.name ?? ""
  const remove = async () => {
    if (await run(() => call("DELETE /accounts/:accountId/templates/:id", { params }), texts.removed(name)))
      void navigate({ to: "/a/$accountId/templates", params: { accountId } })
    setRemoving(false)
  }
  return (
    <Page
      title={query.data?.name ?? texts.name}
      back={{ link: { to: "/a/$accountId/templates", params: { accountId } }, label: texts.title }}
      actions={
        query.data !== undefined &&
        can("templates:write") && (
          <Button tone="danger" onClick={() => setRemoving(true)}>
            {texts.remove}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {(template) => (
          <Columns
            aside={
              <>
                <Section title={texts.details}>
                  <Card>
                    <Facts
                      facts={[
                        [texts.subject, template.subject],
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
                <Usage templateId={templateId} />
              </>
            }
          >
            <Section title={texts.source}>
              <Tabs
                label={texts.source}
                value={part}
                onChange={(next) => void setSearch({ search: { part: next }, replace: true })}
                tabs={[
                  { value: "html", label: texts.html },
                  { value: "text", label: texts.plain }
                ]}
              />
              {template[part] === null ? (
                <Card isFlush>
                  <Nothing>{texts.noPart}</Nothing>
                </Card>
              ) : (
                <Code label={part === "html" ? texts.html : texts.plain}>{template[part]}</Code>
              )}
            </Section>
            <Versions template={template} />
          </Columns>
        )}
      </Loaded>
      {isRemoving && (
        <ConfirmDialog
          isOpen
          title={texts.removeTitle(name)}
          text={texts.removeText}
          action={texts.remove}
          isBusy={isBusy}
          onClose={() => setRemoving(false)}
          onConfirm={() => void remove()}
        />
      )}
    </Page>
  )
}
