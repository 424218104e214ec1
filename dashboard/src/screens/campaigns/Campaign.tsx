/**
 * One campaign: its editor while it is a draft, and its progress and results afterwards.
 *
 * @module
 */
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { useChange } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { outcomesOf, wouldBeCancelled } from "../../lib/campaigns/outcomes.ts"
import { Button, IconButton } from "../../parts/form/Button.tsx"
import { Field, Input } from "../../parts/form/Field.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { Menu, MenuItem, MenuLine } from "../../parts/overlay/Menu.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { useCampaignTexts } from "../../texts/campaigns/useCampaignTexts.ts"
import { Course } from "./course/Course.tsx"
import { Editor } from "./editor/Editor.tsx"
import { NameDialog } from "./NameDialog.tsx"
import { RetryDialog } from "./RetryDialog.tsx"
import { type Campaign as OneCampaign, campaignTones } from "./states.ts"
import { campaignRoutesRead, useCampaign } from "./useCampaign.ts"

const route = getRouteApi("/shell/a/$accountId/campaigns/$campaignId")

const patchRoute = "PATCH /accounts/:accountId/campaigns/:id"

const RenameDialog = ({
  accountId,
  campaign: { id, name },
  onClose
}: {
  readonly accountId: string
  readonly campaign: OneCampaign
  readonly onClose: () => void
}) => {
  const texts = useCampaignTexts()
  const { error, isPending, mutate } = useChange(patchRoute, { renews: campaignRoutesRead })
  const rename = (next: string) =>
    mutate(
      { params: { accountId, id }, body: { name: next } },
      {
        onSuccess: () => {
          toast(texts.renamed)
          onClose()
        }
      }
    )
  return (
    <NameDialog
      title={texts.rename}
      action={texts.rename}
      initial={name}
      error={error}
      isBusy={isPending}
      onClose={onClose}
      onSubmit={rename}
    />
  )
}

const resends = ["NotOpened", "NotClicked", "NotSent"] as const

/** The actions on a campaign that its status and the user's role allow. */
const Actions = ({ accountId, campaign }: { readonly accountId: string; readonly campaign: OneCampaign }) => {
  const { people } = useTexts()
  const texts = useCampaignTexts()
  const format = useFormat()
  const navigate = useNavigate()
  const { can } = useAccount()
  const [open, setOpen] = useState<"cancel" | "remove" | "rename" | "retry" | null>(null)
  const [reason, setReason] = useState("")
  const { isBusy, run } = useAction(campaignRoutesRead)
  const { name, stats, status } = campaign
  const params = { accountId, id: campaign.id }
  const maySend = can("campaigns:send")
  const mayWrite = can("campaigns:write")
  const counts = outcomesOf(stats)
  const rest = wouldBeCancelled(stats)
  const got = counts.reached + counts.failed + counts.uncertain + stats.emails.handingOff
  const copy = (to: keyof typeof texts.copyFor) =>
    void run(async () => {
      const made = await call("POST /accounts/:accountId/campaigns/:id/copy", { params, body: { to } })
      toast(texts.copied(name))
      void navigate({
        to: "/a/$accountId/campaigns/$campaignId",
        params: { accountId, campaignId: made.id },
        search: {}
      })
    })
  const cancel = async () => {
    const body = reason.trim() === "" ? {} : { reason }
    await run(() => call("POST /accounts/:accountId/campaigns/:id/cancel", { params, body }), texts.cancelled)
    setOpen(null)
  }
  const remove = async () => {
    if (await run(() => call("DELETE /accounts/:accountId/campaigns/:id", { params }), texts.removed(name)))
      void navigate({ to: "/a/$accountId/campaigns", params: { accountId }, search: {} })
    setOpen(null)
  }
  const mayCancel =
    maySend &&
    (["Scheduled", "Sending", "Paused"].includes(status) || (status === "Sent" && stats.retrying > 0))
  // Only the service knows how long a sent campaign can be retried.
  const mayRetry = maySend && ["Sending", "Paused", "Sent"].includes(status)
  const mayRemove = mayWrite && (status === "Draft" || (status === "Cancelled" && stats.submitted === 0))
  return (
    <>
      {status === "Sending" && maySend && (
        <Button
          tone="primary"
          isBusy={isBusy && open === null}
          onClick={() =>
            void run(() => call("POST /accounts/:accountId/campaigns/:id/pause", { params }), texts.paused)
          }
        >
          {texts.pause}
        </Button>
      )}
      {status === "Paused" && maySend && (
        <Button
          tone="primary"
          isBusy={isBusy && open === null}
          onClick={() =>
            void run(() => call("POST /accounts/:accountId/campaigns/:id/resume", { params }), texts.resumed)
          }
        >
          {texts.resume}
        </Button>
      )}
      {status === "Scheduled" && mayWrite && (
        <Button
          isBusy={isBusy && open === null}
          onClick={() =>
            void run(
              () => call("POST /accounts/:accountId/campaigns/:id/unschedule", { params }),
              texts.unscheduled
            )
          }
        >
          {texts.unschedule}
        </Button>
      )}
      {mayCancel && (
        <Button tone="danger" onClick={() => setOpen("cancel")}>
          {texts.cancel}
        </Button>
      )}
      {(mayWrite || mayRetry) && (
        <Menu align="end" trigger={<IconButton tone="plain" icon="more" label={people.actions} />}>
          {mayWrite && <MenuItem onSelect={() => setOpen("rename")}>{texts.rename}</MenuItem>}
          {mayRetry && (
            <MenuItem icon="retry" onSelect={() => setOpen("retry")}>
              {texts.retry.title}
            </MenuItem>
          )}
          {mayWrite &&
            (["Same", ...(campaign.launchedAt === null ? [] : resends)] as const).map((to) => (
              <MenuItem key={to} icon="copy" onSelect={() => copy(to)}>
                {texts.copyFor[to]}
              </MenuItem>
            ))}
          {mayRemove && (
            <>
              <MenuLine />
              <MenuItem icon="trash" isDanger onSelect={() => setOpen("remove")}>
                {texts.remove}
              </MenuItem>
            </>
          )}
        </Menu>
      )}
      {open === "rename" && (
        <RenameDialog accountId={accountId} campaign={campaign} onClose={() => setOpen(null)} />
      )}
      {open === "retry" && (
        <RetryDialog accountId={accountId} id={campaign.id} onClose={() => setOpen(null)} />
      )}
      {open === "cancel" && (
        <ConfirmDialog
          isOpen
          title={texts.cancelTitle(name)}
          text={texts.cancelText(format.number(got), got, format.number(rest), rest)}
          action={texts.cancel}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => void cancel()}
        >
          <Field isOptional label={texts.cancelReason} hint={texts.cancelReasonHint}>
            <Input
              value={reason}
              maxLength={1_000}
              autoComplete="off"
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
        </ConfirmDialog>
      )}
      {open === "remove" && (
        <ConfirmDialog
          isOpen
          title={texts.removeTitle(name)}
          text={texts.removeText}
          action={texts.remove}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => void remove()}
        />
      )}
    </>
  )
}

/** The screen. */
export const Campaign = () => {
  const texts = useCampaignTexts()
  const { accountId, campaignId } = route.useParams()
  const { data, error, refetch } = useCampaign(accountId, campaignId)
  const campaign = data?.value
  return (
    <Page
      title={campaign?.name ?? texts.name}
      back={{ link: { to: "/a/$accountId/campaigns", params: { accountId } }, label: texts.title }}
      badge={
        campaign !== undefined && (
          <span role="status">
            <Badge tone={campaignTones[campaign.status] ?? "neutral"}>{texts.states[campaign.status]}</Badge>
          </span>
        )
      }
      actions={campaign !== undefined && <Actions accountId={accountId} campaign={campaign} />}
    >
      <Loaded thing="Campaign" query={{ data, error, refetch }}>
        {({ etag, value }) =>
          value.status === "Draft" ? (
            <Editor key={value.id} accountId={accountId} campaign={value} etag={etag} />
          ) : (
            <Course accountId={accountId} campaign={value} />
          )
        }
      </Loaded>
    </Page>
  )
}
