/**
 * Suspends mail to a provider, to a recipient domain or to server addresses, for a given reason.
 *
 * @module
 */
import { useState } from "react"
import { useChange, useExtra } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { useCompanies } from "../../../app/session.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Input, Select } from "../../../parts/form/Field.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { useDeliveryTexts } from "../../../texts/delivery/useDeliveryTexts.ts"
import { noticesRoute, providersRoute } from "./lanes.ts"

const kinds = ["provider", "domain", "site"] as const

const hourMillis = 3_600_000

/** The dialog. */
export const SuspendDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { common } = useTexts()
  const { held: texts } = useDeliveryTexts()
  const companies = useCompanies()
  const [kind, setKind] = useState<(typeof kinds)[number]>("provider")
  const [name, setName] = useState("")
  const [accountId, setAccountId] = useState("")
  const [reason, setReason] = useState("")
  const [hours, setHours] = useState("")
  // The entry for all other servers has no lane of its own.
  const known = (useExtra(providersRoute, { query: { limit: 200 } })?.items ?? []).filter(
    ({ key }) => key !== "default"
  )
  const { error, isPending, mutate } = useChange("POST /shaping/suspend", { renews: [noticesRoute] })
  const suspend = () => {
    const until = hours.trim() === "" ? null : Date.now() + Number(hours) * hourMillis
    mutate(
      {
        body: {
          [kind]: name.trim(),
          reason: reason.trim(),
          ...(accountId === "" ? {} : { accountId }),
          // An invalid number is sent as it is, and the service rejects it with a reason.
          ...(until === null ? {} : { until: Number.isNaN(until) ? hours : new Date(until).toISOString() })
        }
      },
      {
        onSuccess: () => {
          toast(texts.suspended)
          onClose()
        }
      }
    )
  }
  const isShown = ["reason", "until"].some((field) => error?.fields[field] !== undefined)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={suspend}
      title={texts.suspend}
      text={texts.suspendText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.suspend}
          </Button>
        </>
      }
    >
      {error !== null && !isShown && <ErrorBanner error={error} />}
      <Field label={texts.by}>
        <Select
          value={kind}
          onChange={(event) => {
            setKind(event.target.value as typeof kind)
            setName("")
          }}
          options={kinds.map((value) => ({ value, label: texts.bys[value] ?? value }))}
        />
      </Field>
      <Field label={texts.name[kind]}>
        {kind === "provider" ? (
          <Select
            value={name}
            onChange={(event) => setName(event.target.value)}
            options={[{ value: "", label: "" }, ...known.map((one) => ({ value: one.key, label: one.name }))]}
          />
        ) : (
          <Input
            value={name}
            dir="ltr"
            autoCapitalize="off"
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={texts.account}>
        <Select
          value={accountId}
          onChange={(event) => setAccountId(event.target.value)}
          options={[
            { value: "", label: texts.everyone },
            ...companies.map((company) => ({ value: company.live.accountId, label: company.name }))
          ]}
        />
      </Field>
      <Field label={texts.reason} hint={texts.reasonHint} error={error?.fields["reason"]}>
        <Input value={reason} autoComplete="off" onChange={(event) => setReason(event.target.value)} />
      </Field>
      <Field label={texts.hours} hint={texts.hoursHint} isOptional error={error?.fields["until"]}>
        <Input inputMode="numeric" value={hours} onChange={(event) => setHours(event.target.value)} />
      </Field>
    </Dialog>
  )
}
