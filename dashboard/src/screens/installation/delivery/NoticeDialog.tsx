/**
 * What holds mail, with the server's reply and advice, and the operator's actions on the mail.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../../../api/call.ts"
import { useChange } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { Button, ButtonAnchor } from "../../../parts/form/Button.tsx"
import { Field, Input } from "../../../parts/form/Field.tsx"
import { ConfirmDialog, Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { useAction } from "../../../parts/overlay/useAction.ts"
import { Banner, ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Facts } from "../../../parts/page/Page.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useDeliveryTexts } from "../../../texts/delivery/useDeliveryTexts.ts"
import { useAccountName } from "../names.ts"
import { namedOf, type Notice, noticesRoute, useProviderName } from "./lanes.ts"

const BounceDialog = ({ notice, onClose }: { readonly notice: Notice; readonly onClose: () => void }) => {
  const { held: texts } = useDeliveryTexts()
  const format = useFormat()
  const [reason, setReason] = useState("")
  const { error, isPending, mutate } = useChange("POST /shaping/bounce", { renews: [noticesRoute] })
  // The user confirms the number counted when the dialog opened. If it has changed, the service rejects the action and returns
  // the new number.
  const counted = Number(error?.details["count"])
  const count = Number.isInteger(counted) ? counted : notice.held
  const bounce = () =>
    mutate(
      { body: { ...namedOf(notice), reason: reason.trim(), confirm: count } },
      {
        onSuccess: ({ ended }) => {
          toast(texts.bounced(format.number(ended), ended))
          onClose()
        }
      }
    )
  return (
    <ConfirmDialog
      isOpen
      title={texts.bounceTitle}
      text={texts.bounceText(format.number(count), count)}
      action={texts.bounce}
      isBusy={isPending}
      onClose={onClose}
      onConfirm={bounce}
    >
      {error !== null && error.fields["reason"] === undefined && <ErrorBanner error={error} />}
      <Field label={texts.reason} hint={texts.reasonHint} error={error?.fields["reason"]}>
        <Input value={reason} autoComplete="off" onChange={(event) => setReason(event.target.value)} />
      </Field>
    </ConfirmDialog>
  )
}

/** The dialog. */
export const NoticeDialog = ({
  notice,
  onClose
}: {
  readonly notice: Notice
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { held: texts } = useDeliveryTexts()
  const format = useFormat()
  const nameOf = useAccountName()
  const laneName = useProviderName()
  const [open, setOpen] = useState<"flush" | "bounce" | null>(null)
  const { isBusy, run } = useAction([noticesRoute])
  const { accountId, action, cause, domain, help, held, remedy, rule, since, state, until, words } = notice
  const resume = async () => {
    if (await run(() => call("POST /shaping/resume", { body: { noticeId: notice.id } }), texts.resumed))
      onClose()
  }
  const flush = async () => {
    const isDone = await run(async () => {
      const { released } = await call("POST /shaping/flush", { body: namedOf(notice) })
      toast(texts.flushed(format.number(released), released))
    })
    setOpen(null)
    if (isDone) onClose()
  }
  if (open === "bounce") return <BounceDialog notice={notice} onClose={onClose} />
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={laneName(notice.lane)}
      actions={
        state === "Open" ? (
          <>
            <Button tone="danger" disabled={held === 0} onClick={() => setOpen("bounce")}>
              {texts.bounce}
            </Button>
            <Button disabled={held === 0} onClick={() => setOpen("flush")}>
              {texts.flush}
            </Button>
            <Button tone="primary" isBusy={isBusy && open === null} onClick={() => void resume()}>
              {texts.resume}
            </Button>
          </>
        ) : (
          <Button onClick={onClose}>{common.close}</Button>
        )
      }
    >
      <Banner tone={state === "Open" ? "warning" : "neutral"}>
        {cause === "Operator" && <strong>{texts.operator}</strong>}
        <p dir="auto">{words}</p>
      </Banner>
      <Facts
        facts={[
          [texts.remedy, remedy],
          [texts.action, texts.actions[action]],
          [texts.scope, accountId === null ? texts.everyone : nameOf(accountId)],
          domain === null ? null : [texts.sender, domain],
          [texts.held, format.number(held)],
          [texts.since, <RelativeTime key="since" at={since} />],
          state === "Open" ? [texts.until, <RelativeTime key="until" at={until} />] : null,
          [texts.rule, <code key="rule">{rule}</code>]
        ]}
      />
      {help !== null && (
        <div>
          <ButtonAnchor isSmall icon="external" href={help} target="_blank" rel="noopener noreferrer">
            {texts.help}
          </ButtonAnchor>
        </div>
      )}
      {open === "flush" && (
        <ConfirmDialog
          isOpen
          tone="primary"
          title={texts.flushTitle}
          text={texts.flushText(format.number(held), held)}
          action={texts.flush}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => void flush()}
        />
      )}
    </Dialog>
  )
}
