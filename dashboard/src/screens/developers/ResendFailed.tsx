/**
 * Sends the notifications of a webhook again that failed in a time.
 *
 * @module
 */
import { useState } from "react"
import { useApi, useChange } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Select } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { useLiveTexts } from "../../texts/live/useLiveTexts.ts"

const hourMillis = 3_600_000

/** The times to choose from, in milliseconds; notifications are kept for 30 days. */
const periods = { hour: hourMillis, day: 24 * hourMillis, week: 168 * hourMillis, all: 31 * 24 * hourMillis }

/** The dialog. */
export const ResendFailed = ({
  onClose,
  webhookId
}: {
  readonly webhookId: string
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { notification: texts } = useLiveTexts()
  const format = useFormat()
  const { id: accountId } = useAccount()
  const [period, setPeriod] = useState<keyof typeof periods>("day")
  const [opened] = useState(() => Date.now())
  const since = new Date(opened - periods[period]).toISOString()
  const failed = useApi("GET /accounts/:accountId/notifications", {
    params: { accountId },
    query: { webhookId: [webhookId], state: ["Failed"], since, limit: 1 }
  })
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/webhooks/:id/resend", {
    renews: [
      "GET /accounts/:accountId/webhooks/:id/deliveries",
      "GET /accounts/:accountId/notifications",
      "GET /accounts/:accountId/jobs"
    ]
  })
  const count = failed.data?.totalCount
  const submit = () =>
    mutate(
      { params: { accountId, id: webhookId }, body: { since } },
      {
        onSuccess: () => {
          toast(texts.started)
          onClose()
        }
      }
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={submit}
      title={texts.resendFailed}
      text={texts.resendFailedText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            type="submit"
            tone="primary"
            isBusy={isPending}
            disabled={count === undefined || count === 0}
          >
            {texts.resend}
          </Button>
        </>
      }
    >
      <Field label={texts.period}>
        <Select
          value={period}
          onChange={(event) => setPeriod(event.target.value as keyof typeof periods)}
          options={Object.keys(periods).map((value) => ({ value, label: texts.periods[value] ?? value }))}
        />
      </Field>
      <p role="status">
        {count === undefined
          ? common.loading
          : [texts.failed(format.number(count), count), ...(count === 0 ? [] : [texts.stops])].join(" ")}
      </p>
      {(error ?? failed.error) !== null && <ErrorBanner error={(error ?? failed.error)!} />}
    </Dialog>
  )
}
