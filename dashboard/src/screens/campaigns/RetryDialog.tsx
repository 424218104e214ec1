/**
 * Sends a campaign again to the people who did not get it.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Checkbox } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { useCampaignTexts } from "../../texts/campaigns/useCampaignTexts.ts"
import { campaignRoutesRead } from "./useCampaign.ts"

const choices = ["RenderFailed", "NotDelivered"] as const

/** The dialog. */
export const RetryDialog = ({
  accountId,
  id,
  onClose
}: {
  readonly accountId: string
  readonly id: string
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { retry: texts } = useCampaignTexts()
  const format = useFormat()
  const [chosen, setChosen] = useState<ReadonlyArray<(typeof choices)[number]>>(choices)
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/campaigns/:id/retry", {
    renews: campaignRoutesRead
  })
  const start = () =>
    mutate(
      { params: { accountId, id }, body: { what: chosen } },
      {
        onSuccess: ({ recipients }) => {
          toast(recipients === 0 ? texts.none : texts.done(format.number(recipients), recipients))
          onClose()
        }
      }
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={start}
      title={texts.title}
      text={texts.text}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending} disabled={chosen.length === 0}>
            {texts.title}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorBanner error={error} />}
      {choices.map((one) => (
        <Checkbox
          key={one}
          label={texts.what[one]}
          hint={texts.whatTexts[one]}
          checked={chosen.includes(one)}
          onChange={({ target: { checked } }) =>
            setChosen(choices.filter((other) => (other === one ? checked : chosen.includes(other))))
          }
        />
      ))}
    </Dialog>
  )
}
