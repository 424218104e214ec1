/**
 * The editor of a draft, in four steps that can be completed in any order.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { useFormat } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { campaignSteps, type CampaignStep, stepOf } from "../../../lib/campaigns/draft.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Banner, ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Tabs } from "../../../parts/page/Tabs.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import type { Campaign } from "../states.ts"
import { campaignKey } from "../useCampaign.ts"
import { Check } from "./Check.tsx"
import styles from "./Editor.module.css"
import type { ShownFinding } from "./part.ts"
import { useDraft } from "./useDraft.ts"
import { What } from "./What.tsx"
import { When } from "./When.tsx"
import { Who } from "./Who.tsx"

const route = getRouteApi("/shell/a/$accountId/campaigns/$campaignId")

const Form = ({
  accountId,
  campaign,
  etag,
  onReset
}: {
  readonly accountId: string
  readonly campaign: Campaign
  readonly etag: string | null
  readonly onReset: () => void
}) => {
  const texts = useCampaignTexts()
  const { timeZone } = useFormat()
  const { can } = useAccount()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const saved = useDraft(accountId, campaign, etag, timeZone)
  const { draft, error, overwrite, set, state, undo } = saved
  const step = campaignSteps.find((one) => one === search.step) ?? "who"
  const show = (next: CampaignStep) => void navigate({ search: { step: next } })
  const [finding, setFinding] = useState<ShownFinding | null>(null)
  const [isBeside, setBeside] = useState(true)
  const form = useRef<HTMLDivElement>(null)
  const showFinding = (next: ShownFinding) => {
    setFinding(next)
    show(stepOf(next.field))
  }
  // A finding is shown beside its field and focused if the step marks the field as invalid, and otherwise above the fields.
  useEffect(() => {
    if (finding === null || step !== stepOf(finding.field)) return
    const wrong =
      finding.severity === "Error" ? form.current?.querySelector<HTMLElement>("[aria-invalid]") : null
    setBeside(wrong != null)
    wrong?.focus()
  }, [finding, step])
  const isReadOnly = !can("campaigns:write")
  const fields: Readonly<Record<string, string>> = {
    ...(finding?.severity === "Error" ? { [finding.field ?? ""]: finding.message } : {}),
    ...error?.fields
  }
  const errorOf = (...names: ReadonlyArray<string>): string | undefined =>
    Object.entries(fields).find(([field]) =>
      names.some((name) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`))
    )?.[1]
  const change = (next: Parameters<typeof set>[0]) => {
    setFinding(null)
    set(next)
  }
  const part = {
    accountId,
    draft,
    errorOf,
    isReadOnly,
    ownErrorOf: (name: string) => fields[name],
    set: change
  }
  const isMeanwhile = error?.code === "common.edited_meanwhile"
  const by = error?.details["updatedBy"] as { readonly name?: string | null } | undefined
  const isFieldShown = Object.keys(error?.fields ?? {}).some((field) => stepOf(field) === step)
  const nextStep = campaignSteps[campaignSteps.indexOf(step) + 1]
  return (
    <div ref={form} className={styles["editor"]}>
      <div className={styles["head"]}>
        <Tabs
          label={texts.stepsLabel}
          value={step}
          onChange={(next) => {
            setFinding(null)
            show(next)
          }}
          tabs={campaignSteps.map((value) => ({ value, label: texts.steps[value] ?? value }))}
        />
        {!isReadOnly && (
          <div className={styles["state"]}>
            <span role="status">{texts.saves[state]}</span>
            {undo !== null && (
              <Button isSmall tone="quiet" onClick={undo}>
                {texts.undo}
              </Button>
            )}
          </div>
        )}
      </div>
      {isReadOnly && <Banner>{texts.readOnly}</Banner>}
      {isMeanwhile ? (
        <Banner
          tone="warning"
          action={
            <>
              <Button isSmall onClick={onReset}>
                {texts.takeTheirs}
              </Button>
              <Button isSmall onClick={overwrite}>
                {texts.keepMine}
              </Button>
            </>
          }
        >
          {texts.meanwhile(by?.name ?? texts.someone)}
        </Banner>
      ) : (
        error !== null && !isFieldShown && <ErrorBanner error={error} />
      )}
      {finding !== null && step === stepOf(finding.field) && !isBeside && (
        <Banner tone={finding.severity === "Error" ? "bad" : "warning"}>{finding.message}</Banner>
      )}
      {step === "who" && <Who {...part} />}
      {step === "what" && <What {...part} campaign={campaign} field={finding?.field ?? null} />}
      {step === "when" && <When {...part} />}
      {step === "check" && (
        <Check accountId={accountId} campaign={campaign} draft={draft} saved={saved} onShow={showFinding} />
      )}
      {nextStep !== undefined && (
        <div>
          <Button iconAfter="right" onClick={() => show(nextStep)}>
            {texts.next[step]}
          </Button>
        </div>
      )}
    </div>
  )
}

/** The editor. To show what another person has saved in the meantime, it is mounted again. */
export const Editor = ({
  accountId,
  campaign,
  etag
}: {
  readonly accountId: string
  readonly campaign: Campaign
  readonly etag: string | null
}) => {
  const client = useQueryClient()
  const [started, setStarted] = useState(0)
  const reset = async () => {
    await client.refetchQueries({ queryKey: campaignKey(accountId, campaign.id) })
    setStarted(started + 1)
  }
  return (
    <Form key={started} accountId={accountId} campaign={campaign} etag={etag} onReset={() => void reset()} />
  )
}
