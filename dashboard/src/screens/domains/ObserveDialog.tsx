/**
 * Records a complaint rate that a provider shows only to the owner of the domain.
 *
 * @module
 */
import { useState } from "react"
import { useChange, useExtra } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Checkbox, Field, Input, Select } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { useDeliveryTexts } from "../../texts/delivery/useDeliveryTexts.ts"

/** The provider that publishes rates in Postmaster Tools. */
const provider = "google"

/** The dialog. */
export const ObserveDialog = ({
  accountId,
  onClose
}: {
  readonly accountId: string
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { standing: texts } = useDeliveryTexts()
  const domains =
    useExtra("GET /accounts/:accountId/domains", { params: { accountId }, query: { limit: 200 } })?.items ??
    []
  const [domain, setDomain] = useState("")
  const [day, setDay] = useState(() => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10))
  const [rate, setRate] = useState("")
  const [replace, setReplace] = useState(false)
  const [isWrong, setWrong] = useState(false)
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/standing/observations", {
    renews: ["GET /accounts/:accountId/standing"]
  })
  const enter = () => {
    const percent = Number(rate.trim().replace(",", "."))
    const isRate = rate.trim() !== "" && percent >= 0 && percent <= 100
    setWrong(!isRate)
    if (!isRate) return
    const chosen = domain === "" ? (domains[0]?.domain ?? "") : domain
    mutate(
      {
        params: { accountId },
        body: [{ provider, domain: chosen, day, spamRate: percent / 100, replace }]
      },
      {
        onSuccess: () => {
          toast(texts.entered)
          onClose()
        }
      }
    )
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={enter}
      title={texts.enter}
      text={texts.observationsText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {common.save}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorBanner error={error} />}
      <Field label={texts.domain}>
        <Select
          value={domain === "" ? (domains[0]?.domain ?? "") : domain}
          onChange={(event) => setDomain(event.target.value)}
          options={domains.map((one) => ({ value: one.domain, label: one.domain }))}
        />
      </Field>
      <Field label={texts.day}>
        <Input type="date" value={day} onChange={(event) => setDay(event.target.value)} />
      </Field>
      <Field label={texts.rate} hint={texts.rateHint} error={isWrong ? texts.notANumber : undefined}>
        <Input inputMode="decimal" value={rate} onChange={(event) => setRate(event.target.value)} />
      </Field>
      <Checkbox
        label={texts.replace}
        checked={replace}
        onChange={(event) => setReplace(event.target.checked)}
      />
    </Dialog>
  )
}
