/**
 * The approval of a campaign by a second person: its state, and the actions that are possible.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, TextArea } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Row } from "../../parts/page/Columns.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useCampaignTexts } from "../../texts/campaigns/useCampaignTexts.ts"
import type { Campaign } from "./states.ts"
import { campaignRoutesRead } from "./useCampaign.ts"

type Action = "Request" | "Approve" | "Reject"

const tones: Readonly<Record<string, Tone>> = {
  Missing: "warning",
  Requested: "accent",
  Approved: "good",
  Rejected: "bad"
}

const ActionDialog = ({
  accountId,
  action,
  id,
  onClose
}: {
  readonly accountId: string
  readonly id: string
  readonly action: Action
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { approval: texts } = useCampaignTexts()
  const [comment, setComment] = useState("")
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/campaigns/:id/approval", {
    renews: campaignRoutesRead
  })
  const send = () =>
    mutate(
      { params: { accountId, id }, body: { action, ...(comment.trim() === "" ? {} : { comment }) } },
      {
        onSuccess: () => {
          toast(texts.done[action])
          onClose()
        }
      }
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={send}
      title={texts.actions[action]}
      text={texts.actionTexts[action]}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone={action === "Reject" ? "danger" : "primary"} isBusy={isPending}>
            {texts.actions[action]}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["comment"] === undefined && <ErrorBanner error={error} />}
      <Field label={texts.comment} error={error?.fields["comment"]} isOptional>
        <TextArea rows={3} value={comment} onChange={(event) => setComment(event.target.value)} />
      </Field>
    </Dialog>
  )
}

/** The section; nothing if the campaign needs no approval. */
export const Approval = ({
  accountId,
  campaign: { approval, id }
}: {
  readonly accountId: string
  readonly campaign: Pick<Campaign, "approval" | "id">
}) => {
  const { approval: texts } = useCampaignTexts()
  const { can } = useAccount()
  const [open, setOpen] = useState<Action | null>(null)
  const { at, by, comment, state } = approval
  if (state === "NotNeeded") return null
  const offered: ReadonlyArray<Action> = [
    ...(can("campaigns:write") && (state === "Missing" || state === "Rejected")
      ? (["Request"] as const)
      : []),
    ...(can("campaigns:send") && state !== "Approved" ? (["Approve"] as const) : []),
    ...(can("campaigns:send") && (state === "Requested" || state === "Approved") ? (["Reject"] as const) : [])
  ]
  return (
    <Section title={texts.title} text={texts.texts[state]}>
      <Card>
        <Row>
          <Badge tone={tones[state] ?? "neutral"}>{texts.states[state]}</Badge>
          {by !== null && <bdi>{by.name ?? by.kind}</bdi>}
          {at !== null && <RelativeTime at={at} />}
        </Row>
        {comment !== null && <p dir="auto">{comment}</p>}
        {offered.length > 0 && (
          <Row>
            {offered.map((action) => (
              <Button key={action} onClick={() => setOpen(action)}>
                {texts.actions[action]}
              </Button>
            ))}
          </Row>
        )}
      </Card>
      {open !== null && (
        <ActionDialog accountId={accountId} id={id} action={open} onClose={() => setOpen(null)} />
      )}
    </Section>
  )
}
