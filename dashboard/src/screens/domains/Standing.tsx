/**
 * The standing of the account: its state with the reasons, and the rates by provider and domain with their thresholds.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Banner } from "../../parts/page/Banner.tsx"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Page, Section } from "../../parts/page/Page.tsx"
import { Tabs } from "../../parts/page/Tabs.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { Table, type TableColumn } from "../../parts/show/Table.tsx"
import { useDeliveryTexts } from "../../texts/delivery/useDeliveryTexts.ts"
import styles from "./Domains.module.css"
import { ObserveDialog } from "./ObserveDialog.tsx"
import { UsedPools } from "./UsedPools.tsx"
import { type Standing as Read, useReasons } from "./StandingState.tsx"

const route = getRouteApi("/shell/a/$accountId/domains/standing")

type Rate = Read["rates"][number]

const periods = ["1", "7", "30"] as const

/** A rate with a colour where it is at or above a threshold. */
const Share = ({
  rate,
  threshold,
  value
}: {
  readonly rate: string
  readonly value: number | null
  readonly threshold: Read["thresholds"]
}) => {
  const format = useFormat()
  if (value === null) return "–"
  const limit = threshold.find((one) => one.rate === rate)
  const shown = format.percent(value)
  if (limit === undefined || value < limit.notice) return shown
  return <Badge tone={value >= limit.held ? "bad" : "warning"}>{shown}</Badge>
}

const Rates = ({ rates, thresholds }: Read) => {
  const { standing: texts } = useDeliveryTexts()
  const format = useFormat()
  const columns: ReadonlyArray<TableColumn<Rate>> = [
    { key: "provider", head: texts.provider, cell: ({ provider }) => provider },
    { key: "domain", head: texts.domain, cell: ({ domain }) => <bdi>{domain}</bdi> },
    { key: "stream", head: texts.stream, cell: ({ stream }) => texts.streams[stream] },
    { key: "handed", head: texts.handed, isEnd: true, cell: ({ handed }) => format.number(handed) },
    {
      key: "delivered",
      head: texts.delivered,
      isEnd: true,
      cell: ({ delivered }) => format.number(delivered)
    },
    {
      key: "bounced",
      head: texts.bounced,
      isEnd: true,
      cell: ({ bounceRate }) => <Share rate="bounces" value={bounceRate} threshold={thresholds} />
    },
    {
      key: "policy",
      head: texts.policy,
      isEnd: true,
      cell: ({ policyRate }) => <Share rate="policy" value={policyRate} threshold={thresholds} />
    },
    {
      key: "complained",
      head: texts.complained,
      isEnd: true,
      cell: ({ complaintRate }) => <Share rate="complaints" value={complaintRate} threshold={thresholds} />
    }
  ]
  if (rates.length === 0)
    return (
      <Card isFlush>
        <Nothing>{texts.noRates}</Nothing>
      </Card>
    )
  return (
    <Table
      label={texts.rates}
      columns={columns}
      rows={rates}
      keyOf={({ domain, provider, stream }) => `${provider} ${domain} ${stream}`}
    />
  )
}

const Thresholds = ({ thresholds }: Read) => {
  const { standing: texts } = useDeliveryTexts()
  const format = useFormat()
  return (
    <Section title={texts.thresholds}>
      <Table
        label={texts.thresholds}
        rows={thresholds}
        keyOf={({ rate }) => rate}
        columns={[
          { key: "rate", head: texts.rateHead, cell: ({ rate }) => texts.rateNames[rate] },
          { key: "notice", head: texts.notice, isEnd: true, cell: ({ notice }) => format.percent(notice) },
          { key: "held", head: texts.held, isEnd: true, cell: ({ held }) => format.percent(held) }
        ]}
      />
    </Section>
  )
}

const Summary = (standing: Read) => {
  const { standing: texts } = useDeliveryTexts()
  const format = useFormat()
  const reasonsOf = useReasons()
  const { heldUntil, rampLimit, state } = standing
  return (
    <Banner tone={state === "Good" ? "good" : state === "Held" ? "bad" : "warning"}>
      <strong>{texts.states[state]}</strong>
      <p>{texts.stateTexts[state]}</p>
      {reasonsOf(standing).map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {state === "Held" &&
        (heldUntil === null ? (
          <p>{texts.operator}</p>
        ) : (
          <p>
            {texts.heldUntil} <RelativeTime at={heldUntil} />.
          </p>
        ))}
      {rampLimit !== null && <p>{texts.ramp(format.number(rampLimit))}</p>}
    </Banner>
  )
}

/** The screen. */
export const Standing = () => {
  const { domains } = useTexts()
  const { standing: texts } = useDeliveryTexts()
  const format = useFormat()
  const { can, id: accountId } = useAccount()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [isEntering, setEntering] = useState(false)
  const days = periods.find((one) => one === search.days) ?? "7"
  const query = useApi("GET /accounts/:accountId/standing", {
    params: { accountId },
    query: { days: Number(days) }
  })
  return (
    <Page isList title={domains.title} text={texts.text}>
      <AreaTabs area="domains" />
      {/* It scrolls, so that the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles["scrolled"]} tabIndex={0} role="group" aria-label={texts.title}>
        <div className={styles["content"]}>
          <Loaded query={query}>
            {(standing) => (
              <>
                <Summary {...standing} />
                <Section title={texts.rates}>
                  <Tabs
                    label={texts.days}
                    value={days}
                    onChange={(next) => void navigate({ search: { days: next }, replace: true })}
                    tabs={periods.map((value) => ({ value, label: texts.periods[value] ?? value }))}
                  />
                  <Rates {...standing} />
                </Section>
                <Thresholds {...standing} />
                <UsedPools accountId={accountId} />
                <Section
                  title={texts.observations}
                  text={texts.observationsText}
                  actions={
                    can("domains:write") && (
                      <Button isSmall onClick={() => setEntering(true)}>
                        {texts.enter}
                      </Button>
                    )
                  }
                >
                  <Card isFlush>
                    {standing.observations.length === 0 && <Nothing>{texts.noObservations}</Nothing>}
                    <Rows>
                      {standing.observations.map(({ day, domain, provider, spamRate }) => (
                        <Entry
                          key={`${provider} ${domain} ${day}`}
                          text={`${provider} · ${format.date(day)}`}
                          end={<Share rate="observed" value={spamRate} threshold={standing.thresholds} />}
                        >
                          <bdi>{domain}</bdi>
                        </Entry>
                      ))}
                    </Rows>
                  </Card>
                </Section>
              </>
            )}
          </Loaded>
        </div>
      </div>
      {isEntering && <ObserveDialog accountId={accountId} onClose={() => setEntering(false)} />}
    </Page>
  )
}
