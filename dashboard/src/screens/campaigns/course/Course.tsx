/**
 * The progress and results of a launched campaign: how far it is, why it waits, and what its audience did.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { useExtra } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { toneOf } from "../../../lib/emailState.ts"
import { shareDone } from "../../../lib/campaigns/outcomes.ts"
import { Button, ButtonLink } from "../../../parts/form/Button.tsx"
import { Banner } from "../../../parts/page/Banner.tsx"
import { Columns, Entry, Rows } from "../../../parts/page/Columns.tsx"
import { Card, Facts, Section } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { Progress } from "../../../parts/show/Progress.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import { CampaignFunnel, Outcomes } from "../Outcomes.tsx"
import type { Campaign } from "../states.ts"
import { Approval } from "../Approval.tsx"
import { ContentDialog } from "./ContentDialog.tsx"
import { Links } from "./Links.tsx"
import { BrokenDown, History, Versions, Winner } from "./Reports.tsx"

interface CourseProps {
  readonly accountId: string
  readonly campaign: Campaign
}

/** One sentence that explains the campaign's current status. */
const Status = ({ phase, progress, startAt, status, statusReason }: Campaign) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  if (status === "Scheduled")
    return (
      <Banner>
        {texts.scheduledFor} <RelativeTime at={startAt} />
        {startAt !== null && `, ${format.exact(new Date(startAt))}`}
      </Banner>
    )
  if (status === "Paused")
    return <Banner tone="warning">{texts.pauses[statusReason ?? ""] ?? texts.pausedAnyway}</Banner>
  if (status !== "Sending" || phase === null) return null
  return (
    <Banner>
      {texts.phases[phase]}
      {progress !== null && progress.nextAt !== null && phase === "Waiting" && (
        <>
          {" "}
          {texts.nextAt} <RelativeTime at={progress.nextAt} />.
        </>
      )}
      {progress !== null &&
        progress.perMinute > 0 &&
        ` ${texts.perMinute(format.number(progress.perMinute))}.`}
      {progress !== null && progress.etaAt !== null && (
        <>
          {" "}
          {texts.etaAt} <RelativeTime at={progress.etaAt} />.
        </>
      )}
    </Banner>
  )
}

const Details = ({ accountId, campaign }: CourseProps) => {
  const texts = useCampaignTexts()
  const { can } = useAccount()
  const format = useFormat()
  const [isEditing, setEditing] = useState(false)
  const segments =
    useExtra("GET /accounts/:accountId/segments", { params: { accountId }, query: { limit: 200 } })?.items ??
    []
  const topics = useExtra(
    "GET /accounts/:accountId/topics",
    { params: { accountId }, query: { limit: 100 } },
    { enabled: campaign.topic !== null && can("segments:read") }
  )?.items
  const { audience, content, from, launchedAt, status, tags, topic, version } = campaign
  const namesOf = (ids: ReadonlyArray<string>) =>
    format.list(ids.map((id) => segments.find((one) => one.id === id)?.name ?? texts.who.gone))
  const { templateId = null } = (content ?? {}) as { readonly templateId?: string | null }
  return (
    <Section title={texts.details}>
      <Card>
        <Facts
          facts={[
            [texts.audienceLabel, namesOf(audience.segments)],
            audience.exclude.length === 0 ? null : [texts.who.exclude, namesOf(audience.exclude)],
            topic === null
              ? null
              : [texts.who.topic, topics?.find(({ key }) => key === topic)?.name ?? topic],
            [
              texts.content,
              templateId === null ? (
                texts.ownContent
              ) : (
                <Link
                  key="template"
                  to="/a/$accountId/templates/$templateId"
                  params={{ accountId, templateId }}
                  search={{}}
                >
                  {texts.what.template}
                </Link>
              )
            ],
            from === null ? null : [texts.what.sender, from.email],
            [texts.launchedAt, <RelativeTime key="at" at={launchedAt} />],
            [texts.version, format.number(version)],
            tags.length === 0 ? null : [texts.what.tags, format.list(tags)]
          ]}
        />
      </Card>
      {status === "Paused" && campaign.test === null && can("campaigns:write") && (
        <div>
          <Button onClick={() => setEditing(true)}>{texts.editContent}</Button>
        </div>
      )}
      {isEditing && (
        <ContentDialog accountId={accountId} campaign={campaign} onClose={() => setEditing(false)} />
      )}
    </Section>
  )
}

/** Numbers of people, each with a link to the list of these people. */
const Numbers = ({
  accountId,
  campaignId,
  entries,
  title
}: {
  readonly title: string
  readonly accountId: string
  readonly campaignId: string
  readonly entries: ReadonlyArray<{
    readonly key: string
    readonly name: ReactNode
    readonly count: number
    /** The search parameters of the list; null if these people cannot be listed. */
    readonly search: Readonly<Record<string, string>> | null
  }>
}) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const { can } = useAccount()
  if (entries.length === 0) return null
  return (
    <Section title={title}>
      <Card isFlush>
        <Rows>
          {entries.map(({ count, key, name, search }) => (
            <Entry
              key={key}
              end={
                <>
                  {format.number(count)}
                  {search !== null && can("contacts:read") && (
                    <ButtonLink
                      isSmall
                      to="/a/$accountId/campaigns/$campaignId/recipients"
                      params={{ accountId, campaignId }}
                      search={search}
                    >
                      {texts.showPeople}
                    </ButtonLink>
                  )}
                </>
              }
            >
              {name}
            </Entry>
          ))}
        </Rows>
      </Card>
    </Section>
  )
}

/** What people did in response to a campaign besides opens and clicks, with the search that lists them; null if none can. */
const responsesOf = ({
  complained,
  conversions,
  topicOff,
  unsubscribed
}: Campaign["stats"]): ReadonlyArray<readonly [string, number, Readonly<Record<string, string>> | null]> =>
  (
    [
      ["conversions", conversions, { converted: "true" }],
      ["unsubscribed", unsubscribed, { unsubscribed: "true" }],
      ["topicOff", topicOff, null],
      ["complained", complained, null]
    ] as const
  ).filter(([, count]) => count > 0)

/** The people held out, and how many more orders the recipients placed. */
const Compared = ({ stats: { holdout } }: Pick<Campaign, "stats">) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  if (holdout === null || holdout.people === 0) return null
  const { lift } = holdout
  return (
    <Section title={texts.responseNames["holdout"]!}>
      <Card>
        <Facts
          facts={[
            [texts.responseNames["holdout"]!, format.number(holdout.people)],
            [
              texts.responseNames["lift"]!,
              lift === null
                ? texts.tooFew
                : texts.lift(format.percent(lift.value), format.percent(lift.from), format.percent(lift.to))
            ]
          ]}
        />
      </Card>
    </Section>
  )
}

/** The section of the screen. */
export const Course = ({ accountId, campaign }: CourseProps) => {
  const { emails } = useTexts()
  const texts = useCampaignTexts()
  const format = useFormat()
  const { can } = useAccount()
  const { id, stats, status } = campaign
  const isGoing = status === "Sending" || status === "Paused"
  const statuses = Object.entries(stats.emails).flatMap(([key, count]) =>
    count === 0 ? [] : [[key.charAt(0).toUpperCase() + key.slice(1), count] as const]
  )
  const waiting = campaign.progress?.waiting ?? []
  return (
    <>
      <Status {...campaign} />
      {status === "Paused" && <Approval accountId={accountId} campaign={campaign} />}
      {isGoing && stats.audience > 0 && (
        <Progress
          label={texts.progress}
          share={shareDone(stats)}
          text={`${texts.progress}: ${texts.progressOf(
            format.number(stats.audience - stats.pending),
            format.number(stats.audience)
          )}`}
        />
      )}
      <Columns
        aside={
          <>
            <Details accountId={accountId} campaign={campaign} />
            <Versions accountId={accountId} campaign={campaign} />
            <History accountId={accountId} campaign={campaign} />
          </>
        }
      >
        <Winner accountId={accountId} campaign={campaign} />
        <Numbers
          title={texts.waiting}
          accountId={accountId}
          campaignId={id}
          entries={waiting.map(({ count, reason, until }) => ({
            key: reason ?? "",
            name: (
              <span>
                {reason === null
                  ? texts.ownTime
                  : (texts.reasons[reason] ?? emails.reasons[reason] ?? reason)}{" "}
                {until !== null && (
                  <>
                    ({texts.until} <RelativeTime at={until} />)
                  </>
                )}
              </span>
            ),
            count,
            search: null
          }))}
        />
        <Section
          title={texts.outcome}
          actions={
            can("contacts:read") &&
            stats.audience > 0 && (
              <ButtonLink
                isSmall
                icon="people"
                to="/a/$accountId/campaigns/$campaignId/recipients"
                params={{ accountId, campaignId: id }}
                search={{}}
              >
                {texts.recipients.title}
              </ButtonLink>
            )
          }
        >
          <Outcomes stats={stats} />
        </Section>
        {stats.submitted > 0 && (
          <Section title={texts.funnel}>
            <Card>
              <CampaignFunnel stats={stats} />
            </Card>
          </Section>
        )}
        <Numbers
          title={texts.skippedBy}
          accountId={accountId}
          campaignId={id}
          entries={Object.entries(stats.skippedBy).flatMap(([reason, count = 0]) =>
            count === 0
              ? []
              : [{ key: reason, name: texts.reasons[reason] ?? reason, count, search: { reason } }]
          )}
        />
        <Numbers
          title={texts.byStatus}
          accountId={accountId}
          campaignId={id}
          entries={statuses.map(([key, count]) => ({
            key,
            name: <Badge tone={toneOf(key)}>{emails.statuses[key] ?? key}</Badge>,
            count,
            search: { status: key }
          }))}
        />
        <Numbers
          title={texts.responses}
          accountId={accountId}
          campaignId={id}
          entries={responsesOf(stats).map(([key, count, search]) => ({
            key,
            name: texts.responseNames[key],
            count,
            search
          }))}
        />
        <Compared stats={stats} />
        {stats.submitted > 0 && <Links accountId={accountId} campaign={campaign} />}
      </Columns>
      {stats.submitted > 0 && <BrokenDown accountId={accountId} campaign={campaign} />}
    </>
  )
}
