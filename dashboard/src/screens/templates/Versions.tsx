/**
 * The versions of a template, for comparison with the current one and for restoring.
 *
 * @module
 */
import { call, type ValueOf } from "../../api/call.ts"
import { useApi, useList } from "../../api/queries.ts"
import { usePanel } from "../../app/panel.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useActorName } from "../../app/useActorName.ts"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Entries } from "../../parts/list/Entries.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Entry, Row } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Diff } from "../../parts/show/Diff.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"

type Template = ValueOf<"GET /accounts/:accountId/templates/:id">

const listRoute = "GET /accounts/:accountId/templates/:id/versions"

/** The editable content of a template, as one text. */
const textOf = ({ html, preheader, source, subject, text }: Partial<Template>): string =>
  [subject, preheader, source ?? html, text].filter((part) => part != null && part !== "").join("\n\n")

const CompareDialog = ({
  onClose,
  template,
  version
}: {
  readonly template: Template
  readonly version: number
  readonly onClose: () => void
}) => {
  const { common, templates: texts } = useTexts()
  const format = useFormat()
  const { id: accountId } = useAccount()
  const query = useApi("GET /accounts/:accountId/templates/:id/versions/:version", {
    params: { accountId, id: template.id, version: String(version) }
  })
  const title = texts.compareTitle(format.number(version), format.number(template.version))
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={title}
      text={texts.compareText}
      actions={<Button onClick={onClose}>{common.close}</Button>}
    >
      <Loaded thing="Version" query={query}>
        {(before) => <Diff label={title} before={textOf(before)} after={textOf(template)} />}
      </Loaded>
    </Dialog>
  )
}

/** The section of the screen. */
export const Versions = ({
  onRestored,
  template
}: {
  readonly template: Template
  readonly onRestored: () => void
}) => {
  const { templates: texts } = useTexts()
  const nameOfActor = useActorName()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const params = { accountId, id: template.id }
  const list = useList(listRoute, { params })
  const [compared, compare] = usePanel("compared")
  const { isBusy, run } = useAction([listRoute, "GET /accounts/:accountId/templates"])
  const restore = async (version: number) => {
    await call("POST /accounts/:accountId/templates/:id/restore", { params, body: { version } })
    onRestored()
  }
  return (
    <Section title={texts.versions}>
      <Entries list={list} empty={texts.noVersions}>
        {({ savedAt, savedBy, version }) => (
          <Entry
            key={version}
            text={
              <>
                <RelativeTime at={savedAt} />
                {savedBy !== null && ` · ${nameOfActor(savedBy)}`}
              </>
            }
            end={
              version === template.version ? (
                texts.current
              ) : (
                <Row>
                  <Button isSmall onClick={() => compare(String(version))}>
                    {texts.compare}
                  </Button>
                  {can("templates:write") && (
                    <Button
                      isSmall
                      isBusy={isBusy}
                      onClick={() =>
                        void run(
                          () => restore(version),
                          texts.restored(format.number(version)),
                          () => restore(template.version)
                        )
                      }
                    >
                      {texts.restore}
                    </Button>
                  )}
                </Row>
              )
            }
          >
            {texts.version(format.number(version))}
          </Entry>
        )}
      </Entries>
      {compared !== null && (
        <CompareDialog template={template} version={Number(compared)} onClose={() => compare(null)} />
      )}
    </Section>
  )
}
