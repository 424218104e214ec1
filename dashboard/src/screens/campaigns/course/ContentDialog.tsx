/**
 * Changes the content of a paused campaign for the people who have not got it yet. Unlike the draft editor, it saves only on
 * request, because each save creates a version.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { bodyOf, changesOf, draftOf } from "../../../lib/campaigns/draft.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import { Contents, firstContent } from "../editor/Contents.tsx"
import type { Campaign } from "../states.ts"
import { campaignRoutesRead } from "../useCampaign.ts"

/** The dialog. */
export const ContentDialog = ({
  accountId,
  campaign,
  onClose
}: {
  readonly accountId: string
  readonly campaign: Campaign
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const texts = useCampaignTexts()
  const { timeZone } = useFormat()
  const [before] = useState(() => draftOf(campaign, timeZone))
  const [draft, setDraft] = useState(before)
  const { error, isPending, mutate } = useChange("PATCH /accounts/:accountId/campaigns/:id", {
    renews: campaignRoutesRead
  })
  const [shown, setShown] = useState(firstContent)
  const { content } = changesOf(bodyOf(before, timeZone), bodyOf(draft, timeZone))
  const save = () => {
    if (content === undefined) {
      onClose()
      return
    }
    mutate(
      { params: { accountId, id: campaign.id }, body: { content } },
      {
        onSuccess: () => {
          toast(texts.newVersion)
          onClose()
        }
      }
    )
  }
  const errorOf = (...names: ReadonlyArray<string>) =>
    names.map((name) => error?.fields[name]).find((message) => message !== undefined)
  const isShown = Object.keys(error?.fields ?? {}).some((field) => field.startsWith("content"))
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      onSubmit={save}
      title={texts.editTitle}
      text={texts.editText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {common.save}
          </Button>
        </>
      }
    >
      {error !== null && !isShown && <ErrorBanner error={error} />}
      <Contents
        accountId={accountId}
        draft={draft}
        set={(change) => setDraft({ ...draft, ...change })}
        errorOf={errorOf}
        ownErrorOf={errorOf}
        isReadOnly={false}
        shown={shown}
        onShow={setShown}
      />
    </Dialog>
  )
}
