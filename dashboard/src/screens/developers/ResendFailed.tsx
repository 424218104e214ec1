/**
 * Sends again the notifications of a webhook that failed within a period.
 *
 * @module
 */
import { useState } from "react"
import { useApi, useChange } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { queryOf } from "../../lib/search.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input, Select } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { useListTexts } from "../../texts/lists/useListTexts.ts"
import { useLiveTexts } from "../../texts/live/useLiveTexts.ts"

const hourMillis = 3_600_000

/** The periods on offer, in milliseconds. Notifications are kept for 30 days. */
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
  const lists = useListTexts()
  const format = useFormat()
  const { id: accountId } = useAccount()
  const [period, setPeriod] = useState<keyof typeof periods | "days">("day")
  const [opened] = useState(() => Date.now())
  const [days, setDays] = useState({ since: "", until: "" })
  const { since, until } =
    period === "days"
      ? queryOf(days)
      : { since: new Date(opened - periods[period]).toISOString(), until: undefined }
  const isChosen = since !== undefined || until !== undefined
  const failed = useApi(
    "GET /accounts/:accountId/notifications",
    {
      params: { accountId },
      query: { webhookId: [webhookId], state: ["Failed"], since, until, limit: 1 }
    },
    { enabled: isChosen }
  )
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
      { params: { accountId, id: webhookId }, body: { since, until } },
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
          onChange={(event) => setPeriod(event.target.value as typeof period)}
          options={[...Object.keys(periods), "days"].map((value) => ({
            value,
            label: texts.periods[value] ?? value
          }))}
        />
      </Field>
      {period === "days" &&
        (["since", "until"] as const).map((end) => (
          <Field key={end} label={lists[end]}>
            <Input
              type="date"
              value={days[end]}
              onChange={(event) => setDays({ ...days, [end]: event.target.value })}
            />
          </Field>
        ))}
      <p role="status">
        {count === undefined
          ? isChosen && common.loading
          : [texts.failed(format.number(count), count), ...(count === 0 ? [] : [texts.stops])].join(" ")}
      </p>
      {(error ?? failed.error) !== null && <ErrorBanner error={(error ?? failed.error)!} />}
    </Dialog>
  )
}
