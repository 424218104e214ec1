/**
 * The results of campaigns side by side.
 *
 * @module
 */
import { getRouteApi, Link } from "@tanstack/react-router"
import type { ValueOf } from "../../api/call.ts"
import { useApi } from "../../api/queries.ts"
import { useFormat } from "../../app/reader.tsx"
import { countedVisits, outcomesOf, shareOf } from "../../lib/campaigns/outcomes.ts"
import { valuesOf } from "../../lib/search.ts"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Table, type TableColumn } from "../../parts/show/Table.tsx"
import { useCampaignTexts } from "../../texts/campaigns/useCampaignTexts.ts"
import { campaignTones } from "./states.ts"

const route = getRouteApi("/shell/a/$accountId/campaigns/compare")

const compareRoute = "GET /accounts/:accountId/campaigns/compare"

type Compared = ValueOf<typeof compareRoute>[number]

/** The screen. */
export const Compare = () => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const { accountId } = route.useParams()
  const { ids } = route.useSearch()
  const isEmpty = valuesOf(ids).length < 2
  const query = useApi(
    compareRoute,
    { params: { accountId }, query: { ids: ids ?? "" } },
    { enabled: !isEmpty }
  )
  /** A count, and its share of the people whose servers accepted the email. */
  const rate = (key: string, head: string, countOf: (one: Compared) => number): TableColumn<Compared> => ({
    key,
    head,
    isEnd: true,
    cell: (one) => {
      const count = countOf(one)
      return `${format.number(count)} · ${format.percent(shareOf(count, outcomesOf(one.stats).reached))}`
    }
  })
  const columns: ReadonlyArray<TableColumn<Compared>> = [
    {
      key: "name",
      head: texts.name,
      cell: ({ id, name }) => (
        <Link to="/a/$accountId/campaigns/$campaignId" params={{ accountId, campaignId: id }} search={{}}>
          <bdi>{name}</bdi>
        </Link>
      )
    },
    {
      key: "state",
      head: texts.state,
      cell: ({ status }) => <Badge tone={campaignTones[status] ?? "neutral"}>{texts.states[status]}</Badge>
    },
    {
      key: "audience",
      head: texts.audience,
      isEnd: true,
      cell: ({ stats }) => format.number(stats.audience)
    },
    {
      key: "reached",
      head: texts.outcomes["reached"] ?? "",
      isEnd: true,
      cell: ({ stats }) => format.number(outcomesOf(stats).reached)
    },
    rate("opened", texts.opened, ({ stats }) => countedVisits(stats.opened).people),
    rate("clicked", texts.clicked, ({ stats }) => countedVisits(stats.clicked).people),
    rate("unsubscribed", texts.breakdown.unsubscribed, ({ stats }) => stats.unsubscribed),
    rate("complained", texts.breakdown.complained, ({ stats }) => stats.complained)
  ]
  return (
    <Page
      title={texts.compare.title}
      text={texts.compare.rates}
      back={{ link: { to: "/a/$accountId/campaigns", params: { accountId } }, label: texts.title }}
    >
      {isEmpty ? (
        <EmptyState icon="campaign" title={texts.compare.none}>
          {texts.compare.hint}
        </EmptyState>
      ) : (
        <Loaded query={query}>
          {(compared) => (
            <Table label={texts.compare.title} rows={compared} keyOf={({ id }) => id} columns={columns} />
          )}
        </Loaded>
      )}
    </Page>
  )
}
