/**
 * The last step of the editor: what prevents the launch, and the launch itself.
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { call, type ValueOf } from "../../../api/call.ts"
import type { ApiError } from "../../../api/errors.ts"
import { useChange } from "../../../api/queries.ts"
import { useFormat } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { bodyOf, type CampaignDraft } from "../../../lib/campaigns/draft.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Entry, Rows } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Section } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import { useWordsOfService } from "../../../texts/said/Said.tsx"
import { Approval } from "../Approval.tsx"
import type { Campaign } from "../states.ts"
import { campaignRoutesRead } from "../useCampaign.ts"
import type { ShownFinding } from "./part.ts"
import { Trial } from "./Trial.tsx"
import type { SavedDraft } from "./useDraft.ts"

const checkRoute = "POST /accounts/:accountId/campaigns/:id/check"

type Read = ValueOf<typeof checkRoute>

/** The number of people the segments select, from the service's estimate if it returns one. */
const recipientsOf = (check: Read & { readonly estimate?: { readonly recipients: number } }): number =>
  check.estimate?.recipients ?? check.recipients

const Launch = ({
  accountId,
  campaign,
  check,
  etag,
  schedule
}: {
  readonly accountId: string
  readonly campaign: Campaign
  readonly check: Read
  readonly etag: string | null
  /** The start time as the button shows it; null to start at once. */
  readonly schedule: string | null
}) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const { can } = useAccount()
  const [isOpen, setOpen] = useState(false)
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/campaigns/:id/launch", {
    renews: campaignRoutesRead,
    // The launch fails if the campaign has changed since it was checked.
    ...(etag === null ? {} : { ifMatch: etag })
  })
  const count = recipientsOf(check)
  const shown = format.number(count)
  const action = schedule === null ? texts.check.to(shown, count) : texts.check.scheduleTo(shown, count)
  const launch = () =>
    mutate(
      { params: { accountId, id: campaign.id } },
      {
        onSuccess: () => toast(texts.launch.launched(campaign.name)),
        onSettled: () => setOpen(false)
      }
    )
  if (!can("campaigns:send")) return <Banner>{texts.check.noRight}</Banner>
  return (
    <>
      {error !== null && <ErrorBanner error={error} />}
      <div>
        <Button tone="primary" disabled={!check.canLaunch} onClick={() => setOpen(true)}>
          {action}
        </Button>
      </div>
      {isOpen && (
        <ConfirmDialog
          isOpen
          tone="primary"
          title={texts.launch.title(campaign.name)}
          text={
            schedule === null ? texts.launch.now(shown, count) : texts.launch.later(shown, count, schedule)
          }
          action={action}
          isBusy={isPending}
          onClose={() => setOpen(false)}
          onConfirm={launch}
        />
      )}
    </>
  )
}

/** What prevents the launch. The service checks the saved campaign, so unsaved changes are saved first. */
const Findings = ({
  accountId,
  campaign,
  draft,
  onShow,
  saved: { etag, state }
}: {
  readonly accountId: string
  readonly campaign: Campaign
  readonly draft: CampaignDraft
  readonly saved: SavedDraft
  readonly onShow: (finding: ShownFinding) => void
}) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const { translate } = useWordsOfService()
  const query = useQuery<Read, ApiError>({
    // An approval changes the findings but not the ETag, so the key includes it.
    queryKey: [checkRoute, accountId, campaign.id, etag, campaign.approval.state],
    queryFn: ({ signal }) => call(checkRoute, { params: { accountId, id: campaign.id } }, { signal }),
    enabled: state === "saved"
  })
  const { schedule } = bodyOf(draft, format.timeZone)
  const isTimeless = draft.when !== "Launch" && schedule === null
  const time =
    schedule === null
      ? null
      : "at" in schedule
        ? format.exact(new Date(schedule.at))
        : schedule.localTime.replace("T", " ")
  if (state === "failed") return <Banner tone="warning">{texts.check.unsaved}</Banner>
  if (isTimeless) {
    return (
      <Banner
        tone="bad"
        action={
          <Button
            isSmall
            onClick={() => onShow({ field: "schedule", message: texts.check.noTime, severity: "Error" })}
          >
            {texts.check.goTo}
          </Button>
        }
      >
        {texts.check.noTime}
      </Banner>
    )
  }
  return (
    <Section
      title={texts.check.title}
      actions={
        <Button isSmall icon="retry" isBusy={query.isFetching} onClick={() => void query.refetch()}>
          {texts.check.again}
        </Button>
      }
    >
      <Loaded query={state === "saved" ? query : { ...query, data: undefined }}>
        {(check) => {
          const errors = check.findings.filter(({ severity }) => severity === "Error")
          return (
            <>
              <Banner tone={errors.length === 0 ? "good" : "bad"}>
                {errors.length === 0
                  ? texts.check.none
                  : texts.check.errors(format.number(errors.length), errors.length)}
              </Banner>
              {check.findings.length > 0 && (
                <Card isFlush>
                  <Rows>
                    {check.findings.map((finding) => {
                      const { code, count, field, severity } = finding
                      const message = translate(finding.message)
                      return (
                        <Entry
                          key={`${code} ${field}`}
                          text={
                            count === null ? undefined : texts.check.concerns(format.number(count), count)
                          }
                          end={
                            <Button isSmall onClick={() => onShow({ field, message, severity })}>
                              {texts.check.goTo}
                            </Button>
                          }
                        >
                          <Badge tone={severity === "Error" ? "bad" : "warning"}>
                            {texts.check.severities[severity]}
                          </Badge>
                          {message}
                        </Entry>
                      )
                    })}
                  </Rows>
                </Card>
              )}
              <Launch accountId={accountId} campaign={campaign} check={check} etag={etag} schedule={time} />
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

/** The step of the editor. */
export const Check = (part: {
  readonly accountId: string
  readonly campaign: Campaign
  readonly draft: CampaignDraft
  readonly saved: SavedDraft
  readonly onShow: (finding: ShownFinding) => void
}) => {
  const { accountId, campaign, draft, saved } = part
  const { can } = useAccount()
  return (
    <>
      <Approval accountId={accountId} campaign={campaign} />
      <Findings {...part} />
      {can("campaigns:write") && (
        <Trial
          accountId={accountId}
          campaignId={campaign.id}
          isSaved={saved.state === "saved"}
          variants={draft.variants}
        />
      )}
    </>
  )
}
