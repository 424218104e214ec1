/**
 * Reports by mail servers about mail from the account's domains: authentication (DMARC) and encryption (TLS).
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { type ItemOf, useExtra, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { useDeliveryTexts } from "../../texts/delivery/useDeliveryTexts.ts"

const route = getRouteApi("/shell/a/$accountId/domains/reports")

const dmarcRoute = "GET /accounts/:accountId/reports/dmarc"
const tlsRoute = "GET /accounts/:accountId/reports/tls"

type Dmarc = ItemOf<typeof dmarcRoute>
type Tls = ItemOf<typeof tlsRoute>

const dayMillis = 86_400_000

interface ReportsProps {
  readonly accountId: string
  readonly query: { readonly since: string; readonly domain?: string }
  readonly isFiltered: boolean
  readonly onReset: () => void
}

const Empty = () => {
  const { reports: texts } = useDeliveryTexts()
  return (
    <EmptyState icon="chart" title={texts.empty}>
      {texts.emptyText}
    </EmptyState>
  )
}

const Result = ({ isAligned, result }: { readonly result: string; readonly isAligned: boolean }) => {
  const { reports: texts } = useDeliveryTexts()
  const isGood = result === "pass" && isAligned
  return (
    <Badge tone={isGood ? "good" : "bad"}>
      {result === "pass" ? `${result}, ${isAligned ? texts.aligned : texts.notAligned}` : result}
    </Badge>
  )
}

const DmarcList = ({ accountId, isFiltered, onReset, query }: ReportsProps) => {
  const { reports: texts } = useDeliveryTexts()
  const format = useFormat()
  const list = useList(dmarcRoute, { params: { accountId }, query })
  const columns: ReadonlyArray<Column<Dmarc>> = [
    {
      key: "network",
      head: texts.network,
      width: "minmax(9rem, 1.4fr)",
      cell: ({ network }) => <bdi>{network ?? texts.rest}</bdi>
    },
    {
      key: "domain",
      head: texts.domain,
      width: "minmax(8rem, 1.2fr)",
      narrow: "second",
      cell: ({ domain }) => <bdi>{domain}</bdi>
    },
    { key: "day", head: texts.day, width: "6rem", cell: ({ day }) => format.date(day) },
    {
      key: "dkim",
      head: texts.dkim,
      width: "8.5rem",
      cell: ({ dkim, dkimAligned }) => <Result result={dkim} isAligned={dkimAligned} />
    },
    {
      key: "spf",
      head: texts.spf,
      width: "8.5rem",
      cell: ({ spf, spfAligned }) => <Result result={spf} isAligned={spfAligned} />
    },
    {
      key: "disposition",
      head: texts.disposition,
      width: "8rem",
      cell: ({ disposition }) => texts.dispositions[disposition]
    },
    {
      key: "messages",
      head: texts.messages,
      width: "6.5rem",
      isEnd: true,
      narrow: "end",
      cell: ({ messages }) => format.number(messages)
    }
  ]
  return (
    <List
      label={texts.kinds["dmarc"] ?? ""}
      list={list}
      columns={columns}
      keyOf={({ day, disposition, dkim, dkimAligned, domain, network, spf, spfAligned }) =>
        [day, domain, network, disposition, dkim, dkimAligned, spf, spfAligned].join(" ")
      }
      isFiltered={isFiltered}
      onReset={onReset}
      empty={<Empty />}
    />
  )
}

const TlsList = ({ accountId, isFiltered, onReset, query }: ReportsProps) => {
  const { reports: texts } = useDeliveryTexts()
  const format = useFormat()
  const list = useList(tlsRoute, { params: { accountId }, query })
  const columns: ReadonlyArray<Column<Tls>> = [
    {
      key: "host",
      head: texts.host,
      width: "minmax(10rem, 1.4fr)",
      cell: ({ host }) => <bdi>{host ?? texts.unknownHost}</bdi>
    },
    {
      key: "domain",
      head: texts.domain,
      width: "minmax(9rem, 1.2fr)",
      narrow: "second",
      cell: ({ domain }) => <bdi>{domain}</bdi>
    },
    { key: "day", head: texts.day, width: "6rem", cell: ({ day }) => format.date(day) },
    { key: "policy", head: texts.policy, width: "7rem", cell: ({ policy }) => texts.policies[policy] },
    {
      key: "result",
      head: texts.result,
      width: "minmax(9rem, 1fr)",
      cell: ({ result }) => (
        <Badge tone={result === "success" ? "good" : "bad"}>
          {result === "success" ? texts.success : result}
        </Badge>
      )
    },
    {
      key: "sessions",
      head: texts.sessions,
      width: "7rem",
      isEnd: true,
      narrow: "end",
      cell: ({ sessions }) => format.number(sessions)
    }
  ]
  return (
    <List
      label={texts.kinds["tls"] ?? ""}
      list={list}
      columns={columns}
      keyOf={({ day, domain, host, policy, result }) => [day, domain, host, policy, result].join(" ")}
      isFiltered={isFiltered}
      onReset={onReset}
      empty={<Empty />}
    />
  )
}

/** The screen. */
export const Reports = () => {
  const { domains: domainTexts } = useTexts()
  const { reports: texts } = useDeliveryTexts()
  const { id: accountId } = useAccount()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [today] = useState(() => Math.floor(Date.now() / dayMillis) * dayMillis)
  const domains =
    useExtra("GET /accounts/:accountId/domains", { params: { accountId }, query: { limit: 200 } })?.items ??
    []
  const days = Object.keys(texts.periods).includes(search.days ?? "") ? Number(search.days) : 30
  const props: ReportsProps = {
    accountId,
    query: {
      since: new Date(today - days * dayMillis).toISOString(),
      ...(search.domain === undefined ? {} : { domain: search.domain })
    },
    isFiltered: search.domain !== undefined,
    onReset: () => void navigate({ search: { kind: search.kind }, replace: true })
  }
  return (
    <Page isList title={domainTexts.title} text={texts.text}>
      <div>
        <AreaTabs area="domains" />
        <FilterBar
          search={search}
          onChange={(next) => void navigate({ search: next, replace: true })}
          filters={[
            { key: "kind", label: texts.kind, isSingle: true, options: optionsOf(texts.kinds) },
            { key: "days", label: texts.period, isSingle: true, options: optionsOf(texts.periods) },
            {
              key: "domain",
              label: texts.domain,
              isSingle: true,
              options: domains.map(({ domain }) => ({ value: domain, label: domain }))
            }
          ]}
        />
      </div>
      {search.kind === "tls" ? <TlsList {...props} /> : <DmarcList {...props} />}
    </Page>
  )
}
