/**
 * The marketing settings: the limits that campaigns and flows share, and what pauses a campaign.
 *
 * @module
 */
import { useState } from "react"
import type { ValueOf } from "../../api/call.ts"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { marketingChanges, type MarketingDraft, marketingDraftOf, marketingOf } from "../../lib/marketing.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Checkbox, Field, Input } from "../../parts/form/Field.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { useMarketingTexts } from "../../texts/marketing/useMarketingTexts.ts"
import styles from "./Settings.module.css"

const readRoute = "GET /accounts/:accountId"

/** The API's fields for those that are typed in the form. */
const typed = {
  timeZone: "timeZone",
  timeZoneAttribute: "timeZoneAttribute",
  caps: "marketingCaps",
  holdout: "holdoutPercent",
  reserve: "transactionalReservePercent",
  complaints: "campaignLimits.complaintPercent",
  bounces: "campaignLimits.bouncePercent",
  failures: "campaignLimits.renderFailurePercent",
  approvalAbove: "campaignApproval.above",
  testAddresses: "testAddresses"
} as const

type Typed = keyof typeof typed

/** The section of the screen. */
export const Marketing = ({
  accountId,
  setting,
  settings
}: {
  readonly accountId: string
  /** The setting that the URL names. */
  readonly setting: string | undefined
  readonly settings: ValueOf<typeof readRoute>["settings"]
}) => {
  const { common, settings: shared } = useTexts()
  const texts = useMarketingTexts()
  const { can } = useAccount()
  const before = marketingDraftOf(settings)
  const [changed, setChanged] = useState<Partial<MarketingDraft>>({})
  const draft = { ...before, ...changed }
  const patch = marketingChanges(marketingOf(before), marketingOf(draft))
  const isChanged = Object.keys(patch).length > 0
  const { error, isPending, mutate, reset } = useChange("PATCH /accounts/:accountId/settings", {
    renews: [readRoute]
  })
  const isReadOnly = !can("settings:write")
  const set = (values: Partial<MarketingDraft>) => {
    setChanged({ ...changed, ...values })
    if (error !== null) reset()
  }
  const save = () =>
    mutate(
      { params: { accountId }, body: patch },
      {
        onSuccess: () => {
          setChanged({})
          toast(texts.saved)
        }
      }
    )
  const errorOf = (field: string): string | undefined =>
    Object.entries(error?.fields ?? {}).find(
      ([key]) => key === field || key.startsWith(`${field}.`) || key.startsWith(`${field}[`)
    )?.[1]
  const fields: ReadonlyArray<string> = [...Object.values(typed), "quietHours"]
  const isShown = fields.some((field) => errorOf(field) !== undefined)
  const text = (key: Typed, label: string, hint: string, isShort = false) => (
    <Field key={key} label={label} hint={hint} error={errorOf(typed[key])}>
      <Input
        // The key remounts the field, so that it gets the focus if the URL names it while the screen is open.
        key={`${key} ${key === setting}`}
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={key === setting}
        {...(isShort ? { className: styles["number"], inputMode: "decimal" as const } : {})}
        value={draft[key]}
        disabled={isReadOnly}
        onChange={(event) => set({ [key]: event.target.value })}
      />
    </Field>
  )
  const hour = (key: "from" | "to") => (
    <Field label={texts[key]} error={errorOf(`quietHours.${key}`)}>
      <Input
        type="time"
        className={styles["number"]}
        value={draft[key]}
        disabled={isReadOnly}
        onChange={(event) => set({ [key]: event.target.value })}
      />
    </Field>
  )
  const tick = (
    key: "opens" | "clicks" | "standingHolds" | "hasQuiet" | "needsApproval",
    label: string,
    hint: string
  ) => (
    <Checkbox
      key={`${key} ${key === setting}`}
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus={key === setting}
      label={label}
      hint={hint}
      checked={draft[key]}
      disabled={isReadOnly}
      onChange={(event) => set({ [key]: event.target.checked })}
    />
  )
  return (
    <form
      className={styles["form"]}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged) save()
      }}
    >
      {error !== null && !isShown && <ErrorBanner error={error} />}
      <Section title={texts.title} text={texts.text}>
        <Card>
          {tick("opens", texts.campaignOpens, texts.campaignOpensHint)}
          {tick("clicks", texts.campaignClicks, texts.campaignClicksHint)}
          {tick("standingHolds", texts.standingHolds, texts.standingHoldsHint)}
          {tick("hasQuiet", texts.hasQuiet, texts.hasQuietHint)}
          {draft.hasQuiet && (
            <>
              {hour("from")}
              {hour("to")}
            </>
          )}
          {text("timeZone", texts.timeZone, texts.timeZoneHint)}
          {text("timeZoneAttribute", texts.timeZoneAttribute, texts.timeZoneAttributeHint)}
          {text("caps", texts.caps, texts.capsHint)}
          {text("holdout", texts.holdout, texts.holdoutHint, true)}
          {text("reserve", texts.reserve, texts.reserveHint, true)}
          {text("complaints", texts.complaints, texts.limitHint, true)}
          {text("bounces", texts.bounces, texts.limitHint, true)}
          {text("failures", texts.failures, texts.limitHint, true)}
          {tick("needsApproval", texts.needsApproval, texts.needsApprovalHint)}
          {draft.needsApproval && text("approvalAbove", texts.approvalAbove, texts.approvalAboveHint, true)}
          {text("testAddresses", texts.testAddresses, texts.testAddressesHint)}
        </Card>
      </Section>
      {isChanged && (
        <div className={styles["bar"]} role="status">
          <span>{shared.unsaved}</span>
          <Button onClick={() => setChanged({})}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.save}
          </Button>
        </div>
      )}
    </form>
  )
}
