/**
 * Reports on a launched campaign beyond its counts: emails broken down by a dimension, the test, the versions and the history.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useState } from "react"
import { call, type ValueOf } from "../../../api/call.ts"
import { useApi } from "../../../api/queries.ts"
import { useFormat } from "../../../app/reader.tsx"
import { useActorName } from "../../../app/useActorName.ts"
import { useAccount } from "../../../app/session.ts"
import { languageName } from "../../../lib/campaigns/names.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Fields, Select } from "../../../parts/form/Field.tsx"
import { useAction } from "../../../parts/overlay/useAction.ts"
import { Entry, Nothing, Row, Rows } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Facts, Section } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { Bar } from "../../../parts/show/Bar.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { Table, type TableColumn } from "../../../parts/show/Table.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import { type Campaign, campaignTones } from "../states.ts"
import { campaignRoutesRead } from "../useCampaign.ts"

interface PartProps {
  readonly accountId: string
  readonly campaign: Campaign
}

const statsRoute = "GET /accounts/:accountId/campaigns/:id/stats"

type Counted = ValueOf<typeof statsRoute>["items"][number]

const breakdowns = ["Provider", "Domain", "Variant", "Language", "Country", "Version", "Hour", "Day"] as const
type Breakdown = (typeof breakdowns)[number]

/** How often the reports are refreshed while the campaign is being sent, in milliseconds. */
const renewMillis = 10_000

/** A variant of the test as it was defined. */
interface Variant {
  readonly id: string
  readonly name: string | null
}

const variantsOf = ({ test }: Campaign): ReadonlyArray<Variant> =>
  (test as { readonly variants: ReadonlyArray<Variant> } | null)?.variants ?? []

/** The emails, broken down by a dimension, as a table. */
export const BrokenDown = ({ accountId, campaign }: PartProps) => {
  const { breakdown: texts, test } = useCampaignTexts()
  const format = useFormat()
  const [now] = useState(() => new Date())
  const variants = variantsOf(campaign)
  const [by, setBy] = useState<Breakdown>(variants.length > 0 ? "Variant" : "Provider")
  const query = useApi(
    statsRoute,
    { params: { accountId, id: campaign.id }, query: { by } },
    campaign.status === "Sending" ? { refetchInterval: renewMillis } : {}
  )
  const most = Math.max(0, ...(query.data?.items.map(({ submitted }) => submitted) ?? []))
  const nameOf = (key: string | null): string => {
    if (key === null) return texts.none
    if (by === "Variant") return test.variant(key, variants.find(({ id }) => id === key)?.name ?? null)
    if (by === "Language") return languageName(format.locale, key)
    if (by === "Hour") return format.moment(new Date(key), now)
    return key
  }
  const column = (
    key: "submitted" | "delivered" | "retrying" | "bounced" | "failed" | "complained" | "unsubscribed"
  ): TableColumn<Counted> => ({
    key,
    head: texts[key],
    isEnd: true,
    cell: (row) => format.number(row[key])
  })
  const columns: ReadonlyArray<TableColumn<Counted>> = [
    {
      key: "key",
      head: texts.kinds[by] ?? by,
      cell: ({ bounced, delivered, failed, key, retrying, submitted }) => (
        <>
          <bdi>{nameOf(key)}</bdi>
          <Bar
            most={most}
            parts={{
              good: delivered,
              warning: retrying,
              bad: bounced + failed,
              neutral: Math.max(submitted - delivered - retrying - bounced - failed, 0)
            }}
          />
        </>
      )
    },
    column("submitted"),
    column("delivered"),
    column("retrying"),
    column("bounced"),
    column("failed"),
    {
      key: "opened",
      head: texts.opened,
      isEnd: true,
      cell: ({ openedHuman, openedUnknown }) => format.number(openedHuman + openedUnknown)
    },
    {
      key: "clicked",
      head: texts.clicked,
      isEnd: true,
      cell: ({ clickedHuman, clickedUnknown }) => format.number(clickedHuman + clickedUnknown)
    },
    {
      key: "machines",
      head: texts.machines,
      isEnd: true,
      cell: ({ openedMachine }) => format.number(openedMachine)
    },
    column("complained"),
    column("unsubscribed")
  ]
  const kinds = Object.fromEntries(
    breakdowns
      .filter((one) => one !== "Variant" || variants.length > 0)
      .map((one) => [one, texts.kinds[one] ?? one])
  )
  return (
    <Section title={texts.title}>
      <Fields>
        <Field label={texts.by}>
          <Select
            value={by}
            onChange={(event) => setBy(event.target.value as Breakdown)}
            options={optionsOf(kinds)}
          />
        </Field>
      </Fields>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Card isFlush>
              <Nothing>{texts.empty}</Nothing>
            </Card>
          ) : (
            <Table
              label={`${texts.by} ${texts.kinds[by]}`}
              rows={items}
              keyOf={({ key }) => key ?? ""}
              columns={columns}
            />
          )
        }
      </Loaded>
    </Section>
  )
}

/**
 * The winner of the test, which the rest of the audience gets, or the choice of one if a person decides. The results of each
 * variant are in the table.
 */
export const Winner = ({ accountId, campaign }: PartProps) => {
  const { test: texts } = useCampaignTexts()
  const { can } = useAccount()
  const { isBusy, run } = useAction(campaignRoutesRead)
  const variants = variantsOf(campaign)
  if (variants.length === 0) return null
  const { phase, winner } = campaign
  const nameOf = ({ id, name }: Variant): string => texts.variant(id, name)
  const won = variants.find(({ id }) => id === winner)
  const mayPick = (phase === "Testing" || phase === "Deciding") && can("campaigns:send")
  const pick = (variant: Variant) =>
    void run(
      () =>
        call("POST /accounts/:accountId/campaigns/:id/winner", {
          params: { accountId, id: campaign.id },
          body: { variantId: variant.id }
        }),
      texts.picked(nameOf(variant))
    )
  return (
    <Section title={texts.title}>
      <Card>
        <Facts facts={[[texts.winner, won === undefined ? texts.none : nameOf(won)]]} />
        {mayPick && (
          <Row>
            {variants.map((variant) => (
              <Button key={variant.id} isSmall isBusy={isBusy} onClick={() => pick(variant)}>
                {texts.pick(nameOf(variant))}
              </Button>
            ))}
          </Row>
        )}
      </Card>
    </Section>
  )
}

/** The versions, newest first. */
export const Versions = ({ accountId, campaign: { id, version } }: PartProps) => {
  const nameOfActor = useActorName()
  const texts = useCampaignTexts()
  const format = useFormat()
  // A campaign with only one version has nothing to compare.
  const hasSeveral = version > 1
  const query = useApi(
    "GET /accounts/:accountId/campaigns/:id/versions",
    { params: { accountId, id } },
    { enabled: hasSeveral }
  )
  if (!hasSeveral) return null
  return (
    <Section title={texts.versions}>
      <Loaded query={query}>
        {(versions) => (
          <Card isFlush>
            <Rows>
              {versions.map(({ createdAt, createdBy, received, subject, version: number }) => (
                <Entry
                  key={number}
                  text={
                    <>
                      <bdi>{subject}</bdi> · {texts.got(format.number(received), received)}
                    </>
                  }
                  end={
                    <span title={nameOfActor(createdBy)}>
                      <RelativeTime at={createdAt} />
                    </span>
                  }
                >
                  {texts.versionOf(format.number(number))}
                </Entry>
              ))}
            </Rows>
          </Card>
        )}
      </Loaded>
    </Section>
  )
}

/** The history of the campaign, newest first. */
export const History = ({ accountId, campaign: { id, status } }: PartProps) => {
  const nameOfActor = useActorName()
  const texts = useCampaignTexts()
  const query = useApi(
    "GET /accounts/:accountId/campaigns/:id/history",
    { params: { accountId, id } },
    status === "Sending" || status === "Scheduled" ? { refetchInterval: renewMillis } : {}
  )
  return (
    <Section title={texts.history}>
      <Loaded query={query}>
        {(entries) => (
          <Card isFlush>
            <Rows>
              {entries.map(({ actor, at, reason, to }) => (
                <Entry
                  key={`${at} ${to}`}
                  text={
                    reason === null
                      ? nameOfActor(actor)
                      : (texts.pauses[reason] ?? `${nameOfActor(actor)}: ${reason}`)
                  }
                  end={<RelativeTime at={at} />}
                >
                  <Badge tone={campaignTones[to] ?? "neutral"}>{texts.states[to] ?? to}</Badge>
                </Entry>
              ))}
            </Rows>
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
