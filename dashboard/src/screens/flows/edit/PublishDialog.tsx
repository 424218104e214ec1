/**
 * Publishes a flow, after showing the differences from the published version and the number of runs on each version.
 *
 * @module
 */
import { call } from "../../../api/call.ts"
import { useApi, useExtra } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { placesOf, type Step } from "../../../lib/flow.ts"
import { textOfFlow } from "../../../lib/flowText.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { useAction } from "../../../parts/overlay/useAction.ts"
import { Banner } from "../../../parts/page/Banner.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Diff } from "../../../parts/show/Diff.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"

const Changes = ({
  after,
  flowId,
  version
}: {
  readonly flowId: string
  readonly version: number
  readonly after: string
}) => {
  const { flow: texts } = useEditorTexts()
  const { id: accountId } = useAccount()
  const query = useApi("GET /accounts/:accountId/flows/:id/versions/:version", {
    params: { accountId, id: flowId, version: String(version) }
  })
  return (
    <Loaded query={query}>
      {(published) => {
        const before = textOfFlow(published, texts.kinds)
        return before === after ? (
          <p>{texts.noChange}</p>
        ) : (
          <Diff label={texts.diff} before={before} after={after} />
        )
      }}
    </Loaded>
  )
}

/** The dialog. */
export const PublishDialog = ({
  flowId,
  onClose,
  onPublished,
  stopEvents,
  steps,
  trigger,
  version
}: {
  readonly flowId: string
  /** The published version; 0 if there is none. */
  readonly version: number
  readonly trigger: unknown
  readonly stopEvents: ReadonlyArray<unknown>
  readonly steps: ReadonlyArray<Step>
  readonly onClose: () => void
  readonly onPublished: () => void
}) => {
  const { common, flows } = useTexts()
  const { flow: texts } = useEditorTexts()
  const format = useFormat()
  const { can, id: accountId, mode } = useAccount()
  const params = { accountId, id: flowId }
  const domains = useExtra(
    "GET /accounts/:accountId/domains",
    { params: { accountId } },
    { enabled: mode === "live" && can("domains:read") }
  )
  const isHeld =
    domains?.items.every(({ status }) => status !== "Verified") === true &&
    placesOf(steps).some(([, { kind }]) => kind === "SendEmail")
  const stats = useExtra("GET /accounts/:accountId/flows/:id/stats", { params })
  const { isBusy, run } = useAction([
    "GET /accounts/:accountId/flows",
    "GET /accounts/:accountId/flows/:id",
    "GET /accounts/:accountId/flows/:id/stats"
  ])
  const active = stats?.active ?? 0
  const publish = async () => {
    const done = texts.published(format.number(version + 1))
    if (await run(() => call("POST /accounts/:accountId/flows/:id/publish", { params }), done)) onPublished()
    onClose()
  }
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      onSubmit={() => void publish()}
      title={texts.publishTitle}
      text={texts.publishText(flows.activeRuns(format.number(active), active))}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {texts.publish}
          </Button>
        </>
      }
    >
      {isHeld && <Banner tone="warning">{texts.noDomain}</Banner>}
      {version === 0 ? (
        <p>{texts.publishFirst}</p>
      ) : (
        <Changes
          flowId={flowId}
          version={version}
          after={textOfFlow({ trigger, stopEvents, steps }, texts.kinds)}
        />
      )}
    </Dialog>
  )
}
