/**
 * The published versions of a flow, the number of runs on each, and a line-by-line comparison of two versions.
 *
 * @module
 */
import type { ValueOf } from "../../api/call.ts"
import { useApi, useList } from "../../api/queries.ts"
import { useState } from "react"
import { usePanel } from "../../app/panel.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Select } from "../../parts/form/Field.tsx"
import { Entries } from "../../parts/list/Entries.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { Entry, Row } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { textOfFlow } from "../../lib/flowText.ts"
import { Diff } from "../../parts/show/Diff.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import { useRecordTexts } from "../../texts/records/useRecordTexts.ts"

type Flow = ValueOf<"GET /accounts/:accountId/flows/:id">

const listRoute = "GET /accounts/:accountId/flows/:id/versions"

/** The value of the draft in the selection of versions. */
const draft = "draft"

type Definition = Pick<Flow, "steps" | "stopEvents" | "trigger">

const Compared = ({
  after,
  before,
  label
}: {
  readonly before: Definition
  readonly after: Definition
  readonly label: string
}) => {
  const { flowVersions: texts } = useRecordTexts()
  const { flow } = useEditorTexts()
  const [first, second] = [textOfFlow(before, flow.kinds), textOfFlow(after, flow.kinds)]
  return first === second ? <p>{texts.same}</p> : <Diff label={label} before={first} after={second} />
}

const CompareDialog = ({
  flow,
  numbers,
  onClose,
  version
}: {
  readonly flow: Flow
  /** The versions that can be compared. */
  readonly numbers: ReadonlyArray<number>
  readonly version: number
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { flowVersions: texts } = useRecordTexts()
  const format = useFormat()
  const { id: accountId } = useAccount()
  const [other, setOther] = useState(draft)
  const route = "GET /accounts/:accountId/flows/:id/versions/:version"
  const params = { accountId, id: flow.id }
  const before = useApi(route, { params: { ...params, version: String(version) } })
  const after = useApi(
    route,
    { params: { ...params, version: other === draft ? String(version) : other } },
    { enabled: other !== draft }
  )
  const nameOf = (value: string): string =>
    value === draft ? texts.draft : texts.version(format.number(Number(value)))
  const title = texts.compareTitle(nameOf(String(version)), nameOf(other))
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={title}
      text={texts.compareText}
      actions={<Button onClick={onClose}>{common.close}</Button>}
    >
      <Field label={texts.compareWith}>
        <Select
          value={other}
          onChange={(event) => setOther(event.target.value)}
          options={[draft, ...numbers.filter((one) => one !== version).map(String)].map((value) => ({
            value,
            label: nameOf(value)
          }))}
        />
      </Field>
      <Loaded thing="Version" query={before}>
        {(first) =>
          other === draft ? (
            <Compared label={title} before={first} after={flow} />
          ) : (
            <Loaded thing="Version" query={after}>
              {(second) => <Compared label={title} before={first} after={second} />}
            </Loaded>
          )
        }
      </Loaded>
    </Dialog>
  )
}

/** The section of the screen. */
export const FlowVersions = ({
  active,
  flow
}: {
  readonly flow: Flow
  /** The number of active runs of each version. */
  readonly active: ReadonlyArray<{ readonly version: number; readonly active: number }>
}) => {
  const { flowVersions: texts } = useRecordTexts()
  const format = useFormat()
  const { id: accountId } = useAccount()
  const list = useList(listRoute, { params: { accountId, id: flow.id } })
  const [compared, compare] = usePanel("compared")
  return (
    <Section title={texts.title}>
      <Entries list={list} empty={texts.none}>
        {({ publishedAt, version }) => {
          const runs = active.find((one) => one.version === version)?.active ?? 0
          return (
            <Entry
              key={version}
              text={
                <>
                  <RelativeTime at={publishedAt} />
                  {runs > 0 && ` · ${texts.active(format.number(runs), runs)}`}
                </>
              }
              end={
                <Row>
                  <Button isSmall onClick={() => compare(String(version))}>
                    {texts.compare}
                  </Button>
                </Row>
              }
            >
              {texts.version(format.number(version))}
            </Entry>
          )
        }}
      </Entries>
      {compared !== null && (
        <CompareDialog
          flow={flow}
          numbers={list.items.map(({ version }) => version)}
          version={Number(compared)}
          onClose={() => compare(null)}
        />
      )}
    </Section>
  )
}
