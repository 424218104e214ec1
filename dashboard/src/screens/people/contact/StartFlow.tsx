/**
 * The dialog that starts a flow for one person, regardless of the flow's trigger.
 *
 * @module
 */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApi, useChange } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Select } from "../../../parts/form/Field.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../../parts/page/Banner.tsx"
import { useRecordTexts } from "../../../texts/records/useRecordTexts.ts"

/** The dialog. On success it opens the new run. */
export const StartFlow = ({
  accountId,
  contactId,
  name,
  onClose
}: {
  readonly accountId: string
  readonly contactId: string
  /** The name of the person. */
  readonly name: string
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { startFlow: texts } = useRecordTexts()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string | null>(null)
  const all = useApi("GET /accounts/:accountId/flows", {
    params: { accountId },
    query: { limit: 200 }
  })
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/flows/:id/start", {
    renews: [
      "GET /accounts/:accountId/contacts/:id/runs",
      "GET /accounts/:accountId/flows/:id/runs",
      "GET /accounts/:accountId/flows/:id/stats"
    ]
  })
  const flows = (all.data?.items ?? []).filter(({ status }) => status === "Published")
  const flow = flows.find(({ id }) => id === chosen) ?? flows[0]
  const start = () => {
    if (flow === undefined) return
    mutate(
      { params: { accountId, id: flow.id }, body: { contactId } },
      {
        onSuccess: ({ id }) => {
          toast(texts.done(flow.name))
          void navigate({
            to: "/a/$accountId/flows/$flowId",
            params: { accountId, flowId: flow.id },
            search: { run: id }
          })
        }
      }
    )
  }
  const failed = all.error ?? error
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={start}
      title={texts.title}
      text={texts.text(name)}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending} disabled={flow === undefined}>
            {texts.start}
          </Button>
        </>
      }
    >
      {failed !== null && <ErrorBanner error={failed} />}
      {all.data !== undefined && flows.length === 0 ? (
        <Banner>{texts.none}</Banner>
      ) : (
        <Field label={texts.flow}>
          <Select
            value={flow?.id ?? ""}
            onChange={(event) => setChosen(event.target.value)}
            options={flows.map(({ id, name: label }) => ({ value: id, label }))}
          />
        </Field>
      )}
    </Dialog>
  )
}
